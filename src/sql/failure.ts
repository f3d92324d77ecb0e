import { Failure } from "../base/failure.ts";

/** An error of a database, for people. */
export interface FailureText {
  readonly code: string;
  readonly what: string;
  readonly next: string;
  /** Whether the database may soon do what it was asked. */
  readonly passes?: true;
}

/** The failure of a database that cannot be used. */
export class DatabaseFailure extends Failure {}

/** A transaction was undone because something that it required is not so. */
export class Unmet extends Error {}

/** The failure of a database that may soon do what it was asked: it is away, busy, full or a standby. */
export class PassingFailure extends DatabaseFailure {}

/** Whether an error, or what it explains, is a failure of a database that may pass. */
export function mayPass(error: unknown): boolean {
  return error instanceof PassingFailure || (error instanceof Error && mayPass(error.cause));
}
