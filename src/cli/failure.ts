import type { Failure } from "../base/failure.ts";
import { sanitise } from "../base/text.ts";

/** A failure as a person reads it: what is wrong, why, and what to do next. */
export function formatFailure({ code, message, why, next }: Failure): string {
  const lines = [
    `error ${code}`,
    indent(sanitise(message)),
    ...(why === undefined ? [] : [indent(`why: ${sanitise(why)}`)]),
    ...(next === undefined ? [] : [indent(`next: ${sanitise(next)}`)]),
  ];
  return `${harmless(lines.join("\n"))}\n`;
}

/** Our own text with foreign text in it, made fit for the log of a CI system: no line of it is obeyed. */
export function harmless(text: string): string {
  return sanitise(text)
    .replaceAll(/^[^\S\n]*(?=::)/gm, "  | ")
    .replaceAll(/##(?=\w*\[)/g, "## ");
}

function indent(text: string): string {
  return text.replaceAll(/^(?=.)/gm, "  ");
}
