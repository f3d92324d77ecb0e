import { type Advice } from "../base/command-line.ts";
import { Failure, type FailureDetails } from "../base/failure.ts";

/** An error of a database, for people. */
export interface FailureText {
  readonly code: string;
  readonly what: string;
  readonly next: string;
  /** Whether the database may soon be able to do what was requested. */
  readonly passes?: true;
}

/** Thrown if a database cannot be used. It always says what to do. */
export class DatabaseFailure extends Failure {
  declare readonly next: string;

  // oxlint-disable-next-line no-useless-constructor -- its parameter has the advice
  constructor(details: FailureDetails & { readonly next: Advice }) {
    super(details);
  }
}

/** Thrown if a transaction was rolled back because a requirement did not hold. */
export class Unmet extends Error {}

/** Thrown if a database may soon be able to do what was requested: it is away, busy, full or a standby. */
export class PassingFailure extends DatabaseFailure {}

/** Whether an error, or its cause, is a database failure that may pass. */
export function mayPass(error: unknown): boolean {
  return error instanceof PassingFailure || (error instanceof Error && mayPass(error.cause));
}
