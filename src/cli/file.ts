import { closeSync, openSync, renameSync, rmSync, statSync, writeSync } from "node:fs";
import { systemRandom } from "../base/ports.ts";

const BATCH_CHARS = 65_536;

/**
 * Writes a file (mode 0600) so that a reader finds the old text or the whole new one, never half of it. What is no regular file,
 * such as a pipe, is written to directly. Throws what the system says.
 */
export function writeWhole(path: string, pieces: Iterable<string>): void {
  const existing = statSync(path, { throwIfNoEntry: false });
  if (existing !== undefined && !existing.isFile()) return write(openSync(path, "w"), pieces);
  const draft = `${path}.${Buffer.from(systemRandom.bytes(4)).toString("hex")}.tmp`;
  try {
    write(openSync(draft, "w", 0o600), pieces);
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
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
