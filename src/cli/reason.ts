import { Failure, type FailureDetails } from "../base/failure.ts";

/** The error of a command that requires a reason and got none. */
export type AskingForReason = Required<Pick<FailureDetails, "code" | "message" | "next">>;

/** Commands that tokenbook proposes contain this placeholder instead of a reason, so that nobody can paste a reason that nobody had. */
const PLACEHOLDER = "TEXT";

/** Returns the person's reason. Throws a Failure if there is none, or if the placeholder of a proposed command was not replaced. */
export function reasonOf(because: string | undefined, { code, message, next }: AskingForReason): string {
  const reason = because?.trim() ?? "";
  if (reason !== "" && reason !== PLACEHOLDER) return reason;
  const why = reason === "" ? {} : { why: `write your own words in place of ${PLACEHOLDER}` };
  throw new Failure({ code, message, ...why, next });
}
