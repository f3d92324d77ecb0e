import type { Failure } from "../../base/failure.ts";

/** A failure as a person reads it: what is wrong, why, and what to do next. */
export function formatFailure({ code, message, why, next }: Failure): string {
  const lines = [
    `error ${code}`,
    indent(message),
    ...(why === undefined ? [] : [indent(`why: ${why}`)]),
    ...(next === undefined ? [] : [indent(`next: ${next}`)]),
  ];
  return `${lines.join("\n")}\n`;
}

function indent(text: string): string {
  return text.replaceAll(/^(?=.)/gm, "  ");
}
