import { globSync, readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { fixedSchemas } from "../../../scripts/checks.ts";
import { isObject, plainView } from "../../../src/base/json.ts";
import { contract } from "../../../src/contract/contract.ts";
import { environmentSchema } from "../../../src/environment/schema.ts";
import { inputFrame, inputPartFrame, playbookFrame, stepFrame } from "../../../src/playbook/frame.ts";
import { FAULTS } from "../../../src/sandbox/faults/plan.ts";
import { SEED } from "../../../src/sandbox/seed/read.ts";
import { find } from "../../../src/schema/prebuilt.ts";
import { type Problem, SchemaSet } from "../../../src/schema/validator.ts";
import { toJson } from "../../../src/source/node.ts";
import { parseYaml } from "../../../src/source/yaml.ts";
import { mutated, valuesOf } from "../../sandbox/generate.ts";

// Three ways to the same problems: built, as in dist/; compiled now, as from the sources; and the plain library, with `$ref`s.
const built = new SchemaSet({ contract }, find);
const compiled = new SchemaSet({ contract });
const library = new Ajv2020({ allErrors: true, verbose: true, strict: false, discriminator: true, addUsedSchema: false });
library.addSchema({ $defs: contract.$defs }, "contract");

function problemsOf(schema: object, value: unknown): readonly Problem[] {
  const problems = built.validator(schema)(value);
  expect(compiled.validator(schema)(value)).toEqual(problems);
  library.validate(schema, plainView(value));
  const told = (library.errors ?? []).filter(({ propertyName }) => propertyName === undefined);
  expect(problems.map(({ keyword, message, params, schema: around }) => ({ keyword, message, params, around }))).toEqual(
    told.map(({ keyword, message, params, parentSchema }) => ({ keyword, message, params, around: parentSchema })),
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

const sectionOf = (name: string): readonly unknown[] =>
  documents.flatMap((each) => (isObject(each) ? Object.values(each[name] ?? {}) : []));
const steps = sectionOf("steps");
const inputs = sectionOf("inputs");
// Made anew by each call, so they are told apart by what they say.
const OF_INPUTS = new Set([inputFrame(), inputPartFrame()].map((schema) => JSON.stringify(schema)));

const written: ReadonlyMap<object, readonly unknown[]> = new Map<object, readonly unknown[]>([
  [playbookFrame, documents],
  [stepFrame, steps],
  [environmentSchema, [ENVIRONMENT, ...documents]],
  [SEED.schema, [{ ledger: { tokens: [{}] }, sales: [{}] }, {}, ...SEEDS]],
  [FAULTS.schema, [FAULT_PLAN, {}]],
  [inputFrame(), inputs],
  [inputPartFrame(), inputs],
]);

test("what people write has the same problems by a built check and by one compiled now", () => {
  let found = 0;
  for (const [schema, values] of written) {
    for (const value of values) {
      problemsOf(schema, value);
      for (const spoiled of fc.sample(mutated(value), { seed: 20260402, numRuns: 8 })) {
        found += problemsOf(schema, spoiled).length;
      }
    }
  }
  expect(found).toBeGreaterThan(1_000);
});

test("what is sent and answered has the same problems by a built check and by one compiled now", () => {
  let found = 0;
  for (const schema of fixedSchemas()) {
    if (written.has(schema) || OF_INPUTS.has(JSON.stringify(schema))) continue;
    const values = valuesOf(schema, {});
    const spoiled = values.chain((value) => mutated(value));
    for (const value of fc.sample(values, { seed: 20260402, numRuns: 5 })) problemsOf(schema, value);
    for (const value of fc.sample(spoiled, { seed: 20260402, numRuns: 40 })) found += problemsOf(schema, value).length;
  }
  expect(found).toBeGreaterThan(3_000);
});
