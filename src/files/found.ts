import { accessSync, constants, lstatSync, realpathSync, type Stats, statSync } from "node:fs";
import { dirname } from "node:path";
import { Failure } from "../base/failure.ts";
import { quoted } from "../base/text/text.ts";
import { type Stranger, strangeOwner, strangerTo, strangeWriter } from "./owner.ts";
import { type NamedFile, readRegular } from "./regular.ts";

/**
 * Reads a file that tokenbook found on its own. Throws a Failure if a user other than root may have written it or may replace it. Otherwise it behaves like
 * `readRegular`.
 */
export function readFound(file: NamedFile, mostBytes: number): Buffer {
  return readRegular(file, mostBytes, (content) => assertTrusted(file, content));
}

/** Returns whether `readFound` would use an existing file. */
export function isTrusted(file: NamedFile): boolean {
  try {
    assertTrusted(file, statSync(file.path));
    return true;
  } catch (error) {
    if (error instanceof Failure) return false;
    throw error;
  }
}

function assertTrusted(file: NamedFile, content: Stats): void {
  const { path } = file;
  refuse(file, path, strangerTo(content));
  refuse(file, path, strangeOwner(lstatSync(path)), "the link");
  for (const folder of new Set([realpathSync(dirname(path)), dirname(realpathSync(path))])) {
    refuse(file, folder, replacerIn(folder), "its folder");
  }
}

const STICKY = 0o1000;

// In a sticky folder such as /tmp, others may add files but cannot replace ours.
function replacerIn(folder: string): Stranger | undefined {
  const entry = statSync(folder);
  const isSafe = (entry.mode & STICKY) !== 0 || isReadOnly(folder);
  return strangeOwner(entry) ?? (isSafe ? undefined : strangeWriter(entry));
}

// Kubernetes mounts configuration from folders of mode 0777 that nobody can write.
function isReadOnly(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EROFS";
  }
}

function refuse({ name, path }: NamedFile, entry: string, stranger: Stranger | undefined, part?: string): void {
  if (stranger === undefined) return;
  const { words, fix } = stranger;
  const subject = part === undefined ? "it" : entry === path ? part : `${part} ${entry}`;
  throw new Failure({
    code: "file.untrusted",
    message: `${name} is not used: ${subject} ${words}`,
    why: "tokenbook found it by itself; such a file decides where keys are sent and which commands run, so whoever may write it acts as you",
    next: `if you trust it: ${fix} ${quoted(entry)}; otherwise move your project into a folder that only you may write`,
  });
}
