import { Failure, type FailureDetails } from "../base/failure.ts";

/** What a command that asks for a person's reason says where there is none. */
export type AskingForReason = Required<Pick<FailureDetails, "code" | "message" | "next">>;

/** What commands that tokenbook proposes have in place of the person's own words: a reason that nobody had must not be at hand to paste. */
const PLACEHOLDER = "TEXT";

/** Returns the person's reason. Throws a Failure where there is none, or the placeholder of a proposed command was left in its place. */
export function reasonOf(because: string | undefined, { code, message, next }: AskingForReason): string {
  const reason = because?.trim() ?? "";
  if (reason !== "" && reason !== PLACEHOLDER) return reason;
  const why = reason === "" ? {} : { why: `write your own words in place of ${PLACEHOLDER}` };
  throw new Failure({ code, message, ...why, next });
}
