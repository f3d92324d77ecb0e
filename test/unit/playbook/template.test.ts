import { expect, test } from "vitest";
import { type Json, parseJson, writeJson } from "../../../src/base/json/json.ts";
import { EvaluationFailure, type Scope } from "../../../src/expression/expression.ts";
import { foresee } from "../../../src/engine/run/foresee.ts";
import { checkPlaybook } from "../../../src/playbook/check.ts";
import { bind, expressionsIn, ORGANIZATION } from "../../../src/playbook/expressions/template.ts";
import { onlyStep, saidOf, suggestionsOf } from "./helper.ts";

const INPUTS =
  "inputs: { s: { type: string }, d: { type: decimal }, b: { type: boolean }, l: { type: list }, o: { type: object } }";
const scope = parseJson(
  '{"inputs":{"s":"Loft","d":12345678901234567890.50,"b":true,"l":["a",1.50],"o":{"k":null}},"run":{"key":"k1"}}',
) as Scope;

function bound(step: string): Json {
  return bind(onlyStep(step, INPUTS).with, scope);
}

test("a quoted number becomes a number where the type is a number, and stays a text elsewhere", () => {
  expect(writeJson(bound('uses: ledger.token.mint\nwith: { id: "007", to: { userId: "5" }, value: "100.00" }'))).toBe(
    '{"id":"007","to":{"userId":"5"},"value":100.00}',
  );
  expect(writeJson(bound('uses: ledger.asset.create\nwith: { assetType: P, data: { id: "1", area: "1.50", size: 1.50 } }'))).toBe(
    '{"assetType":"P","data":{"id":"1","area":"1.50","size":1.50}}',
  );
});

test("a value must not be nested deeper than an answer may be", () => {
  const nested = (levels: number): Json => (levels === 0 ? "end" : [nested(levels - 1)]);
  const deep = (levels: number): Scope => ({ ...scope, inputs: { l: nested(levels) } });
  const { with: given } = onlyStep(
    'uses: ledger.asset.create\nwith: { assetType: P, data: { id: x, deep: "${{ inputs.l }}" } }',
    INPUTS,
  );
  expect(bind(given, deep(198))).toMatchObject({ data: { deep: nested(198) } });
  expect(() => bind(given, deep(199))).toThrow("this gives a value that is nested deeper than 200 levels");
  expect(() => foresee(given, deep(199))).toThrow("nested deeper than 200 levels");
});

test.each([
  ["one text", '"userId:bob"', { orgId: "org1", userId: "bob" }],
  ["a map", "{ userId: bob }", { orgId: "org1", userId: "bob" }],
  ["a map with an expression", '{ userId: "${{ inputs.s }}" }', { orgId: "org1", userId: "Loft" }],
  ["a map with an organization", "{ orgId: org2, userId: bob }", { orgId: "org2", userId: "bob" }],
  ["an empty map, which would be everybody", "{}", {}],
])("an entity belongs to the environment's organization: %s", (_, to, sent) => {
  const step = onlyStep(`uses: ledger.token.mint\nwith: { id: T, to: ${to}, value: 1 }`, INPUTS);
  expect(bind(step.with, { ...scope, [ORGANIZATION]: "org1" })).toMatchObject({ to: sent });
});

test.each([
  ["userId:${{ inputs.s }}", 'write { userId: "${{ inputs.s }}" }'],
  ["a-${{ inputs.s }}", 'write { userId: "a-${{ inputs.s }}" }'],
  ["${{ inputs.s }}", 'write { userId: "${{ inputs.s }}" }'],
  ["bob", "write userId:bob, if that is a user"],
])("the finding for the text %s in place of an entity says how to write it", (to, fix) => {
  const { diagnostics } = checkPlaybook(
    "test.yaml",
    `playbook: 1\n${INPUTS}\nsteps:\n  - uses: ledger.token.mint\n    with: { id: T, to: "${to}", value: 1 }\n`,
  );
  expect(diagnostics).toContainEqual(expect.objectContaining({ suggestion: fix }));
});

