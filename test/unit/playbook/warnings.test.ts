import { expect, test } from "vitest";
import { LIMITS } from "../../../src/base/limits.ts";
import { checkPlaybook } from "../../../src/playbook/check.ts";
import { saidOf } from "./helper.ts";

function steps(...lines: readonly string[]): string {
  return `playbook: 1\nsteps:\n${lines.map((line) => `  - ${line}\n`).join("")}`;
}

const NEVER = "{ uses: ledger.status, if: false }";

test("a playbook with warnings can be run", () => {
  const { playbook, diagnostics } = checkPlaybook("test.yaml", steps(NEVER));
  expect(playbook?.steps.length).toBe(1);
  expect(diagnostics.map(({ severity, code }) => `${severity} ${code}`)).toEqual(["warning playbook.never-done"]);
});

test("an error after any number of warnings is reported", () => {
  const many = Array.from({ length: 2 * LIMITS.diagnostics }, () => NEVER);
  const { playbook, diagnostics } = checkPlaybook("test.yaml", steps(...many, "uses: ledger.stauts"));
  expect(playbook).toBeUndefined();
  expect(diagnostics).toHaveLength(LIMITS.diagnostics);
  expect(diagnostics.at(-1)?.code).toBe("playbook.unknown-operation");
  expect(diagnostics.filter(({ severity }) => severity === "error")).toHaveLength(1);
});

test("unused names are reported only if there is no error, because an error may hide a use", () => {
  const inputs = "inputs: { id: { type: string } }";
  expect(saidOf("uses: ledger.token.get\nwith: { id: T1 }", inputs)).toEqual([
    'playbook.unused-input nothing uses the input "id"',
  ]);
  expect(saidOf('uses: ledger.token.get\nwith: { id: "${{ input.id }}" }', inputs)).toEqual([
    expect.stringContaining("expression.unknown-name"),
  ]);
});

test("`as`, the defaults, an expression or a check use an actor", () => {
  const actors = 'actors: { alice: { ledger: "userId:alice", investor: KEY } }';
  expect(saidOf("uses: ledger.status", actors)).toEqual([expect.stringContaining("playbook.unused-actor")]);
  expect(saidOf("uses: ledger.status\nas: alice", actors)).toEqual([]);
  expect(saidOf("uses: ledger.status", `${actors}\ndefaults: { as: alice }`)).toEqual([]);
  expect(saidOf('uses: ledger.status\nas: "${{ actors.alice }}"', actors)).toEqual([]);
  expect(saidOf("uses: ledger.status", `${actors}\nchecks: [{ conserve: { sale: S1 }, as: alice }]`)).toEqual([]);
});

test("an unused actor that is the default must be removed with the default", () => {
  const text = `playbook: 1
actors: { a: { ledger: "userId:alice" }, b: { ledger: "userId:bob" } }
defaults: { as: a }
steps: [{ uses: ledger.status, as: b }]
`;
  expect(checkPlaybook("test.yaml", text).diagnostics).toMatchObject([
    {
      code: "playbook.unused-actor",
      suggestion: "write as: a, or remove it, and the `as` of defaults, which every step overrides",
    },
  ]);
});

test("the fix for an unused group suits a group", () => {
  const { diagnostics } = checkPlaybook(
    "test.yaml",
    'playbook: 1\nactors: { board: [{ ledger: "userId:bob" }] }\nsteps: [{ uses: ledger.status }]\n',
  );
  expect(diagnostics).toMatchObject([
    {
      message: 'no step or expression uses the group "board"',
      suggestion: "use ${{ actors.board }}, as in a foreach, or remove it",
    },
  ]);
});

