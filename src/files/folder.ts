import { mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";

/** Makes a folder, and those above it, where they are not there. Throws what the system says. */
export function makeFolder(path: string, mode?: number): void {
  // Node's own recursive way never returns where the system has no room for folders, as below /proc.
  if (statSync(path, { throwIfNoEntry: false }) !== undefined) return;
  makeFolder(dirname(path), mode);
  try {
    mkdirSync(path, mode);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

/** Makes a new folder for this user alone; its name begins with `prefix`. */
export function makeTemporaryFolder(prefix: string): string {
  return mkdtempSync(prefix);
}

/** Removes a folder that we made, with all that is in it. */
export function removeFolder(path: string): void {
  rmSync(path, { recursive: true, force: true });
}
