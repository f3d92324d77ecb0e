import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { DECIMAL_FORM } from "../../../src/base/numbers/decimal.ts";
import { LIMITS } from "../../../src/base/limits.ts";
import { checkPlaybook, readBegun } from "../../../src/playbook/check.ts";
import { onlyStep, realFiles, saidOf, suggestionsOf } from "./helper.ts";

const MINT = "uses: ledger.token.mint\nwith: { id: T1, to: { userId: alice }, value: 5 }";
const APPROVAL =
  "uses: ledger.token.setApproval\nas: { ledger: key }\nwith: { tokenIds: [T1], operators: [{ userId: bob }], approved: true }";

// Where a value may have several shapes, the check must say exactly one sentence, about the shape that was meant.
test.for<[string, string]>([
  ["uses: ledger.status\nas: 5", 'schema.type "as" must be text, or a map of fields'],
  ["uses: ledger.status\nas: [issuer]", 'schema.type "as" must be text, or a map of fields'],
  ["uses: ledger.status\nas: {}", 'schema.size "as" must have at least 1 field'],
  ['uses: ledger.status\nas: { leger: "userId:a" }', 'schema.unknown-field unknown field "leger"'],
  ["uses: ledger.status\nas: { ledger: 5 }", 'schema.type "ledger" must be text'],
  [`${MINT}\nwait: never`, 'schema.type "wait" must be "none", or a map of fields'],
  [`${MINT}\nwait: 5s`, 'schema.type "wait" must be "none", or a map of fields'],
  [`${MINT}\nwait: { timeout: 5 }`, 'schema.type "timeout" must be a duration, such as 500ms, 30s, 5m, 2h or 1d'],
  [`${MINT}\nwait: { backoff: 0.5 }`, 'schema.range "backoff" must be at least 1'],
  ["uses: ledger.status\nexpect: 5", 'schema.type "expect" must be text, or a list'],
  ["uses: ledger.status\nexpect: []", 'schema.size "expect" must have at least 1 item'],
  ["uses: ledger.status\nexpect: ['true', 5]", 'schema.type item 2 of "expect" must be text'],
  ["uses: ledger.asset.list\npages: some", 'schema.type "pages" must be one of: all, first, or a whole number'],
  ["uses: ledger.asset.list\npages: 0", 'schema.range "pages" must be at least 1'],
  ["uses: ledger.asset.list\npages: 1.5", 'schema.type "pages" must be one of: all, first, or a whole number'],
  ["uses: ledger.asset.delete\nwith: { assetType: P, id: 5 }", 'schema.type "id" must be text, or a list'],
  ["uses: ledger.asset.delete\nwith: { assetType: P, id: [a, 5] }", 'schema.type item 2 of "id" must be text'],
])("%j: %s", ([step, said]) => {
  expect(saidOf(step)).toEqual([said]);
});

test("for an entity in place of an actor, the fix is the form for an entity", () => {
  expect(suggestionsOf("uses: ledger.status\nas: userId:alice")).toEqual(['as: { ledger: "userId:alice" }']);
});

test("a step waits as written, or as by default", () => {
  expect(onlyStep(MINT).wait).toEqual({ timeoutMs: 60_000, everyMs: 25, backoff: 1.5, maxMs: 2_000 });
  expect(onlyStep(`${MINT}\nwait: none`).wait).toBeUndefined();
  expect(onlyStep(`${MINT}\nwait: { timeout: 2m, every: 5s, backoff: 1 }`).wait).toEqual({
    timeoutMs: 120_000,
    everyMs: 5_000,
    backoff: 1,
    maxMs: 5_000,
  });
  const poll = onlyStep('uses: ledger.token.get\nwith: { id: T }\nuntil: response.name == "x"\ntimeout: 1h\non_timeout: pending');
  expect(poll).toMatchObject({ wait: { timeoutMs: 3_600_000, everyMs: 250 }, onTimeout: "pending" });
});

test("a step reads as many pages as the playbook says", () => {
  const pages = ["first", "7", "all"].map((number) => onlyStep(`uses: ledger.asset.list\npages: ${number}`).pages);
  expect(pages).toEqual([1, 7, LIMITS.pages]);
  expect(onlyStep("uses: ledger.asset.list").pages).toBe(LIMITS.pages);
});

