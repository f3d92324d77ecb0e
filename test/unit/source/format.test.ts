import { globSync, readFileSync } from "node:fs";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { playbookOrder } from "../../../src/playbook/keywords/key-order.ts";
import { formatYaml } from "../../../src/source/format.ts";
import { toJson } from "../../../src/source/node.ts";
import { parseYaml } from "../../../src/source/parse.ts";

function formatted(text: string): string {
  const result = formatYaml("a.yaml", text, playbookOrder);
  if ("refused" in result) throw new Error(result.refused);
  return result.text;
}

test.for<[string, string, string]>([
  ["indentation becomes two spaces", "a:\n     b:\n      - c\n", "a:\n  b:\n    - c\n"],
  ["lists are inside of their key", "a:\n- b\n- c\n", "a:\n  - b\n  - c\n"],
  ["brackets get their spaces", 'a: {b:   [ 1,2 ], "c":3}\n', 'a: { b: [1, 2], "c": 3 }\n'],
  ["brackets over several lines that fit become one", "a: [\n  1,\n  2\n]\n", "a: [1, 2]\n"],
  ["empty brackets stay", "a: { }\nb: [\n]\n", "a: {}\nb: []\n"],
  ["one empty line is kept, more become one", "\n\na: 1\n\n\n\nb: 2\n\n\n", "a: 1\n\nb: 2\n"],
  ["an empty line below a key goes", "a:\n\n  b: 1\n", "a:\n  b: 1\n"],
  ["numbers keep their digits", "a: 1.0\nb: [1.50, 1e3, -0, 12345678901234567890.50]\n", ""],
  ["quotes stay as they were", "a: 'it''s'\nb: \"1\"\nc: \"\\u00e9\\/\"\nd: '${{ x }}'\n", ""],
  ["what is null stays written as it was", "a:\nb: ~\nc: null\nd: [~, null]\ne:\n  -\n  - x\n", ""],
  ["a long text is never broken", `a: ${"word ".repeat(60)}end\n`, ""],
  ["a text over several lines keeps them", "a: one\n      two\n\n      three\n", "a: one\n  two\n\n  three\n"],
  ["an escaped line end stays one", 'a: "one \\\n      \\  two"\n', 'a: "one \\\n  \\  two"\n'],
  [
    "a block text keeps its lines",
    "a: |\n      one\n        two\n\n      three\nb: >-\n  x\n  y\n",
    "a: |\n  one\n    two\n\n  three\nb: >-\n  x\n  y\n",
  ],
  ["a block text keeps the indentation that its header gives", "a:\n    b: |2\n         one\n", "a:\n  b: |2\n       one\n"],
  [
    "a block text may begin with a tab, and end in spaces",
    "a: |\n    \tx\n      \n\nb: |\n  \u00a0y\n",
    "a: |\n  \tx\n    \n\nb: |\n  \u00a0y\n",
  ],
  ["only spaces and tabs are indentation", "a: x\n     \u00a0y\n", "a: x\n  \u00a0y\n"],
  ["a comment ends with its line, not with a sign that JavaScript takes for one", "a:  1 # c\u2028 d\n", "a: 1 # c\u2028 d\n"],
  ["the empty lines that end a text stay", "a: |+\n  x\n\n\nb: 1\n", ""],
  [
    "comments stay at what they are about",
    "# one\n\n# two\na:   # three\n    # four\n    b: 1 # five\n\n    # six\n# seven\nc: 2\n# eight\n",
    "# one\n\n# two\na: # three\n  # four\n  b: 1 # five\n\n  # six\n# seven\nc: 2\n# eight\n",
  ],
  [
    "a comment in brackets opens them",
    "a: [ # one\n  1, # two\n  2\n  # three\n]\n",
    "a:\n  # one\n  - 1 # two\n  - 2\n  # three\n",
  ],
  ["a comment in empty brackets is above", "a: [ # none\n]\n", "# none\na: []\n"],
  [
    "a comment behind brackets that open is at their key",
    `a: {b: "${"x".repeat(130)}"} # c\n`,
    `a: # c\n  b: "${"x".repeat(130)}"\n`,
  ],
  ["the marker of the document goes", "---\na: 1\n...\n", "a: 1\n"],
  ["line ends stay of their kind", "a:  1\r\n\r\n\r\n# c\r\nb: 2\r\n", "a: 1\r\n\r\n# c\r\nb: 2\r\n"],
  ["a text alone is left alone", "  x\n", ""],
])("%s", ([, text, wanted]) => {
  expect(formatted(text)).toBe(wanted === "" ? text : wanted);
});

test("brackets that do not fit on a line are split, outer ones first", () => {
  const field = (name: string): string => `${name}: { one: ${"1".repeat(20)}, two: ${"2".repeat(20)} }`;
  expect(formatted(`a: { ${[field("b"), field("c"), field("d")].join(", ")} }\n`)).toBe(
    `a:\n  ${[field("b"), field("c"), field("d")].join("\n  ")}\n`,
  );
});

