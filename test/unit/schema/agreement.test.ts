import { globSync, readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { fixedSchemas } from "../../../scripts/checks.ts";
import planSchema from "../../../schemas/plan.schema.json" with { type: "json" };
import { isObject, plainView } from "../../../src/base/json/json.ts";
import { contract } from "../../../src/contract/contract.ts";
import { environmentSchema } from "../../../src/environment/schema.ts";
import { inputFrame, inputPartFrame, playbookFrame, stepFrame } from "../../../src/playbook/keywords/frame.ts";
import { recordSchema } from "../../../src/protocol/event-schema.ts";
import { FAULTS } from "../../../src/sandbox/faults/plan.ts";
import { SEED } from "../../../src/sandbox/seed/read.ts";
import { find } from "../../../src/schema/prebuilt.ts";
import { type SchemaViolation, SchemaSet } from "../../../src/schema/validator.ts";
import { toJson } from "../../../src/source/node.ts";
import { parseYaml } from "../../../src/source/parse.ts";
import { mutated, valuesOf } from "../../sandbox/generate.ts";
import { isNightly } from "../../sizes.ts";
import { RUNS } from "../report/records.ts";

// How often the tests spoil each document, and each schema of an answer.
const [SPOILED_DOCUMENTS, SPOILED_ANSWERS] = isNightly ? [40, 200] : [4, 12];

// Three ways must find the same problems: built as in dist/, compiled now as from the sources, and the plain library with `$ref`s.
const built = new SchemaSet({ contract }, find);
const compiled = new SchemaSet({ contract });
const library = new Ajv2020({ allErrors: true, verbose: true, strict: false, discriminator: true, addUsedSchema: false });
library.addSchema({ $defs: contract.$defs }, "contract");

function problemsOf(schema: object, value: unknown): readonly SchemaViolation[] {
  const problems = built.validator(schema)(value);
  expect(compiled.validator(schema)(value)).toEqual(problems);
  library.validate(schema, plainView(value));
  const errors = (library.errors ?? []).filter(({ propertyName }) => propertyName === undefined);
  expect(problems.map(({ keyword, message, params, schema: around }) => ({ keyword, message, params, around }))).toEqual(
    errors.map(({ keyword, message, params, parentSchema }) => ({ keyword, message, params, around: parentSchema })),
  );
  return problems;
}

const documents = ["test/faulty/*.yaml", "playbooks/*/*.yaml"]
  .flatMap((pattern) => globSync(pattern))
  .flatMap((path) => parseYaml(path, readFileSync(path, "utf8")).root ?? [])
  .map(toJson);

const ENVIRONMENT = {
  environments: {
    staging: {
      ledger: { baseUrl: "https://ledger.example.com/", appId: "app1", orgId: "org1", apiKey: "env:LEDGER_KEY" },
      investor: { baseUrl: "https://store.example.com", credentials: { BUYER_KEY: "file:buyer.key" } },
      profile: { ledger: { onBehalfOf: { in: "header", name: "X" }, pageSize: 3 }, refusals: [404] },
      timeout: "5s",
      exclusive: true,
    },
  },
};
const SEEDS = globSync("test/**/*seed*.json").map((path) => JSON.parse(readFileSync(path, "utf8")) as unknown);
const FAULT_PLAN = [
  { operation: "ledger.*", nth: 2, times: 1, fault: "drop-after" },
  { fault: { status: 503, retryAfter: "1" } },
  { fault: { delay: "5s" } },
];
const PLAN = {
  format: 1,
  madeAt: "2026-04-02T00:00:00.000Z",
  ok: true,
  target: { environment: "here", ledger: "http://127.0.0.1:4010", appId: "app1", orgId: "org1", investor: null },
  plans: [
    {
      playbook: { file: "p.yaml", name: "P", digest: "0".repeat(64) },
      inputs: { property: "1".repeat(64) },
      outcome: "would-fail",
      problem: { code: "output.no-value", message: "an output has no value", next: null },
      steps: [
        {
          step: "asset",
          name: "Create assets",
          line: 4,
          kind: "call",
          uses: "ledger.asset.create",
          depth: 0,
          actor: "issuer",
          verdict: "will-create",
          why: [],
          problem: null,
          writes: "ledger",
          input: { assetType: "Property", data: { id: null } },
          unknown: [{ path: "data.id", why: "run.key is given when a run begins" }],
          reads: [
            {
              operation: "ledger.asset.get",
              actor: null,
              input: {},
              page: null,
              status: 404,
              digest: "2".repeat(64),
              answer: null,
            },
          ],
        },
      ],
      notReached: ["token"],
      totals: { ledgerTransactions: 1, investorWrites: 0, cannotKnow: 0, alreadySo: 0, wouldFail: 0 },
    },
  ],
};

const sectionOf = (name: string): readonly unknown[] =>
  documents.flatMap((each) => (isObject(each) ? Object.values(each[name] ?? {}) : []));
const steps = sectionOf("steps");
const inputs = sectionOf("inputs");
// Each call makes these schemas again, so the tests compare their texts and not their identities.
const OF_INPUTS = new Set([inputFrame(), inputPartFrame()].map((schema) => JSON.stringify(schema)));

const records = new Map(Object.values(RUNS).flatMap((run) => run().all.map((record) => [record.kind, record])));

const written: ReadonlyMap<object, readonly unknown[]> = new Map<object, readonly unknown[]>([
  [playbookFrame, documents],
  [stepFrame, steps],
  [environmentSchema, [ENVIRONMENT, ...documents]],
  [SEED.schema, [{ ledger: { tokens: [{}] }, sales: [{}] }, {}, ...SEEDS]],
  [FAULTS.schema, [FAULT_PLAN, {}]],
  [planSchema, [PLAN, {}]],
  [recordSchema, [...records.values()]],
  [inputFrame(), inputs],
  [inputPartFrame(), inputs],
]);

test("for files that people write, a built check and a freshly compiled check find the same problems", () => {
  let found = 0;
  for (const [schema, values] of written) {
    for (const value of values) {
      problemsOf(schema, value);
      for (const spoiled of fc.sample(mutated(value), { seed: 20260402, numRuns: SPOILED_DOCUMENTS })) {
        found += problemsOf(schema, spoiled).length;
      }
    }
  }
  expect(found).toBeGreaterThan(1_000);
});

test("for requests and answers, a built check and a freshly compiled check find the same problems", () => {
  let found = 0;
  for (const schema of fixedSchemas()) {
    if (written.has(schema) || OF_INPUTS.has(JSON.stringify(schema))) continue;
    const values = valuesOf(schema, {});
    const spoiled = values.chain((value) => mutated(value));
    for (const value of fc.sample(values, { seed: 20260402, numRuns: 5 })) problemsOf(schema, value);
    for (const value of fc.sample(spoiled, { seed: 20260402, numRuns: SPOILED_ANSWERS }))
      found += problemsOf(schema, value).length;
  }
  expect(found).toBeGreaterThan(3_000);
});
