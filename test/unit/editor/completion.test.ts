import { expect, test } from "vitest";
import { cel } from "../../../src/expression/cel.ts";
import { complete, type Offer } from "../../../src/editor/completion.ts";
import { functionsOn } from "../../../src/editor/functions.ts";
import { cursorIn, folderOf } from "./cursor.ts";

const HEAD = `playbook: 1
name: Edited
inputs:
  shares: { type: decimal, default: "1", description: How many shares. }
  rows: { type: list, default: [], items: { type: object, properties: { holder: { type: string }, amount: { type: decimal } } } }
actors:
  issuer: { ledger: "userId:alice" }
  buyer: { investor: BUYER_KEY }
  board: [{ ledger: "userId:bob" }]
defaults: { as: issuer }
steps:
  - id: token
    name: Look at the token
    uses: ledger.token.get
    with: { id: t1 }
  - id: mint
    if: inputs.shares > 1
    uses: ledger.token.mint
    with: { id: t1, to: "\${{ actors.issuer }}", value: "1" }
  - id: part
    uses: ./parts/part.yaml
`;

const TAIL = `
  - id: later
    uses: ledger.token.list
    expect: [size(response) > 0]
`;

const files = folderOf({
  "parts/part.yaml":
    'playbook: 1\nname: Part\nsteps: [{ id: s, uses: ledger.status }]\noutputs: { text: "a", number: "${{ 1 + 1 }}" }\n',
  "parts/other.yaml": "playbook: 1\n",
  "parts/notes.txt": "",
  "tokenbook.yaml": "environments: {}\n",
  "book.yaml": "",
});

function offers(step: string, head = HEAD, tail = TAIL): readonly Offer[] {
  const { file, offset } = cursorIn(head + step + tail);
  return complete(file, offset, files);
}

const labels = (step: string, tail = TAIL): readonly string[] => offers(step, HEAD, tail).map(({ label }) => label);
const names = (step: string, tail = TAIL): readonly string[] =>
  offers(step, HEAD, tail)
    .filter(({ kind }) => kind !== "function")
    .map(({ label }) => label);

const STEP = "  - id: here\n    uses: ledger.token.get\n";
const ROOTS = ["inputs", "env", "secrets", "actors", "run", "steps"];
const RAN = ["token", "mint", "part"];

test.for([
  ["an empty condition", `${STEP}    if: |`, ROOTS],
  ["the beginning of a name", `${STEP}    if: in|`, ROOTS],
  ["an empty expression", `${STEP}    with: { id: "\${{ | }}" }`, ROOTS],
  ["an answer, where there is one", `${STEP}    expect: [|]`, [...ROOTS, "response"]],
  ["steps that have run", `${STEP}    if: steps.|`, RAN],
  ["steps, in the middle of a name", `${STEP}    if: steps.to|ken.response.name == "x"`, RAN],
  ["the step itself, once it has its answer", `${STEP}    expect: steps.|`, [...RAN, "here"]],
  ["steps, in an output", `${STEP}    with: { id: x }\noutputs: { a: "\${{ steps.| }}" }`, [...RAN, "here"]],
  ["fields of a read", `${STEP}    if: steps.token.|`, ["response", "outcome"]],
  ["fields of a write", `${STEP}    if: steps.mint.|`, ["response", "outcome", "receipt", "transactionId"]],
  ["fields of an included playbook", `${STEP}    if: steps.part.|`, ["outcome", "outputs"]],
  ["outputs of an included playbook", `${STEP}    if: steps.part.outputs.|`, ["text", "number"]],
  ["inputs", `${STEP}    if: inputs.|`, ["shares", "rows"]],
  ["actors", `${STEP}    with: { id: "\${{ actors.| }}" }`, ["issuer", "buyer", "board"]],
  ["the run", `${STEP}    if: run.|`, ["id", "key", "startedAt"]],
  ["an item of a list", `${STEP}    if: inputs.rows[0].|`, ["holder", "amount"]],
  ["what a comprehension looks at", `${STEP}    if: inputs.rows.exists(r, r.|`, ["holder", "amount"]],
  ["the same behind something wrong", `${STEP}    if: nope > 1 && inputs.rows.exists(r, r.|)`, ["holder", "amount"]],
  ["the same in a call", `${STEP}    if: sum(inputs.rows.map(r, r.|`, ["holder", "amount"]],
  ["the name of a comprehension", `${STEP}    if: inputs.rows.exists(r, |`, ["r", ...ROOTS]],
  ["the other half of a choice", `${STEP}    if: inputs.shares > 1 ? run.|`, ["id", "key", "startedAt"]],
  ["an item of a loop", `${STEP}    foreach: { row: "\${{ inputs.rows }}", key: row.| }`, ["holder", "amount"]],
  [
    "the name of a loop",
    `${STEP}    foreach: { row: "\${{ inputs.rows }}", key: row.holder }\n    with: { id: "\${{ row| }}" }`,
    [...ROOTS, "row"],
  ],
  [
    "the record that was found",
    "  - id: here\n    uses: ledger.token.mint\n    discover:\n      read: ledger.token.list\n      one: response\n      outputs: { a: | }",
    [...ROOTS, "response", "one"],
  ],
  ["a check's answer", `${STEP}    with: { id: x }\nchecks: [{ read: ledger.status, that: r|`, [...ROOTS, "response"]],
  ["what is conserved", `${STEP}    with: { id: x }\nchecks: [{ conserve: { token: "\${{ steps.| }}" } }]`, [...RAN, "here"]],
] as const)("the editor suggests names: %s", ([, step, expected]) => {
  expect(names(step, /^(?:outputs|checks):/m.test(step) ? "\n" : TAIL)).toEqual(expected);
});

