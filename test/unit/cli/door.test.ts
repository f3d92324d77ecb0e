import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { Door } from "../../../src/cli/print/door.ts";
import type { TextKind } from "../../../src/cli/shell.ts";
import { dangersOf, manyHostile, READABLE } from "../report/hostile.ts";

/** Returns what the stream receives when a text is written as a given kind. */
function leaving(text: string, kind?: TextKind): string {
  let left = "";
  const door = new Door({ isTTY: false, columns: 80, rows: 24, write: (passed) => void (left += passed) });
  door.write(text, kind);
  return left;
}

const TEXTS = manyHostile(2_000).map((text) => text.toWellFormed().replaceAll("\t", " "));

test("no terminal and no log of a CI system obeys a printed text, whatever it contains", () => {
  for (const text of TEXTS) {
    for (const written of [text, `${text}\n${text}`, `ours: ${text}`]) {
      expect(dangersOf(leaving(written)), JSON.stringify(written)).toEqual([]);
      expect(dangersOf(leaving(written, "words"))).toEqual([]);
    }
    const coloured = leaving(`✓ ${text}`, "coloured");
    expect(coloured.startsWith("\u001b[32m✓\u001b[39m ")).toBe(true);
    expect(dangersOf(stripVTControlCharacters(coloured)), JSON.stringify(text)).toEqual([]);
  }
});

test("printed JSON has the same value for each parser", () => {
  for (const text of TEXTS) {
    for (const indent of [undefined, 2]) {
      const value = { [text]: [text, `##${text}`, { nested: text }] };
      const left = leaving(`${JSON.stringify(value, undefined, indent)}\n`, "json");
      expect(dangersOf(left), JSON.stringify(text)).toEqual([]);
      expect(JSON.parse(left)).toEqual(value);
    }
  }
});

test("ordinary text is printed unchanged, and so is text that must be exact", () => {
  const text = `${READABLE.join("\n")}\n`;
  for (const kind of ["words", "coloured", "json", "exact"] as const) expect(leaving(text, kind)).toBe(text);
  const command = "::error file=a.yaml::ours\n\u001b[2K";
  expect(leaving(command, "exact")).toBe(command);
});
