import { globSync, readFileSync } from "node:fs";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { SourceNode } from "../../../src/source/node.ts";
import { readSimple } from "../../../src/source/simple.ts";
import { parseYaml } from "../../../src/source/yaml.ts";

const CORRECT = globSync(["playbooks/**/*.yaml", "library/*.yaml", "test/correct/*.yaml"]).toSorted();
const TEXTS = [...CORRECT, ...globSync("test/faulty/*.yaml").toSorted()].map((path) => readFileSync(path, "utf8"));
const RUNS = Number(process.env["FUZZ_RUNS"] ?? 3_000);
const SEED = 20_260_611;

// A text that begins with a mark of a document is none for the simple reader.
const MARK = "---\n";

/** Everything that a node says, as plain values; its places as they are `by` characters before. */
function described(node: SourceNode | undefined, by = 0): unknown {
  if (node === undefined) return undefined;
  const range = [node.range.start - by, node.range.end - by];
  switch (node.kind) {
    case "scalar":
      return [...range, typeof node.value, String(node.value), node.offsetOf(0) - by, node.offsetOf(3) - by];
    case "list":
      return [...range, node.items.map((item) => described(item, by))];
    case "map":
      return [
        ...range,
        Array.from(node.entries, ([name, { key, value }]) => [name, key.start - by, key.end - by, described(value, by)]),
      ];
  }
}

function readsAsTheLibrary(text: string): void {
  const simple = readSimple(text);
  if (simple === undefined) return;
  expect(described(simple), text).toEqual(described(parseYaml("file.yaml", MARK + text).root, MARK.length));
}

test("every correct playbook is simple", () => {
  expect(CORRECT.filter((path) => readSimple(readFileSync(path, "utf8")) === undefined)).toEqual([]);
});

test("what is read simply is read as the library reads it", () => {
  for (const text of TEXTS) readsAsTheLibrary(text);
});

const SCRAPS =
  " |  |\n|\n  |- |-|: |:|#| #|\"|'|[|]|{|}|,|, |~|null|True|0x1|1.|.5|+1|-1e5|01|\\|\\n|\\x41|>-|> |>-\n|&a |*a|!t |?|? |%|@|`|é|$|a: b|\n- |\nk: v|\n    |# c\n|''|=|<<: |(|!|\t|\u00a0|\u2003|...|---|\r\n|__proto__: 1|\u0000".split(
    "|",
  );

test("what is spoilt is read as the library reads it, or left to it", () => {
  const spoilt = fc
    .tuple(
      fc.constantFrom(...TEXTS),
      fc.array(fc.tuple(fc.nat(), fc.constantFrom("", ...SCRAPS), fc.constantFrom(0, 0, 1, 2, 5)), {
        minLength: 1,
        maxLength: 3,
      }),
    )
    .map(([text, edits]) =>
      edits.reduce((before, [place, scrap, left]) => {
        const at = place % (before.length + 1);
        return before.slice(0, at) + scrap + before.slice(at + left);
      }, text),
    );
  fc.assert(fc.property(spoilt, readsAsTheLibrary), { numRuns: RUNS, seed: SEED });
});

test.each([
  ["a quoted key", '"a": 1'],
  ["a text over lines", "a: b\n  c"],
  ["brackets over lines", "a: [1,\n  2]"],
  ["an anchor", "a: &b 1"],
  ["a key twice", "a: 1\na: 2"],
  ["a forbidden key", "constructor: 1"],
  ["a tab", "a:\t1"],
  ["two documents", "a: 1\n---\nb: 2"],
  ["an empty line in a folded text", "a: >-\n  b\n\n  c\n"],
  ["a folded text that is not indented", "a:\n  b: >-\n  c\n"],
  ["a number that is none to JSON", "a: 0x10"],
  ["a deep one", `a: ${"[".repeat(70)}${"]".repeat(70)}`],
  ["a wide margin", `a:\n${" ".repeat(300)}b: 1`],
  ["nothing", "# nothing\n"],
])("%s is left to the library", (_, text) => {
  expect(readSimple(text)).toBeUndefined();
});
