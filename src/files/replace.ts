import { randomBytes } from "node:crypto";
import { closeSync, fsyncSync, openSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";

/**
 * Replaces the text of a file that the user names in one step: a reader finds the whole old text or the whole new one, even if the
 * process is killed.
 */
export function replaceFile(path: string, text: string): void {
  const target = realpathSync(path);
  const beside = `${target}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    const file = openSync(beside, "wx", statSync(target).mode);
    try {
      writeFileSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(beside, target);
  } catch (error) {
    rmSync(beside, { force: true });
    throw error;
  }
}