test("the keys of a playbook and of its steps are put in order, with their comments", () => {
  const text = `outputs: { t: "1" }
steps:
  # a read
  - with: { z: 1, a: 2 } # in this order
    # what is called
    uses: ledger.status
    unknown: 1
    id: a # its name

    # at the end
playbook: 1 # the version
`;
  expect(formatted(text)).toBe(`playbook: 1 # the version
steps:
  # a read
  - id: a # its name
    # what is called
    uses: ledger.status
    with: { z: 1, a: 2 } # in this order
    unknown: 1

    # at the end
outputs: { t: "1" }
`);
});

test.for<[string, string]>([
  ["a: &x 1\nb: 2\n", "line 1 has the anchor &x"],
  ["a: 1\n? b\n  c\n: 2\n", "line 2 has a key that is empty or goes over several lines"],
  ["a: [1\n", "it cannot be read"],
])("%j is refused: %s", ([text, why]) => {
  expect(formatYaml("a.yaml", text, () => undefined)).toEqual({ refused: expect.stringContaining(why) });
});

const files = [...globSync("playbooks/**/*.yaml"), ...globSync("test/faulty/*.yaml")].toSorted();
const parsed = files.filter((file) => parseYaml(file, readFileSync(file, "utf8")).root !== undefined);

// Finds comments without our own reader: a # at the start of a line or after a space, with no quote before it on that line.
function plainComments(text: string): readonly string[] {
  return [...text.matchAll(/^[^"'#]*?(?:^|[ \t])(#.*)$/gm)].map(([, comment = ""]) => comment.trimEnd()).toSorted();
}

function holds(text: string): void {
  const once = formatted(text);
  expect(formatted(once)).toBe(once);
  const [before, after] = [text, once].map((each) => parseYaml("a.yaml", each).root);
  expect(after && JSON.stringify(toJson(after), sortedKeys)).toEqual(before && JSON.stringify(toJson(before), sortedKeys));
  expect(once).not.toMatch(/\n\n\n|[ \t]\n|\t/);
}

function sortedKeys(_: string, value: unknown): unknown {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

test.for(parsed)("%s keeps its meaning and its comments when it is formatted, and a second time changes nothing", (file) => {
  const text = readFileSync(file, "utf8");
  holds(text);
  expect(plainComments(formatted(text))).toEqual(plainComments(text));
});

test("most files of the corpus can be read", () => {
  expect(parsed.length).toBeGreaterThan(90);
});

const SEED = 20_261_121;
// FUZZ_RUNS=1500 tests more.
const RUNS = Number(process.env["FUZZ_RUNS"] ?? 300);
const SCRAPS = [
  "\n",
  "\n\n\n",
  "# c\n",
  "  # d\n",
  "      # e\n",
  " # f",
  "|\n",
  "|+\n",
  ">-\n",
  "|2-\n",
  "- ",
  "- - ",
  "? ",
  "~",
  "{}",
  "[]",
  "[",
  "]",
  ", ",
  ": ",
  "\r\n",
  "  ",
  "'",
  "\\",
  "key:\n",
];
const place = fc.nat({ max: 999_999 }).map((at) => at / 1_000_000);
const change = fc.oneof(
  fc.tuple(place, fc.constantFrom(...SCRAPS)).map(
    ([at, scrap]) =>
      (text: string) =>
        spliced(text, at, 0, scrap),
  ),
  fc.tuple(place, fc.nat({ max: 20 })).map(
    ([at, length]) =>
      (text: string) =>
        spliced(text, at, length, ""),
  ),
  fc.tuple(place, fc.constantFrom(...SCRAPS)).map(([at, scrap]) => (text: string) => {
    const lines = text.split("\n");
    return lines.toSpliced(Math.floor(at * lines.length), 0, scrap).join("\n");
  }),
);

function spliced(text: string, at: number, length: number, insert: string): string {
  const start = Math.floor(at * text.length);
  return text.slice(0, start) + insert + text.slice(start + length);
}

test(`spoiled playbooks that can still be read keep their meaning (seed ${SEED})`, () => {
  const originals = globSync("playbooks/**/*.yaml").map((file) => readFileSync(file, "utf8"));
  let read = 0;
  fc.assert(
    fc.property(fc.constantFrom(...originals), fc.array(change, { minLength: 1, maxLength: 4 }), (original, changes) => {
      const text = changes.reduce((spoiled, each) => each(spoiled), original);
      if (parseYaml("a.yaml", text).root === undefined) return;
      const result = formatYaml("a.yaml", text, playbookOrder);
      if ("refused" in result) {
        expect(result.refused).toMatch(/has a key that is empty or goes over several lines/);
        return;
      }
      read += 1;
      const again = formatYaml("a.yaml", result.text, playbookOrder);
      expect(again).toEqual(result);
    }),
    { seed: SEED, numRuns: RUNS },
  );
  expect(read).toBeGreaterThan(RUNS / 8);
});
