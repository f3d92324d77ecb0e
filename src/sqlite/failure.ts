import { Failure, messageOf } from "../base/failure.ts";

/** The file of a database cannot be used. */
export class DatabaseFailure extends Failure {}

interface Told {
  readonly code: string;
  readonly what: string;
  readonly next: string;
}

const DAMAGED: Told = {
  code: "database.damaged",
  what: "is damaged",
  next: "restore the folder that it is in, all of its files, from a backup",
};
const UNUSABLE: Told = {
  code: "database.unusable",
  what: "cannot be read and written",
  next: "see to it that it is a file on a disk that works, and that you may write it and its folder",
};

// By SQLite's result codes, where an extended one says more than its primary one. Any other is a mistake of ours.
const TOLD: ReadonlyMap<number, Told> = new Map([
  [5, { code: "database.busy", what: "is being written by another process, and has been for too long", next: "try again" }],
  [8, UNUSABLE],
  [10, UNUSABLE],
  [11, DAMAGED],
  [13, { code: "database.full", what: "cannot grow", next: "make room on the disk" }],
  [14, UNUSABLE],
  [26, DAMAGED],
  [522, DAMAGED], // a page is missing
]);

/** Does something with a database file; what keeps it from being done is a DatabaseFailure that names the file. */
export function telling<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw toldOf(path, error);
  }
}

/** An error of SQLite in words; any other as it is. */
export function toldOf(path: string, error: unknown): unknown {
  const { errcode, syscall } = error as { readonly errcode?: number; readonly syscall?: string };
  const told = syscall === undefined ? (TOLD.get(Number(errcode)) ?? TOLD.get(Number(errcode) % PRIMARY)) : UNUSABLE;
  if (told === undefined) return error;
  const { code, what, next } = told;
  return new DatabaseFailure({ code, message: `${path} ${what}: ${messageOf(error)}`, next, cause: error });
}

// The lower byte; the rest says more of the same.
const PRIMARY = 256;

/** Says that a file is not there any more, though it is open. */
export function removed(path: string): DatabaseFailure {
  return new DatabaseFailure({
    code: "database.removed",
    message: `${path} has been removed or replaced while it was in use`,
    next: "put it back as it was, all of its files",
  });
}
