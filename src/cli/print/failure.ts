import { Bug, Failure, type KeptFailure, messageOf } from "../../base/failure.ts";
import { indentedText } from "../../base/text/text.ts";

/** Formats a failure for people: what is wrong, why, and what to do next. */
export function formatFailure({ code, message, why, next }: Failure): string {
  const lines = [
    `error ${code}`,
    indentedText(message),
    ...(why === undefined ? [] : [indentedText(`why: ${why}`)]),
    ...(next === undefined ? [] : [indentedText(`next: ${next}`)]),
  ];
  return `${lines.join("\n")}\n`;
}

/** Formats an unexpected error, what it has ended, and what we need in a bug report. */
export function formatUnforeseen(error: unknown, ended = "nothing more was sent"): string {
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `tokenbook: ${kindOf(error)}; ${ended}\n\n${stack}\n\nPlease report it with the text above.\n`;
}

/** Returns an error as reports show it. */
export function keptError(error: unknown): KeptFailure {
  if (error instanceof Failure) return error.toJSON();
  return { code: "bug", message: `${kindOf(error)}: ${messageOf(error)}`, next: "please report it" };
}

function kindOf(error: unknown): string {
  return error instanceof Bug ? "a bug in tokenbook" : "an unexpected error";
}
