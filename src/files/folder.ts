import { mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";

/** Creates a folder and its missing parents. Throws the system's error. */
export function makeFolder(path: string, mode?: number): void {
  // Node's recursive `mkdir` never returns if the system cannot create folders, as below /proc.
  if (statSync(path, { throwIfNoEntry: false }) !== undefined) return;
  makeFolder(dirname(path), mode);
  try {
    mkdirSync(path, mode);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

/** Creates a new folder for this user only. Its name begins with `prefix`. */
export function makeTemporaryFolder(prefix: string): string {
  return mkdtempSync(prefix);
}

/** Removes a folder that we created, with its content. */
export function removeFolder(path: string): void {
  rmSync(path, { recursive: true, force: true });
}
