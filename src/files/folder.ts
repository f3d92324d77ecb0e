import { mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";

/** Makes a folder, and the missing ones above it. Throws the system's error. */
export function makeFolder(path: string, mode?: number): void {
  // Node's own recursive way never returns where the system cannot make folders, as below /proc.
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

/** Removes a folder that we made, with its content. */
export function removeFolder(path: string): void {
  rmSync(path, { recursive: true, force: true });
}