test.for([
  ["no end, no quote", '    with: { id: "${{ steps.|'],
  ["no end", '    with: { id: "${{ steps.|" }'],
  ["no quote", '    with: { id: "${{ steps.| }}'],
  ["no bracket", '    with: { id: "${{ steps.| }}"'],
  ["single quotes", "    with: { id: '${{ steps.|"],
  ["no quotes in brackets", "    with: { id: ${{ steps.| }} }"],
  ["no quotes, no end in brackets", "    with: { id: ${{ steps.|"],
  ["more behind it", '    with: { id: "${{ steps.|, other: 1 }'],
  ["no quotes", "    with:\n      id: ${{ steps.|"],
  ["text before it", '    with: { id: "a ${{ inputs.shares }} b ${{ steps.|" }'],
  ["escapes", '    with: { id: "\\"a\\" ${{ steps.| }}" }'],
  ["folded text", "    with:\n      id: >-\n        a b\n        ${{ steps.| }} c"],
  ["a word before the line", "    wi\n    if: steps.|"],
  ["a word behind the line", "    if: steps.|\n    wi"],
  ["an unknown field elsewhere", "    bogus: 1\n    if: steps.|"],
  ["a key twice", "    id: again\n    if: steps.|"],
  ["an open bracket elsewhere", "    if: steps.|\n    with: { id: x"],
] as const)("the editor suggests names in a broken document: %s", ([, lines]) => {
  expect(names(`${STEP}${lines}`)).toEqual(RAN);
});

test.for([
  ["nothing as yet", "  - id: here\n    if: steps.|"],
  ["the beginning of an operation", "  - id: here\n    uses: ledger.tok\n    if: steps.|"],
  ["no value", "  - id: here\n    uses:\n    if: steps.|"],
  ["a playbook that is not there", '  - id: here\n    uses: ./none.yaml\n    with: { a: "${{ steps.|" }'],
  ["nothing, in brackets", "  - { id: here, if: steps.|"],
] as const)("the editor suggests names in a step without an action: %s", ([, step]) => {
  expect(names(step)).toEqual(RAN);
});

test.for([
  ["a key", `${STEP}    i|f: true`],
  ["a comment", `${STEP}    # steps.|`],
  ["plain text", `${STEP}    name: steps.|`],
  ["text in an expression", `${STEP}    if: steps.token.outcome == "o|"`],
  ["a number", `${STEP}    if: inputs.shares > 1|`],
] as const)("the editor suggests nothing in %s", ([, step]) => {
  expect(labels(step)).toEqual([]);
});

test("within a repeated block a step is the one of the same round, and outside it is a map of rounds", () => {
  const block = `  - id: all
    foreach: { row: "\${{ inputs.rows }}", key: row.holder }
    block:
      - id: inner
        uses: ledger.token.get
        with: { id: x }
      - id: next
        uses: ledger.token.get
        if: steps.inner.|
`;
  expect(names(block)).toEqual(["response", "outcome"]);
  const after = block.replace("steps.inner.|", "true").replace("if: true", "with: { id: y }");
  expect(labels(`${after}${STEP}    if: steps.inner.|`)).toContain("exists");
});

test("the expression `one` of a `discover` knows the fields of its read", () => {
  const found = names(
    "  - id: here\n    uses: ledger.token.mint\n    discover:\n      read: ledger.token.list\n      one: response.filter(r, r.|",
  );
  expect(found).toEqual(expect.arrayContaining(["name", "totalSupply"]));
});

test("the editor suggests the functions that fit the value, with their signatures", () => {
  expect(labels(`${STEP}    if: |`)).toEqual(expect.arrayContaining(["sum", "decimal", "re2", "date", "size", "has"]));
  expect(labels(`${STEP}    if: inputs.rows.|`)).toEqual(expect.arrayContaining(["size", "filter", "map", "exists"]));
  expect(labels(`${STEP}    if: inputs.rows.|`)).not.toContain("startsWith");
  expect(labels(`${STEP}    if: run.id.|`)).toEqual(expect.arrayContaining(["startsWith", "size", "split"]));
  expect(labels(`${STEP}    if: date(run.startedAt).|`)).toContain("getFullYear");
  expect(labels(`${STEP}    if: inputs.shares.|`)).toEqual([]);
  const sum = offers(`${STEP}    if: su|`).find(({ label }) => label === "sum");
  expect(sum).toMatchObject({ detail: "sum(list<any>): decimal" });
  expect(sum?.documentation()).toContain("exact sum");
});

