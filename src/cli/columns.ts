// How pages of help are laid out on a terminal.

export const WIDTH = 110;
const INDENT = "  ";
const MINIMUM_WIDTH = 40;

export function indented(lines: readonly string[]): readonly string[] {
  return lines.map((line) => `${INDENT}${line}`);
}

/** Columns as wide as their widest cell; the last one is wrapped. */
export function columns(rows: readonly (readonly string[])[]): readonly string[] {
  const leading = Math.max(0, ...rows.map((row) => row.length - 1));
  const widths = Array.from({ length: leading }, (_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  const before = widths.reduce((sum, width) => sum + width + INDENT.length, 0);
  return rows.flatMap((row) => {
    const start = widths.map((width, at) => `${(row[at] ?? "").padEnd(width)}${INDENT}`).join("");
    const [first = "", ...rest] = wrap(row.at(-1) ?? "", Math.max(WIDTH - before, MINIMUM_WIDTH));
    return [`${start}${first}`.trimEnd(), ...rest.map((line) => `${" ".repeat(before)}${line}`)];
  });
}

/** A text in lines of at most this width; no word is parted. */
export function wrap(words: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of words.split(/\s+/)) {
    if (line !== "" && line.length + word.length + 1 > width) {
      lines.push(line);
      line = "";
    }
    line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line];
}
