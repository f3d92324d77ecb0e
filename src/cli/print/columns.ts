// Lays out pages of help on a terminal.

import type { Terminal } from "../shell.ts";
import { wrap } from "../../base/text/text.ts";

const MOST_COLUMNS = 110;
const LEAST_COLUMNS = 40;
/** The indentation of lines. */
export const INDENT = "  ";
/** With less room, the last column is printed below the others. */
const LEAST_ROOM = 24;

/** Returns the lines, each indented by two spaces. */
export function indented(lines: readonly string[]): readonly string[] {
  return lines.map((line) => `${INDENT}${line}`);
}

/** Returns the parts of a page that have lines, each below its heading; without a heading they are not indented. */
export function sectionsOf(parts: readonly (readonly [heading: string, lines: readonly string[]])[]): readonly string[] {
  return parts
    .filter(([, lines]) => lines.length > 0)
    .map(([heading, lines]) => (heading === "" ? lines : [`${heading}:`, ...indented(lines)]).join("\n"));
}

/** Formats rows as columns that are as wide as their widest cell. The last column is wrapped. */
export type TextColumns = (rows: readonly (readonly string[])[]) => readonly string[];

/** Returns the width of a page on this terminal: the width of the terminal, but not more than is easy to read. */
export function widthOn({ columns }: Pick<Terminal, "columns">): number {
  return Math.max(LEAST_COLUMNS, Math.min(columns, MOST_COLUMNS));
}

/** Returns the formatter of columns for a page of this width, in which they may be indented twice. */
export function columnsIn(width: number): TextColumns {
  return (rows) => {
    const leading = Math.max(0, ...rows.map((row) => row.length - 1));
    const widths = Array.from({ length: leading }, (_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
    const before = widths.reduce((sum, each) => sum + each + INDENT.length, 0);
    const room = width - 2 * INDENT.length - before;
    const isNarrow = room < LEAST_ROOM && rows.some((row) => (row.at(-1) ?? "").length > room);
    return rows.flatMap((row) => {
      const start = widths.map((each, at) => `${(row[at] ?? "").padEnd(each)}${INDENT}`).join("");
      const last = row.at(-1) ?? "";
      if (isNarrow) return [start.trimEnd(), ...beneath(last, width)];
      return beside(start, last, room);
    });
  };
}

// Text that does not fit continues below its first words.
function beside(start: string, words: string, room: number): readonly string[] {
  const [first = "", ...rest] = wrap(words, room);
  return [`${start}${first}`.trimEnd(), ...rest.map((line) => `${" ".repeat(start.length)}${line}`)];
}

function beneath(words: string, width: number): readonly string[] {
  return indented(indented(wrap(words, width - 4 * INDENT.length)));
}

const CONTINUED = /\n(?: {8,}(?=\S)|(?<=[^\n]\n)(?=\S))/g;

/** Fits the text and examples of a help page to this width. Prose and the notes beside commands are wrapped, but a command stays on one line. */
export function fitted(text: string, width: number): string {
  const lines = text.replaceAll(CONTINUED, " ").split("\n");
  return lines.flatMap((line) => fittedLine(line, width)).join("\n");
}

function fittedLine(line: string, width: number): readonly string[] {
  if (line.length <= width) return [line];
  if (!line.startsWith(INDENT)) return wrap(line, width);
  const [, before = line, words = ""] = /^(\s*\S.*?\s{2,})(\S.*)$/.exec(line) ?? [];
  if (words === "") return [line];
  const room = width - before.length;
  return room < LEAST_ROOM ? [before.trimEnd(), ...beneath(words, width)] : beside(before, words, room);
}
