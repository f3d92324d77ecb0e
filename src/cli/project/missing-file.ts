import { readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { Failure, messageOf } from "../../base/failure.ts";
import { didYouMean } from "../../base/text/text.ts";

/** Returns whether a file could not be read because it does not exist. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
}

/** Returns the failure for a file or folder that somebody named as `name`, from the error of reading it. */
export function unreadFile(path: string, name: string, error: unknown): Failure {
  if (isMissing(error)) return missingFile(path, name);
  return new Failure({
    code: "file.unreadable",
    message: `${name} cannot be read: ${messageOf(error)}`,
    next: "name a file that you may read",
    cause: error,
  });
}

/** Returns the failure for a missing file or folder that somebody named as `name`. */
export function missingFile(path: string, name: string): Failure {
  if (name === "-") {
    return new Failure({
      code: "file.missing",
      message: 'there is no file "-", and stdin is not read',
      why: "a run must find its files again when it is resumed",
      next: "write it into a file, and name that",
    });
  }
  const near = nearPath(path, name);
  return new Failure({
    code: "file.missing",
    message: `there is no file or folder "${name}"`,
    why: `its whole path would be ${path}`,
    next: near === undefined ? "name a file that exists, or go to the folder that holds it" : `did you mean "${near}"?`,
  });
}

function nearPath(path: string, name: string): string | undefined {
  // A broken link has exactly the missing name, so it is no suggestion.
  const others = namesIn(dirname(path)).filter((each) => each !== basename(path));
  const near = didYouMean(basename(path), others);
  return near === undefined ? undefined : join(dirname(name), near);
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // a folder that cannot be read offers no names
  }
}