test("a step without id and name is named by its place and its operation", () => {
  expect(onlyStep("uses: ledger.asset.stats")).toMatchObject({ id: "step1", line: 4 });
  expect(onlyStep("uses: ledger.asset.stats").name).not.toBe("");
});

test("the acting entity is known before the run, or is an expression", () => {
  const actors = 'actors: { a: { ledger: "userId:x:y" }, g: [{ ledger: "orgId:o" }] }';
  expect(onlyStep("uses: ledger.status\nas: a", actors).as).toEqual({
    kind: "identity",
    name: "a",
    identity: { ledger: "userId:x:y" },
  });
  expect(onlyStep('uses: ledger.status\nas: "${{ actors.g[0] }}"', actors).as).toMatchObject({ kind: "entity" });
  expect(onlyStep("uses: ledger.status", "defaults: {}").as).toBeUndefined();
});

const BY_NOBODY = "uses: ledger.asset.delete\nwith: { assetType: P, id: P1 }";

test("a write of the ledger needs an actor, which may be the key itself", () => {
  expect(saidOf(BY_NOBODY, "defaults: {}")).toEqual(["playbook.no-actor ledger.asset.delete writes, and nothing says who acts"]);
  expect(onlyStep(`${BY_NOBODY}\nas: { ledger: key }`).as).toEqual({ kind: "key" });
  const both = "defaults: { as: { ledger: key, investor: BUYER_KEY } }";
  expect(onlyStep(BY_NOBODY, both).as).toEqual({ kind: "key" });
  expect(onlyStep("uses: investor.sales.list", both).as).toMatchObject({ kind: "identity", identity: { investor: "BUYER_KEY" } });
  expect(saidOf("uses: investor.sales.list", "defaults: { as: { ledger: key } }")).toEqual([
    expect.stringContaining("playbook.actor-interface"),
  ]);
  expect(saidOf("uses: ledger.status\nas: desk", "actors: { desk: { ledger: key } }")).toEqual([
    expect.stringMatching(/^schema\.pattern .*ledger/),
  ]);
});

test.each([
  ["fails: { condition: left }", ""],
  ["as: { ledger: key }, wait: { every: 2s, max: 1s }", ""],
  ["as: { ledger: key }", "defaults: { as: nobody }"],
])("a run that has begun can read its playbook even if newer rules refuse it: %s %s", (field, head) => {
  const text = `playbook: 1\n${head}\nsteps:\n  - { uses: ledger.asset.delete, with: { assetType: P, id: P1 }, ${field} }\n`;
  expect(checkPlaybook("test.yaml", text).playbook).toBeUndefined();
  expect(readBegun("test.yaml", text, realFiles)?.steps).toHaveLength(1);
  expect(readBegun("test.yaml", text.replace("ledger.asset", "ledger.asst"), realFiles)).toBeUndefined();
});

test("a run that has begun can read its playbook even if newer rules refuse an expression", () => {
  const part = "secrets.PIN.substring(0, 4)";
  const text = `playbook: 1
secrets: { PIN: env:PIN }
steps:
  - { uses: ledger.asset.create, as: { ledger: key }, with: { assetType: P, data: { id: P1, pin: "\${{ ${part} }}" } } }
`;
  expect(checkPlaybook("test.yaml", text).playbook).toBeUndefined();
  const [step] = readBegun("test.yaml", text, realFiles)?.steps ?? [];
  expect(JSON.stringify(step?.kind === "call" ? step.with : undefined)).toContain(part);
});

test("the receipt of a step with `wait: none` does not exist", () => {
  const text = (wait: string): string => `playbook: 1
steps:
  - { id: gone, uses: ledger.asset.delete, as: { ledger: key }, with: { assetType: P, id: P1 }${wait} }
outputs: { status: "\${{ steps.gone.receipt.status }}" }
`;
  const messages = (wait: string): readonly string[] =>
    checkPlaybook("test.yaml", text(wait)).diagnostics.map(({ message }) => message);
  expect(messages(", wait: none")).toEqual(['with `wait: none`, the step "gone" does not read its receipt, so it never has one']);
  expect(messages("")).toEqual([expect.stringContaining('the write of "gone" may have no receipt')]);
});

