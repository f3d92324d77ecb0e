import { messageOf } from "../base/failure.ts";
import { DatabaseFailure, PassingFailure, type FailureText } from "../sql/failure.ts";

const DAMAGED: FailureText = {
  code: "database.damaged",
  what: "is damaged",
  next: "restore the folder that it is in, all of its files, from a backup",
};
const UNUSABLE: FailureText = {
  code: "database.unusable",
  what: "cannot be read and written",
  next: "make sure that it is a file on a working disk, and that you may write it and its folder",
};

const FULL: FailureText = { code: "database.full", what: "cannot grow", next: "make room on the disk" };

// By SQLite's result code; the extended code is used if it is more exact than the primary one. Any other code is a fault of tokenbook.
const BY_RESULT_CODE: ReadonlyMap<number, FailureText> = new Map([
  [
    5,
    {
      passes: true,
      code: "database.busy",
      what: "is being written by another process, and has been for too long",
      next: "try again",
    },
  ],
  [8, UNUSABLE],
  [10, UNUSABLE],
  [11, DAMAGED],
  [13, FULL],
  [778, FULL], // a write that failed half-way
  [4874, FULL], // the index of the log cannot grow
  [14, UNUSABLE],
  [26, DAMAGED],
  [522, DAMAGED], // a page is missing
]);

/** Runs work on a database file, and throws its errors as a DatabaseFailure that names the file. */
export function withFailures<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw failureOf(path, error);
  }
}

/** Returns an error of SQLite as a DatabaseFailure, and any other error unchanged. */
export function failureOf(path: string, error: unknown): unknown {
  const { errcode, syscall } = error as { readonly errcode?: number; readonly syscall?: string };
  const text =
    syscall === undefined ? (BY_RESULT_CODE.get(Number(errcode)) ?? BY_RESULT_CODE.get(Number(errcode) % PRIMARY)) : UNUSABLE;
  if (text === undefined) return error;
  const { code, what, next, passes } = text;
  const details = { code, message: `${path} ${what}: ${messageOf(error)}`, next, cause: error };
  return passes === true ? new PassingFailure(details) : new DatabaseFailure(details);
}

// The primary code is the lower byte of an extended one.
const PRIMARY = 256;

/** Returns the failure for a file that changes during every read. */
export function alwaysWritten(path: string): DatabaseFailure {
  return new DatabaseFailure({
    code: "database.busy",
    message: `${path} was written by another process each time it was read`,
    next: "try again",
  });
}

/** Returns the failure for an open file that is no longer at its path. */
export function removed(path: string): DatabaseFailure {
  return new DatabaseFailure({
    code: "database.removed",
    message: `${path} has been removed or replaced while it was in use`,
    next: "put it back as it was, all of its files",
  });
}