test("a misspelt role is reported only if the role names of the token are known", () => {
  const given = (behaviour: string, roles: string): string[] => [
    `{ id: token, uses: ledger.token.create, with: { id: T1${behaviour} } }`,
    ...["T1", '"${{ steps.token.id }}"', "Elsewhere"].map(
      (id) =>
        `{ uses: ledger.token.setPermissions, with: { id: ${id}, permissions: [{ entity: "userId:bob", roles: ${roles} }] } }`,
    ),
  ];
  const places = (behaviour: string, roles: string): string[] =>
    checkPlaybook(
      "test.yaml",
      `${steps(...given(behaviour, roles))}defaults: { as: { ledger: key } }\ninputs: { b: { type: object } }\n`,
    )
      .diagnostics.filter(({ code }) => code !== "playbook.unused-input")
      .map(({ code, line }) => `${code} ${line}`);
  expect(places("", "[mint]")).toEqual(["playbook.misspelt-role 4", "playbook.misspelt-role 5"]);
  const named = ", behaviour: { rolesMap: { minter_role_name: mint } }";
  expect(places(named, "[mint, minter]")).toEqual([]);
  expect(places(named, "[burn]")).toEqual(["playbook.misspelt-role 4", "playbook.misspelt-role 5"]);
  expect(places(', behaviour: "${{ inputs.b }}", tokenPermissions: [{ entity: "userId:bob", roles: [mint] }]', "[mint]")).toEqual(
    [],
  );
});

const failing = (fails: string): string[] => saidOf(`uses: ledger.asset.get\nwith: { assetType: P, id: P1 }\nfails: ${fails}`);

test("a condition that is misspelt or unlisted is reported", () => {
  for (const right of ["asset not found", "Asset  Not Found", "general server error"]) {
    expect(failing(`{ condition: "${right}" }`), right).toEqual([]);
  }
  for (const wrong of ["asset not foud", "not found", "e", "server error", "asset  not"]) {
    expect(failing(`{ condition: "${wrong}" }`), wrong).toEqual([
      `playbook.misspelt-condition "${wrong}" is no condition of ledger.asset.get, and almost one`,
    ]);
  }
  for (const unknown of ["asset frozen", "vault not found", "422", "left"]) {
    expect(failing(`{ condition: "${unknown}" }`), unknown).toEqual([
      `playbook.unlisted-condition the service description lists no condition "${unknown}" for ledger.asset.get`,
    ]);
  }
});

test("a pattern that fits every message is reported", () => {
  const matching = (pattern: string): string[] => failing(`{ message: { matches: ${JSON.stringify(pattern)} } }`);
  for (const any of [".*", "^.*$", "|none", "P*", "[a-z]*", "(?i)(not found)?", String.raw`\s*`]) {
    expect(matching(any), any).toEqual([
      `playbook.any-message ${JSON.stringify(any)} is found in every message, so a refusal for any reason fits it`,
    ]);
  }
  for (const some of [".", "^[^{]*$", "^.{0,100}$", "not found", "^$", "^there is no P1"])
    expect(matching(some), some).toEqual([]);
});

test("a refusal can be expected by status and message, and needs at least one of them", () => {
  for (const right of [
    "{ status: 404 }",
    "{ status: [404, 410] }",
    "{ message: { contains: P1 } }",
    '{ condition: asset not found, status: 404, message: { contains: P1, matches: "^there is no" } }',
  ]) {
    expect(failing(right), right).toEqual([]);
  }
  for (const wrong of ["{}", "{ status: 200 }", "{ status: [] }", "{ message: {} }", "{ message: P1 }", "{ status: forty }"]) {
    expect(failing(wrong), wrong).toEqual([expect.stringMatching(/^schema\./)]);
  }
  expect(failing('{ message: { matches: "(P" } }')).toEqual([expect.stringMatching(/^expression\.pattern /)]);
});

const ROWS =
  "inputs: { rows: { type: list, items: { type: object, properties: { id: { type: string }, note: { type: string }, of: { type: object, properties: { part: { type: string } }, required: [] } }, required: [id] } } }";
const absentIn = (step: string): string[] => saidOf(step, ROWS).filter((said) => said.startsWith("playbook.maybe-absent"));