test("every described function exists in expressions", () => {
  const described = [...functionsOn(undefined), ...functionsOn("dyn")];
  const known = new Set(cel.getDefinitions().functions.map(({ name }) => name));
  expect(described.length).toBeGreaterThan(30);
  for (const { name, description, signatures } of described) {
    expect(known).toContain(name);
    expect(description).not.toBe("");
    expect(signatures).not.toEqual([]);
  }
  expect(described.map(({ name }) => name)).not.toContain("matches");
});

test("the editor suggests operations after `uses`, and reads after `read`, each with its page", () => {
  const all = offers("  - id: here\n    uses: |");
  expect(all).toHaveLength(67);
  const mint = all.find(({ label }) => label === "ledger.token.mint");
  expect(mint).toMatchObject({ kind: "operation", detail: expect.stringContaining("write: ") });
  expect(mint?.documentation()).toContain("additive");
  const reads = labels("  - id: here\n    uses: ledger.token.mint\n    ensure: { read: ledger.| }");
  expect(reads).toContain("ledger.token.get");
  expect(reads).not.toContain("ledger.token.mint");
});

test("a suggestion replaces the whole name of an operation", () => {
  const { file, offset } = cursorIn(`${HEAD}  - id: here\n    uses: ledger.tok|en\n`);
  const [first] = complete(file, offset, files);
  expect(file.text.slice(first?.replaces.start, first?.replaces.end)).toBe("ledger.token");
});

test("the editor suggests actors after `as`, without groups, which cannot act", () => {
  expect(offers(`${STEP}    as: |`).map(({ label, detail }) => `${label} ${detail}`)).toEqual([
    "issuer userId:alice",
    "buyer key BUYER_KEY",
  ]);
});

test("the editor suggests the conditions of refusals, and a suggestion replaces the whole condition", () => {
  const { file, offset } = cursorIn(
    `${HEAD}  - id: here\n    uses: ledger.asset.create\n    fails: { condition: "asset al|ready" }\n`,
  );
  const found = complete(file, offset, files);
  expect(found.map(({ label }) => label)).toContain("asset already exists");
  expect(file.text.slice(found[0]?.replaces.start, found[0]?.replaces.end)).toBe("asset already");
  expect(offers("  - id: here\n    uses: ledger.token.mint\n    fails: { status: 422, condition: mint| }\n")).toContainEqual(
    expect.objectContaining({ label: "mint quantity exceeded", detail: "of the sandbox; your service may use other words" }),
  );
});

test("the editor suggests playbooks and folders after `./`, without the playbook itself and tokenbook.yaml", () => {
  expect(labels("  - id: here\n    uses: ./|")).toEqual(["./parts/"]);
  expect(labels("  - id: here\n    uses: ./parts/p|")).toEqual(["./parts/other.yaml", "./parts/part.yaml"]);
});

test("a suggestion replaces the whole path, whatever letters and spaces it has", () => {
  const inside = folderOf({ "große teile/teil.yaml": "" });
  const { file, offset } = cursorIn(`${HEAD}  - id: here\n    uses: ./große teile/te|\n`);
  const [first] = complete(file, offset, inside);
  expect(first?.label).toBe("./große teile/teil.yaml");
  expect(file.text.slice(first?.replaces.start, first?.replaces.end)).toBe("./große teile/te");
});

test.for(["", "tokenbook/|", "tokenbook/mi|nt.yaml"])(
  "the editor suggests the playbooks of the library after `uses`: %s",
  (typed) => {
    const { file, offset } = cursorIn(`${HEAD}  - id: here\n    uses: ${typed || "|"}\n`);
    const shipped = { names: ["tokenbook/mint.yaml"], read: () => undefined };
    expect(complete(file, offset, { ...files, shipped }).map(({ label }) => label)).toContain("tokenbook/mint.yaml");
  },
);

test("a suggestion that can have no value shows the condition to check first", () => {
  const receipt = offers(`${STEP}    if: steps.mint.|`).find(({ label }) => label === "receipt");
  expect(receipt?.documentation()).toContain("may have been skipped");
  expect(receipt?.documentation()).toContain('steps.mint.outcome != "skipped"');
});

test("a suggested field has its description from the contract", () => {
  const supply = offers(`${STEP}    if: steps.token.response.|`).find(({ label }) => label === "totalSupply");
  expect(supply).toMatchObject({ detail: "decimal" });
  expect(supply?.documentation()).toMatch(/\w+ \w+/);
  const [shares] = offers(`${STEP}    if: inputs.|`);
  expect(shares?.documentation()).toBe("How many shares.");
});