test("a step that must be refused has its outcome and the refusal, and no answer", () => {
  const refused = "{ id: gone, uses: ledger.token.get, as: { ledger: key }, with: { id: T }, fails: { status: 404 } }";
  const textWith = (value: string): string => `playbook: 1\nsteps:\n  - ${refused}\noutputs: { value: "\${{ ${value} }}" }\n`;
  for (const field of ["outcome", "refusal"])
    expect(checkPlaybook("test.yaml", textWith(`steps.gone.${field}`)).diagnostics).toEqual([]);
  for (const field of ["response", "ensured", "receipt"]) {
    expect(checkPlaybook("test.yaml", textWith(`has(steps.gone.${field})`)).diagnostics).toMatchObject([
      { message: `steps.gone has no field "${field}"`, suggestion: "it has: outcome, refusal" },
    ]);
  }
  const inRounds = refused.replace("{ id", '{ foreach: { row: ["a"], key: row }, id');
  expect(checkPlaybook("test.yaml", textWith("steps.gone['a'].response").replace(refused, inRounds)).diagnostics).toMatchObject([
    { code: "expression.unknown-field" },
  ]);
  expect(readBegun("test.yaml", textWith("has(steps.gone.response)"), realFiles)?.steps).toHaveLength(1);
});

test("a run that has begun can read its playbook even if it compares an outcome with a wrong word", () => {
  const text = `playbook: 1
steps:
  - { id: asked, uses: ledger.status }
  - { uses: ledger.status, if: steps.asked.outcome != "faild" }
`;
  expect(checkPlaybook("test.yaml", text).playbook).toBeUndefined();
  expect(readBegun("test.yaml", text, realFiles)?.steps).toHaveLength(2);
});

test.each([
  ["batch-without-id", readFileSync("test/faulty/batch-without-id.yaml", "utf8")],
  ["discover-without-own-id", readFileSync("test/faulty/discover-without-own-id.yaml", "utf8")],
  ["reconcile-map-text", readFileSync("test/faulty/reconcile-map-text.yaml", "utf8")],
  [
    "field-of-rounds",
    `playbook: 1
steps:
  - { id: rounds, uses: ledger.status, foreach: { row: ["a"], key: row } }
  - { uses: ledger.status, if: has(steps.rounds.outcome) }
`,
  ],
])("a run that has begun can read its playbook even if a newer check refuses it: %s", (_name, text) => {
  expect(checkPlaybook("test.yaml", text).playbook).toBeUndefined();
  expect(readBegun("test.yaml", text, realFiles)).toBeDefined();
});

test.each([
  ["[0, 1]", "inputs.names[item]", "List index must be int, got 'decimal'"],
  ["[GOLD, SILVER]", "item > 3", "these types do not go together: string > int"],
  ["[true, false]", "item > 3", "these types do not go together: bool > int"],
])("the check knows the type of the items of the list %s", (list, condition, message) => {
  const step = `foreach: { item: ${list}, key: string(item) }\nuses: ledger.status\nexpect: ['string(${condition}) == "x"']`;
  expect(saidOf(step, "inputs: { names: { type: list } }")).toContain(`expression.ill-typed ${message}`);
});

test.each(['["1.5", "2"]', '["userId:bob"]', "[GOLD, 2]", "[null]", "[]"])(
  "items that may have another type than text have no type before the run: %s",
  (list) => {
    const step = `foreach: { item: ${list}, key: string(item) }\nuses: ledger.status\nexpect: [item > 3]`;
    expect(saidOf(step)).not.toContainEqual(expect.stringContaining("ill-typed"));
  },
);