test.each([
  ["a condition", "inputs.rows[0].note == inputs.rows[1].id", "inputs.rows[0]", "note"],
  ["an item of a comprehension", 'inputs.rows.exists(r, r.note != "")', "r", "note"],
  ["a field of a field", 'inputs.rows.exists(r, has(r.of) && r.of.part != "")', "r.of", "part"],
  ["the check of another field", 'inputs.rows.exists(r, has(r.of) && r.note != "")', "r", "note"],
  ["the other branch", 'inputs.rows.exists(r, has(r.note) ? true : r.note != "")', "r", "note"],
])("a use of an optional field without `has` is reported: %s", (_, condition, owner, field) => {
  expect(absentIn(`uses: ledger.status\nif: '${condition}'`)).toEqual([
    `playbook.maybe-absent ${owner} may have no "${field}": the field is not required`,
  ]);
});

test.each([
  'inputs.rows.exists(r, has(r.note) && r.note != "" || !has(r.note))',
  'inputs.rows.exists(r, has(r.of) && has(r.of.part) && r.of.part != "")',
  'inputs.rows.exists(r, r.?note.hasValue() ? r.note != "" : true)',
  'inputs.rows[0].?note.orValue("") == ""',
  'inputs.rows.filter(r, has(r.note)).map(each, each.note) == [""]',
  'inputs.rows.map(r, has(r.note), r.note) == [""]',
])("a use of an optional field after `has` is accepted: %s", (condition) => {
  expect(saidOf(`uses: ledger.status\nif: '${condition}'`, ROWS)).toEqual([]);
});

test("the items of a foreach have the fields by which their list was filtered", () => {
  const step = (list: string): string =>
    `uses: ledger.status\nforeach: { r: "\${{ ${list} }}", key: r.note }\nexpect: r.note != ""`;
  expect(absentIn(step("inputs.rows"))).toHaveLength(2);
  expect(absentIn(step("inputs.rows.filter(x, has(x.note))"))).toEqual([]);
});

test("the `where` of a side can check that a field of its rows is there", () => {
  const side = (where: string): string =>
    `playbook: 1\nmode: read-only\n${ROWS}\nreconcile:\n  - id: notes\n    left: { rows: inputs.rows, ${where}key: row.note }\n    right: { read: ledger.token.list, key: row.name }\n`;
  const said = (text: string): string[] => checkPlaybook("test.yaml", text).diagnostics.map(({ code }) => code);
  expect(said(side(""))).toEqual(["playbook.maybe-absent"]);
  expect(said(side("where: has(row.note), "))).toEqual([]);
});

test("a quoted number is reported only in a comparison of order", () => {
  const inputs = "inputs: { text: { type: string } }";
  const said = (condition: string): number =>
    saidOf(`uses: ledger.status\nexpect: ['${condition}']`, inputs).filter((each) => each.includes("number-as-text")).length;
  for (const condition of [
    'inputs.text < "10"',
    '"-1.5" >= inputs.text',
    'run.key != "" && inputs.text <= "10"',
    '[inputs.text].all(each, each > "1e3")',
  ])
    expect(said(condition), condition).toBe(1);
  for (const condition of ['inputs.text == "10"', 'inputs.text < "a10"', 'inputs.text in ["10"]', "decimal(inputs.text) < 10"])
    expect(said(condition), condition).toBe(0);
});

const CHOICE = "inputs: { size: { type: string, enum: [small, large] }, text: { type: string } }";

function expecting(condition: string): string[] {
  return saidOf(`uses: ledger.token.list\nexpect: ['${condition}']`, CHOICE).filter((each) => !each.includes("unused-input"));
}

test.for([
  ['response.all(t, t.name.contains(""))', 't.name.contains("") is always true'],
  ['response.exists(t, t.name.startsWith(""))', 't.name.startsWith("") is always true'],
  ['size(response) > 0 && response[0].name.endsWith("")', 'response[0].name.endsWith("") is always true'],
  ['response.exists(t, re2(t.name, "^.*$"))', 're2(t.name, "^.*$") is always true'],
  ["size(response) >= 0", "size(response) >= 0 is always true"],
  ["-1 < response.size()", "-1 < response.size() is always true"],
  ["size(response) == 1.5", "size(response) == 1.5 is never true"],
  ["response == response", "response == response is always true"],
  ["response.all(t, true)", "response.all(t, true) is always true"],
  ["inputs.text in []", "inputs.text in [] is never true"],
  ['inputs.text != "a" || inputs.text != "b"', 'inputs.text != "a" || inputs.text != "b" is always true'],
  ["size(response) == 1 && size(response) == 2", "size(response) == 1 && size(response) == 2 is never true"],
  ['inputs.text == "a" || true', 'inputs.text == "a" || true is always true'],
  ['inputs.size.contains("x")', 'inputs.size.contains("x") is never true'],
  ['inputs.size in ["small", "lagre"]', 'inputs.size is never "lagre"'],
])("a condition that is always true or never true is reported: %s", ([condition = "", message = ""]) => {
  expect(expecting(condition)).toEqual([expect.stringMatching(/^playbook\.constant-condition /)]);
  expect(expecting(condition)[0]).toContain(message);
});

