import { closeSync, mkdirSync, openSync, renameSync, rmSync, statSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { systemRandom } from "../base/ports.ts";

const BATCH_CHARS = 65_536;

/**
 * Writes a file (mode 0600) so that a reader finds the old text or the whole new one, never half of it. What is no regular file,
 * such as a pipe, is written to directly. Throws what the system says.
 */
export function writeWhole(path: string, pieces: Iterable<string>): void {
  const existing = statSync(path, { throwIfNoEntry: false });
  if (existing !== undefined && !existing.isFile()) return write(openSync(path, "w"), pieces);
  const draft = draftOf(path);
  try {
    write(openSync(draft, "w", 0o600), pieces);
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

/** Looks whether a file could be written whole, and makes the folders above it; a file that is there stays. Throws what the system says. */
export function assertWritable(path: string): void {
  const existing = statSync(path, { throwIfNoEntry: false });
  if (existing?.isDirectory() === true) throw new Error("it is a folder");
  if (existing !== undefined && !existing.isFile()) return;
  makeFolder(dirname(path));
  const draft = draftOf(path);
  closeSync(openSync(draft, "wx", 0o600));
  rmSync(draft);
}

// Node's own recursive way never comes back where the system has no room for folders, as below /proc.
function makeFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false }) !== undefined) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

function draftOf(path: string): string {
  return `${path}.${Buffer.from(systemRandom.bytes(4)).toString("hex")}.tmp`;
}

function write(descriptor: number, pieces: Iterable<string>): void {
  try {
    let batch = "";
    for (const piece of pieces) {
      batch += piece;
      if (batch.length < BATCH_CHARS) continue;
      writeAll(descriptor, batch);
      batch = "";
    }
    writeAll(descriptor, batch);
  } finally {
    closeSync(descriptor);
  }
}

// A pipe may take less than it is given.
function writeAll(descriptor: number, text: string): void {
  for (let rest = Buffer.from(text); rest.length > 0;) rest = rest.subarray(writeSync(descriptor, rest));
}
