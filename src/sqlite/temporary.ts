import { accessSync, constants, statSync } from "node:fs";

const VARIABLES = ["SQLITE_TMPDIR", "TMPDIR"] as const;
const FOLDERS = ["/var/tmp", "/usr/tmp", "/tmp"] as const;

/** Returns a description of SQLite's unnamed temporary file: its folder, which SQLite chooses in this order. */
export function temporaryFile(): string {
  const [byHand] = VARIABLES.filter((name) => isUsable(process.env[name]));
  if (byHand !== undefined) return `the temporary file in ${process.env[byHand]} (${byHand})`;
  return `the temporary file in ${FOLDERS.find(isUsable) ?? process.cwd()} (set TMPDIR for another folder)`;
}

function isUsable(folder: string | undefined): boolean {
  if (folder === undefined || statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return false;
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