test.for([
  'response.all(t, t.name.contains("a"))',
  'response.exists(t, re2(t.name, "^G"))',
  "size(response) >= 1",
  "size(response) != 0",
  "size(response) == 1 || size(response) == 2",
  "size(response) == 1 && size(response) == 1.0",
  'inputs.text != "a" || inputs.size != "large"',
  'inputs.size.contains("ll")',
  'inputs.text == ""',
  'inputs.size == "small" || inputs.size in ["large"]',
])("a condition that can be true or false is not reported: %s", (condition) => {
  expect(expecting(condition)).toEqual([]);
});

test("a comparison with a value that a text can never have is an error", () => {
  for (const condition of [
    'inputs.size == "lagre"',
    'inputs.size != "lagre"',
    '"lagre" == inputs.size',
    'inputs.size in ["lagre"]',
  ])
    expect(expecting(condition), condition).toEqual(['expression.no-such-value inputs.size is never "lagre"']);
});

test("a comparison of an outcome knows which outcomes the step can have", () => {
  const alice = 'defaults: { as: { ledger: "userId:alice" } }\n';
  const token = "{ id: made, uses: ledger.token.create, with: { name: T, symbol: T } }";
  const said = (step: string, condition: string): string[] =>
    checkPlaybook("test.yaml", `${alice}${steps(step, `{ uses: ledger.status, if: 'steps.made.outcome ${condition}' }`)}`)
      .diagnostics.filter(({ code }) => code === "expression.no-such-value")
      .map(({ suggestion }) => suggestion ?? "");
  expect(said(token, '== "changd"')).toEqual(['did you mean "changed"?']);
  expect(said(token, '!= "ok"')).toEqual(["it is one of: changed, unchanged, skipped"]);
  expect(said("{ id: made, uses: ledger.status }", '== "failed"')).toEqual(["it is one of: ok, skipped"]);
  expect(said(token.replace(" } }", " }, fails: { status: 400 } }"), '== "changed"')).toEqual(["it is one of: ok, skipped"]);
  expect(said("{ id: made, block: [{ uses: ledger.status }] }", '== "failed"')).toEqual([
    "it is one of: ok, changed, unchanged, skipped, rescued",
  ]);
  expect(said(token, '!= "skipped"')).toEqual([]);
  expect(
    said("{ id: block, block: [{ id: made, uses: ledger.status }], rescue: [{ uses: ledger.status }] }", '== "failed"'),
  ).toEqual([]);
  expect(said("{ id: made, block: [{ uses: ledger.status }] }", '== "rescued"')).toEqual([]);
});

test.for<[string, number]>([
  ["response.all(t, t.totalSupply > 0)", 1],
  ["size(response) > 0 && response.all(t, t.totalSupply > 0)", 0],
  ["response.exists(t, t.totalSupply > 0)", 0],
  ["!response.exists(t, t.totalSupply > 0)", 0],
  ['["a", "b"].all(n, response.exists(t, t.name == n))', 0],
  ["response.filter(t, t.totalSupply > 0).all(t, t.name != run.key)", 1],
])("an `until` that an empty list satisfies is reported: %s", ([condition, times]) => {
  const found = saidOf(`uses: ledger.token.list\nuntil: '${condition}'`).filter((each) => each.includes("holds-of-nothing"));
  expect(found).toHaveLength(times);
  expect(saidOf(`uses: ledger.token.list\nexpect: '${condition}'`)).toEqual([]);
});
