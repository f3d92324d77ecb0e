import { expect, test } from "vitest";
import { definition } from "../../../src/editor/definition.ts";
import { hover } from "../../../src/editor/hover.ts";
import { cursorIn, folderOf } from "./cursor.ts";

const PART = `playbook: 1
name: A part
inputs:
  amount: { type: decimal, description: How much. }
steps: [{ id: s, uses: ledger.status }]
outputs:
  total: "\${{ inputs.amount }}"
`;
const files = folderOf({ "parts/part.yaml": PART });

const BOOK = `playbook: 1
name: Edited
inputs:
  shares: { type: decimal, default: "1", description: How many shares. }
  rows: { type: list, default: [], items: { type: object, properties: { holder: { type: string } } } }
actors:
  issuer: { ledger: "userId:alice" }
defaults: { as: issuer }
steps:
  - id: token
    name: Look at the token
    uses: ledger.token.get
    with: { id: "\${{ run.key }}" }
    expect: [response.totalSupply == inputs.shares, size(response.owners) > 0]
  - id: mint
    if: steps.token.response.name.startsWith("x")
    as: issuer
    uses: ledger.token.mint
    with: { id: t1, to: "\${{ actors.issuer }}", value: "1" }
  - id: loop
    foreach: { row: "\${{ inputs.rows.filter(r, r.holder != \\"a\\") }}", key: row.holder }
    uses: ledger.token.get
    with: { id: "\${{ row.holder }}" }
  - uses: ledger.token.burn
    with: { id: t1, from: "\${{ actors.issuer }}", value: "1" }
    fails: { condition: Access Denied }
  - id: part
    uses: ./parts/part.yaml
    with: { amount: 1 }
outputs:
  total: "\${{ steps.part.outputs.total }}"
  receipt: "\${{ steps.mint.receipt.status }}"
`;

/** Returns the book with the cursor in the middle of the last word of `before`. The text `after` must follow that word. */
function at(before: string, after = ""): ReturnType<typeof cursorIn> {
  const found = BOOK.indexOf(before + after);
  if (found < 0) throw new Error(`the book has no ${before}${after}`);
  const offset = found + before.length - 1;
  return { file: { path: "book.yaml", text: BOOK }, offset };
}

function words(before: string, after = ""): string | undefined {
  const { file, offset } = at(before, after);
  return hover(file, offset, files)?.words;
}

test.for([
  ["response.totalSupply", "", ["response.totalSupply: decimal"]],
  ["inputs.shares", "", ["inputs.shares: decimal", "How many shares."]],
  ["inputs", ".shares", ["inputs: Inputs", "`shares`: decimal, How many shares."]],
  ["steps.token", "", ["steps.token", "Look at the token (ledger.token.get)", "`response`: Token"]],
  ["steps.mint.receipt", "", ["receipt", "may have been skipped"]],
  ["size", "(", ["size(list<any>): int", "How many items"]],
  ["startsWith", "", ["string.startsWith(string): bool"]],
  ["actors.issuer", "", ["actors.issuer"]],
  ["row.holder", " }}", ["row.holder: string"]],
  ["r.holder", " !=", ["r.holder: string"]],
  [
    "uses: ledger.token.mint",
    "",
    ["ledger.token.mint", "write (additive)", "sent again automatically only when", "steps.ID.receipt"],
  ],
  ["condition: Access Den", "ied", ["**access denied**: listed by the service description"]],
  ["as: issuer", "\n", ["acts as userId:alice"]],
  ["./parts/part.yaml", "", ["**A part** (parts/part.yaml)", "`amount`: decimal, How much.", "`total`"]],
] as const)("a hover explains %s", ([before, after, expected]) => {
  const explained = words(before, after);
  for (const part of expected) expect(explained).toContain(part);
});

test.for(["name: Edi", "playbook", "  - id: tok", '"\\"a', "amount: 1"])("a hover shows nothing at %s", (before) => {
  expect(BOOK.includes(before) ? words(before) : undefined).toBeUndefined();
});

test("a hover marks the word under the cursor", () => {
  const { file, offset } = at("steps.token");
  const range = hover(file, offset, files)?.range;
  expect(file.text.slice(range?.start, range?.end)).toBe("token");
});

function target(before: string, after = ""): string | undefined {
  const { file, offset } = at(before, after);
  const found = definition(file, offset, files);
  if (found === undefined) return undefined;
  const text = found.path === "book.yaml" ? BOOK : PART;
  const line = text.slice(0, found.start).split("\n").length;
  return `${found.path}:${line} ${text.slice(found.start, found.end)}`;
}

test.for([
  ["steps.token", "", "book.yaml:10 token"],
  ["steps.token.response", "", "book.yaml:10 token"],
  ["inputs.shares", "", "book.yaml:4 shares"],
  ["actors.issuer", "", "book.yaml:7 issuer"],
  ["as: issuer", "\n", "book.yaml:7 issuer"],
  ["defaults: { as: issuer", "", "book.yaml:7 issuer"],
  ["row", ".holder }}", "book.yaml:21 row"],
  ["key: row", "", "book.yaml:21 row"],
  ["./parts/part.yaml", "", "parts/part.yaml:1 "],
  ["steps.part.outputs.total", "", "parts/part.yaml:7 total"],
  ["run.key", "", undefined],
  ["ledger.token.mint", "", undefined],
] as const)("the editor finds the definition of %s%s", ([before, after, expected]) => {
  expect(target(before, after)).toBe(expected);
});

test.for([
  ["behind the cursor on its line", 'steps:\n  - { if: "steps.on|e.outcome == 1", id: two }\n  - { id: one }\n'],
  ["before it", "steps:\n  - id: one\n    uses: ledger.status\n    wi\n  - { if: steps.on|e, uses: ledger.status, id: two }\n"],
  ["on the same line", 'steps: [{ uses: ledger.token.get, with: { id: "${{ steps.on|e" } }, { id: one, uses: ledger.status }]\n'],
] as const)("the editor finds a definition in a broken document: %s", ([, marked]) => {
  const { file, offset } = cursorIn(`playbook: 1\n${marked}`);
  const found = definition(file, offset, files);
  expect(file.text.slice(found?.start, found?.end)).toBe("one");
});
