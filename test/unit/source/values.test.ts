import * as fc from "fast-check";
import { expect, test } from "vitest";
import { parseJson, writeJson } from "../../../src/base/json.ts";
import { child, nodeAt, type SourceNode, toJson } from "../../../src/source/node.ts";
import { parseYaml } from "../../../src/source/yaml.ts";

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

test("what only looks like another type is text", () => {
  expect(json("[yes, no, on, off, 1_000, 2026-01-01, 12:30, 0.1.2, '5', \"true\"]")).toBe(
    '["yes","no","on","off","1_000","2026-01-01","12:30","0.1.2","5","true"]',
  );
  expect(json("[true, False, null, ~]")).toBe("[true,false,null,null]");
});

test("keys are texts", () => {
  expect(json("{ 1: a, true: b, on: c }")).toBe('{"1":"a","true":"b","on":"c"}');
});

test("a byte order mark at the start, a start marker and an end marker do no harm", () => {
  expect(json("\ufeffa: 1")).toBe('{"a":1}');
  expect(json("---\na: 1\n...\n")).toBe('{"a":1}');
});

// The character `word` of the value must be found in the text where the value says it is.
test.for<[string, string]>([
  ["plain", "x:\n  key: one WORD two"],
  ["in a flow map", "x: { a: 1, key: one WORD two }"],
  ["in double quotes", 'x: { key: "one WORD two" }'],
  ["in single quotes", "x: { key: 'one WORD two' }"],
  ["in a block literal", "x:\n  key: |\n    first\n\n    one WORD two\n    last"],
  ["in a block literal with an indented first line", "x:\n  key: |2\n      first\n    one WORD two"],
  ["in a block literal after a comment", "x:\n  key: | # why\n    one WORD two"],
])("a character of a value %s is found in the text", ([, text]) => {
  const node = child(child(read(text), "x"), "key");
  if (node?.kind !== "scalar") throw new Error("no scalar");
  const at = node.offsetOf(String(node.value).indexOf("WORD"));
  expect(text.slice(at, at + 4)).toBe("WORD");
});

test("where escapes or folding came between, the start of the value stands for all of it", () => {
  for (const text of ['key: "a\\tb WORD"', "key: 'it''s WORD'", "key: >\n  a\n  WORD", "key: a\n  WORD"]) {
    const node = child(read(text), "key");
    if (node?.kind !== "scalar") throw new Error("no scalar");
    expect(node.offsetOf(String(node.value).indexOf("WORD"))).toBe(5);
  }
});

test("a value left out stands where its key does", () => {
  const text = "a:\n  b:\n  c: 1";
  const node = nodeAt(read(text), ["a", "b"]);
  expect(text.slice(node.range.start, node.range.end)).toBe("b");
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
