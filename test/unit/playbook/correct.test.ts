import { globSync, readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { plainView } from "../../../src/base/json/json.ts";
import { shippedPlaybooks } from "../../../src/cli/project/shipped.ts";
import { checkPlaybook } from "../../../src/playbook/check.ts";
import { CHECK } from "../../../src/playbook/keywords/comparison.ts";
import { STEP } from "../../../src/playbook/keywords/step.ts";
import { playbookSchema } from "../../../src/playbook/keywords/editor-schema.ts";
import { toJson } from "../../../src/source/node.ts";
import { parseYaml } from "../../../src/source/parse.ts";
import { formatDiagnostic } from "../../../src/source/diagnostic.ts";
import { correct, realFiles } from "./helper.ts";

const ACTORS = `
actors:
  issuer: { ledger: "userId:alice" }
  board: [{ ledger: "userId:bob" }, { ledger: "orgId:acme" }]
  buyer: { investor: BUYER_KEY, ledger: "userId:eve" }
defaults: { as: issuer }
inputs:
  name: { type: string, pattern: "^[a-z]+$", enum: [a, b], default: a }
  shares: { type: decimal, minimum: "0.01", default: "12.50", enum: ["12.50", 13] }
  count: { type: integer, default: 3 }
  go: { type: boolean }
  ids: { type: list, default: [T1] }
  extra: { type: object, default: { a: 1 } }
  from: { type: date, minimum: 2026-01-01, default: 2026-03-01T12:00:00+02:00 }
  who: { type: entity, default: "userId:alice" }
  whoElse: { type: entity, default: { userId: bob }, enum: ["userId:bob", { userId: eve }] }
  holders:
    type: list
    items: { type: object, properties: { holder: { type: entity }, amount: { type: decimal }, tags: { type: list, items: { type: string } } } }
    unique: holder
    maxItems: 10
  table: { type: file, format: csv, items: { type: object, properties: { amount: { type: decimal }, "Token ID": { type: string } } } }
  facts: { type: file, schema: { type: object, properties: { list: { type: array, items: { $ref: "#/$defs/one" } } }, $defs: { one: { type: string } } } }
  anything: { type: file }
`;

const MINT = "uses: ledger.token.mint, with: { id: T1, to: { userId: alice }, value";

// Each text has one or more steps that somebody may well write.
const steps: Readonly<Record<string, string>> = {
  "a read without input": "- uses: ledger.status",
  "a number as a number": `- { ${MINT}: 5 } }`,
  "a number in quotes": `- { ${MINT}: "100.00" } }`,
  "a number of more digits than a double has": `- { ${MINT}: 12345678901234567890.50 } }`,
  "a number from an input": `- { ${MINT}: "\${{ inputs.shares * 2 }}" } }`,
  "a whole number from an input": `- { ${MINT}: "\${{ inputs.count }}" }, if: inputs.count % 2 == 1 }`,
  "a number taken from a text": `- { ${MINT}: '\${{ decimal("5") }}' } }`,
  "text with expressions in it":
    '- { uses: ledger.token.get, with: { id: "T-${{ inputs.name }}-${{ inputs.count }}-${{ run.key }}" } }',
  "an expression in a block": "- uses: ledger.token.get\n  with:\n    id: ${{ inputs.name }}",
  "entities from actors":
    '- { uses: ledger.transfer.request, with: { assetType: P, id: [P1], approvers: "${{ actors.board }}", numRequired: 2, newOwner: "${{ actors.board[0] }}" } }',
  "a batch":
    "- uses: ledger.token.mint\n  with:\n    items:\n      - { id: T1, to: { userId: a }, value: 1 }\n      - { id: T2, to: { userId: b }, value: 2 }",
  "one asset, or several":
    "- { uses: ledger.asset.create, with: { assetType: P, data: { id: P1, area: 12.50, tags: [a], deep: { er: null } } } }\n- { uses: ledger.asset.create, with: { assetType: P, data: [{ id: P2 }, { id: P3 }] } }",
  "foreach over actors, inputs and literals":
    '- { foreach: { member: "${{ actors.board }}", key: member.userId }, as: "${{ member }}", uses: ledger.status }\n- { foreach: { id: "${{ inputs.ids }}", key: id }, uses: ledger.token.get, with: { id: "${{ id }}" } }\n- { foreach: { id: [T1, "${{ inputs.name }}"], key: id }, uses: ledger.token.get, with: { id: "${{ id }}" } }',
  "the results of a foreach":
    '- { id: each, foreach: { id: [T1], key: id }, uses: ledger.token.get, with: { id: "${{ id }}" } }\n- { uses: ledger.token.get, with: { id: \'${{ steps.each["T1"].response.id }}\' } }',
  "a step that may be skipped, guarded in both ways":
    '- { id: maybe, if: inputs.go, uses: ledger.token.get, with: { id: T1 } }\n- { if: steps.maybe.outcome != "skipped", uses: ledger.token.get, with: { id: "${{ steps.maybe.response.id }}" } }\n- { uses: ledger.token.get, with: { id: \'${{ has(steps.maybe.response) ? steps.maybe.response.id : "T1" }}\' } }',
  "a poll with all its fields":
    '- { uses: ledger.token.get, with: { id: T1 }, until: response.name == "x", timeout: 1.5h, on_timeout: pending, wait: { every: 500ms, backoff: 2, max: 10s } }',
  "a write that does not wait": `- { ${MINT}: 5 }, wait: none }`,
  "a receipt in an expectation": `- { id: mint, ${MINT}: 5 }, expect: 'steps.mint.receipt.status == "COMMITTED"' }`,
  "sums over a list":
    "- uses: ledger.account.list\n  with: { tokenId: T1 }\n  expect:\n    - sum(response.map(a, a.balance)) == 100.00\n    - response.exists(a, a.entity == actors.issuer && a.balance >= inputs.shares)",
  "pages of a list": "- { uses: ledger.asset.list, pages: all }\n- { uses: ledger.asset.list, pages: 3, with: { pageSize: 10 } }",
  "an actor named in place":
    '- { uses: ledger.status, as: { ledger: "userId:zoe" } }\n- { uses: investor.sales.list, as: { investor: OTHER } }',
  "an actor with two identities": "- { uses: ledger.status, as: buyer }\n- { uses: investor.portfolio.tokens, as: buyer }",
  "an expected refusal": "- { uses: ledger.asset.get, with: { assetType: P, id: P1 }, fails: { condition: asset not found } }",
  "a field of a record without a schema":
    "- { id: asset, uses: ledger.asset.get, with: { assetType: P, id: P1 }, expect: [response.data.anything.at.all == 5] }",
  "words of JavaScript as data":
    "- { uses: ledger.asset.create, with: { assetType: P, data: { id: P1, toString: x, valueOf: y, hasOwnProperty: z } } }",
  "an entity from an input, as actor and as receiver":
    '- { as: "${{ inputs.who }}", uses: ledger.token.mint, with: { id: T1, to: "${{ inputs.whoElse }}", value: 1 } }',
  "an entity as one text": '- { uses: ledger.token.mint, as: buyer, with: { id: T1, to: "userId:bob", value: 1 } }',
  "rounds over typed records":
    '- { foreach: { h: "${{ inputs.holders }}", key: h.holder.userId }, uses: ledger.token.mint, with: { id: T1, to: "${{ h.holder }}", value: "${{ h.amount }}" } }',
  "dates in conditions":
    '- { uses: ledger.status, if: date(inputs.from) < date("2026-12-31") && date(run.startedAt) > date(inputs.from) }',
  "fields of files":
    '- uses: ledger.status\n  expect:\n    - sum(inputs.table.map(r, r.amount)) > 0 && inputs.table[0]["Token ID"] != ""\n    - inputs.facts.list[0].startsWith("a")\n    - inputs.anything.at.all[3] == 5',
  "an expression in a block literal":
    '- uses: ledger.token.get\n  with: { id: T1 }\n  expect:\n    - |\n      response.name != "a" &&\n      response.name != "b"',
};

const validate = new Ajv2020({ strict: false, allErrors: true }).compile(playbookSchema(shippedPlaybooks()));

function fitsEditorSchema(text: string): unknown {
  const { root } = parseYaml("test.yaml", text);
  return root !== undefined && validate(plainView(toJson(root))) ? [] : validate.errors;
}

test.for(Object.entries(steps))("%s is accepted by the check and by the editor's schema", ([, step]) => {
  const text = `playbook: 1${ACTORS}steps:\n  ${step.replaceAll("\n", "\n  ")}\n`;
  expect(correct(text).steps.length).toBeGreaterThan(0);
  expect(fitsEditorSchema(text)).toEqual([]);
});

const corpus = globSync("test/correct/*.yaml").toSorted();

test.for([...globSync("{playbooks,library}/**/*.yaml"), ...corpus])(
  "%s passes the check and the editor's schema without a warning",
  (path) => {
    const text = readFileSync(path, "utf8");
    const { playbook, diagnostics } = checkPlaybook(path, text, realFiles);
    expect(diagnostics.map(formatDiagnostic)).toEqual([]);
    expect((playbook?.steps.length ?? 0) + (playbook?.checks.length ?? 0)).toBeGreaterThan(0);
    expect(fitsEditorSchema(text)).toEqual([]);
  },
);

test("the corpus of correct playbooks uses every keyword", () => {
  expect(corpus.length).toBeGreaterThanOrEqual(60);
  const all = corpus.map((path) => readFileSync(path, "utf8")).join("\n");
  for (const key of [...Object.keys(STEP), ...Object.keys(CHECK), "mode"]) expect(all).toMatch(new RegExp(`\\b${key}:`));
});

test("the published schema for editors is the one that the check makes", () => {
  expect(JSON.parse(readFileSync("schemas/playbook.schema.json", "utf8"))).toEqual(
    JSON.parse(JSON.stringify(playbookSchema(shippedPlaybooks()))),
  );
});

test("the editor's schema refuses plain mistakes", () => {
  for (const name of [
    "unknown-operation",
    "field-misspelt-deep",
    "unknown-step-field",
    "wrong-enum",
    "missing-required-field",
    "bad-duration",
  ]) {
    expect(fitsEditorSchema(readFileSync(`test/faulty/${name}.yaml`, "utf8")), name).not.toEqual([]);
  }
});