test.for([
  ["a number in the place of a duration", `${MINT}\nwait: { timeout: 5 }`, "", "try 5s"],
  ["a number in the place of a text", "uses: ledger.status", "env: { YEAR: 2026 }", "put it in quotes"],
  [
    "an actor that is not declared",
    'uses: ledger.token.get\nwith: { id: "${{ actors.bob.userId }}" }',
    "",
    'declare it: actors: { bob: { ledger: "userId:alice" } }',
  ],
  [
    "an input that is not declared",
    'uses: ledger.token.get\nwith: { id: "${{ inputs.token }}" }',
    "",
    "declare it: inputs: { token: { type: string } }",
  ],
  ["a word of other tools for a keyword of a step", "uses: ledger.status\nassert: true", "", 'did you mean "expect"?'],
  ["another one", "uses: ledger.status\non_failure: []", "", 'did you mean "rescue"?'],
  ["a word of other tools at the head", "uses: ledger.status", "vars: { a: 1 }", 'did you mean "inputs"?'],
  [
    "a field of the answer without the answer",
    "uses: ledger.token.get\nwith: { id: X }\nexpect: totalSupply == 5",
    "",
    'did you mean "response.totalSupply"?',
  ],
  [
    "an actor without its group",
    'uses: ledger.token.get\nwith: { id: "${{ bob.userId }}" }',
    'actors: { bob: { ledger: "userId:bob" } }',
    'did you mean "actors.bob"?',
  ],
  [
    "a list in the place of a foreach",
    "foreach: [1, 2]\nuses: ledger.status",
    "",
    'such as { item: "${{ inputs.list }}", key: item }',
  ],
  ["a number in the place of a retry", "uses: ledger.status\nretry: 3", "", "such as { attempts: 3 }"],
  ["a time in the place of a wait", `${MINT}\nwait: 5s`, "", "such as { timeout: 30s }"],
  ["a map in the place of an expression", "uses: ledger.status\nexpect: { a: 5 }", "", 'such as response.name == "First"'],
  ["a decimal comma", MINT.replace("value: 5", 'value: "250,50"'), "", `write ${DECIMAL_FORM}`],
  [
    "zeros in front",
    MINT.replace("id: T1", "id: 00123"),
    "",
    "quote it if it is text, such as an account; or leave out the zeros in front",
  ],
  ["a quoted boolean", APPROVAL.replace("approved: true", 'approved: "false"'), "", "write it without quotes"],
  ["a word for true", APPROVAL.replace("approved: true", "approved: Yes"), "", "write true"],
  ["a word for false", APPROVAL.replace("approved: true", "approved: off"), "", "write false"],
  [
    "a marked path of Arazzo",
    "uses: ledger.token.get\nwith: { id: $inputs.token }",
    "",
    'write "${{ … }}" around the expression',
  ],
  ["one item in the place of a list", "uses: ledger.status", "tags: smoke", "put it in [ ]"],
  ["a type of another language", "uses: ledger.status", "inputs: { amount: { type: number } }", 'did you mean "decimal"?'],
  ["a type in the place of an input", "uses: ledger.status", "inputs: { amount: integer }", "such as { type: integer }"],
  [
    "a write where nothing is written",
    MINT,
    "mode: read-only",
    "remove the step, or write mode: read-write at the head of the playbook",
  ],
])("the finding for %s has a fix", ([, step = "", before, fix]) => {
  expect(suggestionsOf(step, before)).toEqual([fix]);
});

test("the finding for a quoted number has a fix", () => {
  const { diagnostics } = checkPlaybook("test.yaml", 'playbook: "1"\nsteps: [{ uses: ledger.status }]\n');
  expect(diagnostics).toMatchObject([{ message: '"playbook" must be 1', suggestion: "write 1 without quotes" }]);
});

// The check must say one sentence about the misspelt field, and none about the field that was meant.
test.for([
  ["playbok: 1\nsteps: [{ uses: ledger.status }]\n", 'unknown field "playbok"'],
  ["playbook: 1\nstep: [{ uses: ledger.status }]\n", 'unknown field "step"'],
  ["playbook: 1\ntasks: [{ uses: ledger.status }]\n", 'unknown field "tasks"'],
  ["playbook: 1\nsteps: [{ uses: ledger.token.get, with: { ids: T1 } }]\n", 'unknown field "ids"'],
  ["playbook: 1\nname: Nothing to do\n", "a playbook needs `steps`, `reconcile` or `checks`"],
])("a misspelt field is not also reported as missing: %j", ([text = "", message]) => {
  expect(checkPlaybook("test.yaml", text).diagnostics.map((each) => each.message)).toEqual([message]);
});

