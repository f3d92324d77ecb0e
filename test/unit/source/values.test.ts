import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { parseDocument } from "yaml";
import { parseJson, writeJson } from "../../../src/base/json/json.ts";
import { child, nodeAt, type SourceNode, toJson } from "../../../src/source/node.ts";
import { parseYaml } from "../../../src/source/parse.ts";

function read(text: string): SourceNode {
  const { root, diagnostics } = parseYaml("file.yaml", text);
  if (root === undefined) throw new SyntaxError(diagnostics[0]?.message);
  return root;
}

const json = (text: string): string => writeJson(toJson(read(text)));

test("numbers keep their digits", () => {
  expect(json("[12345678901234567890.50, 9007199254740993, 1.0, -0, 1e3, 0.10]")).toBe(
    "[12345678901234567890.50,9007199254740993,1.0,-0,1e3,0.10]",
  );
});

test("a value that only looks like another type is a text", () => {
  expect(json("[yes, no, on, off, 1_000, 2026-01-01, 12:30, 0.1.2, '5', \"true\"]")).toBe(
    '["yes","no","on","off","1_000","2026-01-01","12:30","0.1.2","5","true"]',
  );
  expect(json("[true, False, null, ~]")).toBe("[true,false,null,null]");
});

test("keys are texts", () => {
  expect(json("{ 1: a, true: b, on: c }")).toBe('{"1":"a","true":"b","on":"c"}');
});

test("a byte order mark at the start, a start marker and an end marker are ignored", () => {
  expect(json("\ufeffa: 1")).toBe('{"a":1}');
  expect(json("---\na: 1\n...\n")).toBe('{"a":1}');
});

// The value must give the right place in the text for its characters WORD.
test.for<[string, string]>([
  ["plain", "x:\n  key: one WORD two"],
  ["in a flow map", "x: { a: 1, key: one WORD two }"],
  ["in double quotes", 'x: { key: "one WORD two" }'],
  ["in single quotes", "x: { key: 'one WORD two' }"],
  ["in a block literal", "x:\n  key: |\n    first\n\n    one WORD two\n    last"],
  ["in a block literal with an indented first line", "x:\n  key: |2\n      first\n    one WORD two"],
  ["in a block literal after a comment", "x:\n  key: | # why\n    one WORD two"],
])("a character of a value %s has the right place in the text", ([, text]) => {
  const node = child(child(read(text), "x"), "key");
  if (node?.kind !== "scalar") throw new Error("no scalar");
  const at = node.offsetOf(String(node.value).indexOf("WORD"));
  expect(text.slice(at, at + 4)).toBe("WORD");
});

test("every character of a block literal has the right place, whatever its lines are", () => {
  for (const [header, lines] of [
    ["|", ["a", "", "  b", "", "cc"]],
    ["|+", ["", "", "a b", "c", "", ""]],
    ["|2-", ["  a", "b", "   "]],
    ["| # why", ["a"]],
  ] as const) {
    for (const end of ["\n", "\r\n"]) {
      const text = `x:${end}  key: ${header}${end}${lines.map((line) => (line === "" ? "" : `    ${line}`)).join(end)}${end}  other: 1${end}`;
      const node = child(child(read(text), "x"), "key");
      if (node?.kind !== "scalar") throw new Error("no scalar");
      const value = String(node.value);
      const found = Array.from(value, (char, at) => (char === "\n" ? char : text[node.offsetOf(at)])).join("");
      expect(found, JSON.stringify(text)).toBe(value);
    }
  }
});

test("the places of very many expressions in one block are found fast", () => {
  const text = `key: |\n${"  one WORD two\n".repeat(30_000)}`;
  const node = child(read(text), "key");
  if (node?.kind !== "scalar") throw new Error("no scalar");
  for (const { index } of String(node.value).matchAll(/WORD/g)) {
    const at = node.offsetOf(index);
    if (text.slice(at, at + 4) !== "WORD") throw new Error(`not at ${at}`);
  }
});

test("if a value has escapes or folded lines, each place in it is the start of the value", () => {
  for (const text of ['key: "a\\tb WORD"', "key: 'it''s WORD'", "key: >\n  a\n  WORD", "key: a\n  WORD"]) {
    const node = child(read(text), "key");
    if (node?.kind !== "scalar") throw new Error("no scalar");
    expect(node.offsetOf(String(node.value).indexOf("WORD"))).toBe(5);
  }
});

