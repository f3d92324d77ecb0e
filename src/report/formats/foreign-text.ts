import { withoutLogCommands } from "../../base/text/harmless.ts";
import { onOneLine, sanitise } from "../../base/text/text.ts";

const LINE_CHARS = 300;
const BLOCK_CHARS = 2_000;
const BLOCK_LINES = 20;

/** Makes foreign text a part of one line. It has no line breaks, nothing that a terminal or a log reader obeys, and a limited length. */
export function oneLine(text: string, limit: number = LINE_CHARS): string {
  return cut(onOneLine(harmless(text)), limit);
}

/** Splits foreign text into lines. Each line is harmless if our own text comes before it, and their number is limited. */
export function foreignLines(text: string): readonly string[] {
  const lines = cut(harmless(text), BLOCK_CHARS).split("\n");
  if (lines.length <= BLOCK_LINES) return lines;
  return [...lines.slice(0, BLOCK_LINES), `… (${lines.length - BLOCK_LINES} more lines)`];
}

/** Returns the first `limit` characters, with a sign if there are more. */
export function cut(text: string, limit: number): string {
  return text.length <= limit
    ? text
    : `${text
        .slice(0, Math.max(0, limit - 1))
        .toWellFormed()
        .replace(/\u200d$/, "")}…`;
}

function harmless(text: string): string {
  return withoutLogCommands(sanitise(text.toWellFormed().replaceAll("\t", "  ")));
}