test("an expression gives its value with every digit", () => {
  expect(
    writeJson(bound('uses: ledger.token.mint\nwith: { id: "${{ inputs.s }}", to: { userId: x }, value: "${{ inputs.d }}" }')),
  ).toContain('"value":12345678901234567890.50');
});

test("a text from an expression becomes a number where the type is a number", () => {
  const step = onlyStep('uses: ledger.token.mint\nwith: { id: T, to: { userId: x }, value: "${{ inputs.l[0] }}" }', INPUTS);
  const answers = ['["7.50"]', '["x"]', "[7.5]"].map((list) => writeJson(bind(step.with, { inputs: { l: parseJson(list) } })));
  expect(answers.map((answer) => answer.replace(/.*"value":(.*)}/, "$1"))).toEqual(["7.50", '"x"', "7.5"]);
});

test("an expression within a text keeps the text around it", () => {
  expect(
    bound('uses: ledger.token.get\nwith: { id: " ${{ inputs.s }}-${{ inputs.d }}/${{ inputs.b }}${{ run.key }}!" }'),
  ).toEqual({
    id: " Loft-12345678901234567890.50/truek1!",
  });
});

test("spaces and line breaks around an expression belong to a text, and are refused for other types", () => {
  const written =
    'uses: ledger.asset.create\nwith: { assetType: P, data: { id: " ${{ inputs.s }} ", same: "${{ inputs.d }}", line: "${{ inputs.d }}\\n" } }';
  expect(writeJson(bound(written))).toBe(
    '{"assetType":"P","data":{"id":" Loft ","same":12345678901234567890.50,"line":"12345678901234567890.50\\n"}}',
  );
  const why = "remove the spaces and line breaks around ${{ }}; in place of > or |, write >- or |-";
  for (const step of [
    'uses: ledger.token.mint\nwith: { id: T, to: "userId:x", value: " ${{ inputs.d }}" }',
    'uses: ledger.token.mint\nwith: { id: T, value: 1, to: "${{ actors.g[0] }} " }',
    'uses: ledger.status\nas: "${{ actors.g[0] }}\\n"',
    'uses: ledger.token.get\nforeach: { each: "${{ inputs.l }} ", key: each }\nwith: { id: "${{ each }}" }',
  ])
    expect(suggestionsOf(step, `${INPUTS}\nactors: { g: [{ ledger: "userId:a" }] }`)).toContain(why);
});

test("free-form data takes any value", () => {
  expect(
    writeJson(
      bound(
        'uses: ledger.asset.create\nwith: { assetType: P, data: { id: a, list: "${{ inputs.l }}", map: "${{ inputs.o }}", text: "}} {{ $" } }',
      ),
    ),
  ).toBe('{"assetType":"P","data":{"id":"a","list":["a",1.50],"map":{"k":null},"text":"}} {{ $"}}');
});

test("a value that cannot be part of a text is refused, before the run if its type is known", () => {
  expect(saidOf('uses: ledger.token.get\nwith: { id: "a${{ inputs.o }}" }', INPUTS)).toEqual([
    "expression.wrong-type this gives an object (map<string, dyn>), which cannot be part of a text",
  ]);
  const step = onlyStep('uses: ledger.token.get\nwith: { id: "a${{ inputs.o.k }}" }', INPUTS);
  expect(() => bind(step.with, scope)).toThrow(EvaluationFailure);
  expect(() => bind(step.with, scope)).toThrow("inputs.o.k is null, which cannot be part of a text");
});

test("the expressions of a template are listed in order", () => {
  const { with: template } = onlyStep(
    'uses: ledger.asset.create\nwith: { assetType: "${{ inputs.s }}", data: { id: "x${{ run.key }}", list: ["${{ inputs.l }}"] } }',
    INPUTS,
  );
  expect([...expressionsIn(template)].map(({ text }) => text.trim())).toEqual(["inputs.s", "run.key", "inputs.l"]);
});

test("a hundred thousand openings without an end are read fast", () => {
  expect(saidOf(`uses: ledger.token.get\nwith: { id: "${"${{".repeat(100_000)}" }`)).toHaveLength(1);
  expect(saidOf(`uses: ledger.status\nif: "\${{${" ".repeat(300_000)}"`)).toHaveLength(1);
});