test("a missing value has the place of its key", () => {
  const text = "a:\n  b:\n  c: 1";
  const node = nodeAt(read(text), ["a", "b"]);
  expect(text.slice(node.range.start, node.range.end)).toBe("b");
});

test("a bracket can close in the column of its key, and text at the margin ends no bracket", () => {
  const closing = "a: [\n  1, # one\n  # more\n]\nb:\n  c: {\n    d: 2\n  }\n";
  expect(json(closing)).toBe('{"a":[1],"b":{"c":{"d":2}}}');
  const code = "if (x) {\n}\n";
  const texts = `e: |\n  ${code.replaceAll("\n", "\n  ").trimEnd()}\nf: "{\n  }"\ng: {\n  h:\n    one\n}\n`;
  expect(toJson(read(closing + texts))).toMatchObject({ e: code, f: "{ }", g: { h: "one" } });
  const bracket = child(read(`${texts}a: [\n  WORD\n]\n`), "a");
  expect(bracket?.range).toEqual({ start: texts.length + 3, end: texts.length + 13 });
});

test("a path leads to the deepest node that exists", () => {
  const root = read("steps:\n  - with: { id: T1 }");
  expect(toJson(nodeAt(root, ["steps", "0", "with", "id"]))).toBe("T1");
  expect(toJson(nodeAt(root, ["steps", "0", "with", "nope", "deeper"]))).toEqual({ id: "T1" });
});

test("any JSON document is YAML, with the same values", () => {
  const plain = fc.stringMatching(/^[ -~]*$/).filter((text) => !["__proto__", "constructor", "prototype"].includes(text));
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: "grapheme-ascii", maxDepth: 4 }), plain, (value, text) => {
      const written = JSON.stringify({ [text]: value, n: 1 });
      fc.pre(!/__proto__|constructor|prototype|u00/.test(written));
      expect(json(written)).toBe(writeJson(parseJson(written)));
    }),
  );
});

// Compares our reading with another library's. If we read a text differently, a write could send something else than its author meant.
const CORPUS = ["playbooks", "test/correct", "test/faulty"].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".yaml"))
    .map((path) => readFileSync(join(folder, path), "utf8")),
);

test("another parser reads the same values from every playbook", () => {
  for (const text of CORPUS) {
    const { root } = parseYaml("file.yaml", text);
    if (root !== undefined) expect(rounded(toJson(root))).toEqual(rounded(otherReading(text)));
  }
});

const PIECES = [
  "\n",
  "  ",
  "'",
  '"',
  "[",
  "]",
  "{",
  "}",
  ": ",
  " #",
  "- ",
  "? ",
  "|",
  ">-",
  "\\",
  ",",
  "\t",
  "null",
  "1",
  "\r\n",
  "\n\n",
];

test("a text that both parsers accept has the same values in both", () => {
  const edit = fc.record({ at: fc.nat(400), piece: fc.constantFrom(...PIECES), over: fc.nat(2) });
  fc.assert(
    fc.property(fc.constantFrom(...CORPUS), fc.nat(40), fc.array(edit, { maxLength: 4 }), (whole, from, edits) => {
      let text = whole
        .split("\n")
        .slice(from, from + 10)
        .join("\n");
      for (const { at, piece, over } of edits) text = text.slice(0, at) + piece + text.slice(at + over);
      const { root } = parseYaml("file.yaml", text);
      const other = root === undefined ? undefined : otherReading(text);
      // The parsers measure the indentation of a text that is the whole file differently. No file that people use is such a text.
      const value = root === undefined || other === undefined ? "" : toJson(root);
      if (typeof value !== "string") expect(rounded(value)).toEqual(rounded(other));
    }),
    { numRuns: 1_000 },
  );
});

// YAML ends a line at a carriage return alone, but the other parser does not.
function otherReading(text: string): unknown {
  if (/\r(?!\n)/.test(text)) return undefined;
  const document = parseDocument(text, { version: "1.2", stringKeys: true, intAsBigInt: true, logLevel: "silent" });
  return document.errors.length === 0 ? document.toJS() : undefined;
}

// Numbers that are exact in our parser are floats in the other one.
function rounded(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (_, each: unknown) => (typeof each === "bigint" ? Number(each) : each)) ?? "null");
}
