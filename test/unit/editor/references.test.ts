import { expect, test } from "vitest";
import { quickFixOf } from "../../../src/editor/quick-fix.ts";
import { RenameRefused, renameStep, stepUses } from "../../../src/editor/references.ts";
import { cursorIn, folderOf } from "./cursor.ts";

const files = folderOf({});
const BOOK = `playbook: 1
name: "steps.a is only text here"
steps:
  - id: a
    uses: ledger.token.list
  - id: ab
    uses: ledger.token.list
    if: size(steps.a.response) > 0 && steps.a.outcome == "ok"
    expect: [steps.ab.outcome == "ok", 'response.exists(a, a.name == "a")']
checks:
  - read: ledger.token.list
    that: size(steps["a"].response) == size(response)
outputs:
  all: "\${{ steps.a.response }} and \${{ steps.ab.outcome }}"
`;
const SOUND = BOOK.replace("${{ steps.a.response }} and ", "${{ steps.a.outcome }} and ");

/** Returns the uses of the step to which `marked` belongs. A `|` in `marked` is the cursor. */
function usesAt(marked: string, book = SOUND): ReturnType<typeof stepUses> {
  const { file, offset } = cursorIn(book.replace(marked.replace("|", ""), marked));
  return stepUses(file, offset, files);
}

function lines(found: ReturnType<typeof stepUses>): readonly (number | undefined)[] {
  return [found?.declaration, ...(found?.uses ?? [])].map((range) => SOUND.slice(0, range?.start).split("\n").length);
}

test.for(["id: a|\n", "(steps.|a.resp", "steps.a|.outcome =="])("the editor finds the uses of a step from %s", (marked) => {
  const found = usesAt(marked);
  expect(found?.id).toBe("a");
  expect(lines(found)).toEqual([4, 8, 8, 12, 14]);
});

test.for(["id: ab|", "[steps.ab|.out"])("two steps with similar ids have their own uses: %s", (marked) => {
  expect(lines(usesAt(marked))).toEqual([6, 9, 14]);
});

test.for(['name: "ste|ps', "exists(a|,", "ste|ps.ab", "ledger.tok|en", "steps.a.res|ponse"])(
  "the editor finds no step at %s",
  (marked) => {
    expect(usesAt(marked)).toBeUndefined();
  },
);

function renamed(to: string, book = SOUND): string {
  const file = { path: "book.yaml", text: book };
  const uses = stepUses(file, book.indexOf("id: a\n") + 4, files);
  if (uses === undefined) throw new Error("no step");
  return renameStep(file, uses, to, files).reduceRight(
    (text, { start, end }) => text.slice(0, start) + to + text.slice(end),
    book,
  );
}

test("a rename changes every use of the step in expressions, and nothing else", () => {
  expect(renamed("first")).toBe(
    SOUND.replace("id: a\n", "id: first\n")
      .replace("steps.a.response", "steps.first.response")
      .replace("steps.a.outcome", "steps.first.outcome")
      .replace('steps["a"]', 'steps["first"]')
      .replace("steps.a.outcome }}", "steps.first.outcome }}"),
  );
});

test.for(["ab", "Not An Id", "in", ""])("a rename to %j is refused", (to) => {
  expect(() => renamed(to)).toThrow(RenameRefused);
});

test("a rename is refused in a playbook with mistakes, and if a use has no exact place", () => {
  expect(() => renamed("first", BOOK)).toThrow(/fix them first/);
  expect(() => renamed("first", SOUND.replace('all: "', 'all: "\\"'))).toThrow(/by hand/);
});

test.for([
  ['did you mean "steps"?', "stps", "steps"],
  ['did you mean "ledger.token.get"?', '"ledger.tokn.get"', '"ledger.token.get"'],
  ["write ==", "=", "=="],
] as const)("the suggestion %s becomes a quick fix of %s", ([suggestion, marked, text]) => {
  expect(quickFixOf({ code: "expression.syntax", suggestion }, marked)?.text).toBe(text);
});

test.for([
  ['did you mean "steps"?', "two words"],
  ["use it in a later step, or move it up", "steps.a"],
] as const)("the suggestion %s becomes no quick fix of %s", ([suggestion, marked]) => {
  expect(quickFixOf({ code: "playbook.unknown-step", suggestion }, marked)).toBeUndefined();
});

test.for([
  ['did you mean "ledger.token.mint"?', "token.mint", "ledger.token.mint"],
  ['did you mean "amount"?', '"amuont"', '"amount"'],
  ['did you mean "amount"?', "data/wrong-header.csv", undefined],
  ['did you mean "amount"?', "{", undefined],
] as const)("the suggestion %s becomes a quick fix of %s only if that text is misspelt", ([suggestion, marked, text]) => {
  expect(quickFixOf({ code: "playbook.input-content", suggestion }, marked)?.text).toBe(text);
});