const FLATS = "{ id: flats, uses: ledger.asset.list, with: { assetType: Property }";
const SAME = `right: { rows: "['a']", key: row }`;
const COMPARES = `playbook: 1
mode: read-only
inputs: { list: { type: list, items: { type: string }, default: [a] } }
reconcile: [{ id: same, left: { rows: inputs.list, key: row }, ${SAME} }]
`;
const OUTPUTS = (pages: string): string => `playbook: 1
mode: read-only
steps: [${FLATS}${pages} }, { id: status, uses: ledger.status }]
outputs: { ids: "\${{ steps.flats.response.map(flat, flat.id) }}", state: "\${{ steps.status.outcome }}" }
`;
const EACH_FLAT = `foreach: { flat: "\${{ steps.flats.response }}", key: flat.id }`;
const ACCOUNTS = `read: ledger.account.list, with: { tokenId: "T-\${{ flat.id }}" }`;

test.each([
  ["the rounds of a side", "", `reconcile: [{ id: a, left: { ${EACH_FLAT}, ${ACCOUNTS}, key: flat.id }, ${SAME} }]`],
  ["the rounds of a sum", "", `reconcile: [{ id: a, ${EACH_FLAT}, conserve: { token: "T-\${{ flat.id }}" } }]`],
  ["the rounds of a check of a sum", "", `checks: [{ ${EACH_FLAT}, conserve: { token: "T-\${{ flat.id }}" } }]`],
  [
    "a step that has its rounds from it",
    `, { id: each, ${EACH_FLAT}, uses: ledger.asset.get, with: { assetType: Property, id: "\${{ flat.id }}" } }`,
    `reconcile: [{ id: a, left: { rows: "steps.each.map(id, id)", key: row }, ${SAME} }]`,
  ],
  [
    "a playbook that compares it",
    `, { uses: ./compares.yaml, with: { list: "\${{ steps.flats.response.map(flat, flat.id) }}" } }`,
    "",
  ],
  ["a playbook that compares, in rounds", `, { ${EACH_FLAT}, uses: ./compares.yaml }`, ""],
  ["a block around one, in rounds", `, { ${EACH_FLAT}, block: [{ uses: ./compares.yaml }] }`, ""],
])("a comparison of a part of a list is refused: %s", (_, step, compares) => {
  const said = (pages: string): readonly string[] => {
    const text = `playbook: 1\nmode: read-only\ndefaults: { as: { ledger: key } }\nsteps: [${FLATS}${pages} }${step}]\n${compares}\n`;
    const files = { read: (path: string) => (path === "compares.yaml" ? COMPARES : undefined) };
    return checkPlaybook("test.yaml", text, files).diagnostics.map(({ code, message }) => `${code} ${message}`);
  };
  expect(said("")).toEqual([]);
  expect(said(", pages: first")).toContain(
    'playbook.not-here the step "flats" reads only some pages of its list, and a comparison needs all of its rows',
  );
});

test("a comparison with an output that is a part of a list is refused, and with other outputs it is not", () => {
  const said = (pages: string, rows: string): readonly string[] => {
    const text = `playbook: 1
mode: read-only
defaults: { as: { ledger: key } }
steps: [{ id: inner, uses: ./outputs.yaml }]
reconcile: [{ id: a, left: { rows: "${rows}", key: row }, ${SAME} }]
`;
    const outputs = OUTPUTS(pages).replace("steps: [", "defaults: { as: { ledger: key } }\nsteps: [");
    const files = { read: (path: string) => (path === "outputs.yaml" ? outputs : undefined) };
    return checkPlaybook("test.yaml", text, files).diagnostics.map(
      ({ message, suggestion }) => `${message}; ${suggestion ?? ""}`,
    );
  };
  expect(said("", "steps.inner.outputs.ids")).toEqual([]);
  expect(said(", pages: 1", "[steps.inner.outputs.state]")).toEqual([]);
  expect(said(", pages: 1", "steps.inner.outputs.ids")).toEqual([
    'the step "flats" of outputs.yaml reads only some pages of its list, and a comparison needs all of its rows; delete the `pages` of "flats" in outputs.yaml',
  ]);
});
