import { withoutLogCommands } from "../../base/text/harmless.ts";
import { sanitise } from "../../base/text/text.ts";

const LINE_CHARS = 300;
const BLOCK_CHARS = 2_000;
const BLOCK_LINES = 20;

/** Foreign text as part of one line: nothing in it is obeyed by a terminal or a log reader, no line breaks, bounded. */
export function oneLine(text: string, limit: number = LINE_CHARS): string {
  return cut(harmless(text).replaceAll("\n", "\\n"), limit);
}

/** Foreign text as lines, each harmless when something of ours comes before it; bounded. */
export function foreignLines(text: string): readonly string[] {
  const lines = cut(harmless(text), BLOCK_CHARS).split("\n");
  if (lines.length <= BLOCK_LINES) return lines;
  return [...lines.slice(0, BLOCK_LINES), `… (${lines.length - BLOCK_LINES} more lines)`];
}

/** The first `limit` characters, and a sign that there was more. */
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
