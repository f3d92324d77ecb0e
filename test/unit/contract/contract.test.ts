import { expect, test } from "vitest";
import { contract, resolve } from "../../../src/contract/contract.ts";
import { DEFAULT_PROFILE, profileWith } from "../../../src/contract/profile.ts";
import type { JsonSchema } from "../../../src/contract/schema-types.ts";
import { validatorOf } from "../../../src/contract/validators.ts";

// The keywords that JsonSchema lists. `satisfies` keeps the two lists the same.
const KEYWORDS = {
  $ref: 1,
  title: 1,
  description: 1,
  type: 1,
  properties: 1,
  required: 1,
  additionalProperties: 1,
  items: 1,
  minItems: 1,
  maxItems: 1,
  minLength: 1,
  pattern: 1,
  minimum: 1,
  maximum: 1,
  enum: 1,
  const: 1,
  oneOf: 1,
  anyOf: 1,
  format: 1,
  default: 1,
  examples: 1,
  "x-id": 1,
  "x-profile": 1,
  "x-words": 1,
} satisfies Record<keyof Required<JsonSchema>, 1>;

function* schemasIn(schema: JsonSchema): Generator<JsonSchema> {
  yield schema;
  const { properties = {}, items, additionalProperties, oneOf = [], anyOf = [] } = schema;
  const inner = [...Object.values(properties), ...oneOf, ...anyOf, ...(items === undefined ? [] : [items])];
  if (typeof additionalProperties === "object") inner.push(additionalProperties);
  for (const each of inner) yield* schemasIn(each);
}

const operations = Object.values(contract.operations);
const all = [
  ...Object.values(contract.$defs),
  ...operations.flatMap(({ parameters, body, response }) => [
    ...parameters.map(({ schema }) => schema),
    ...(body === undefined ? [] : [body]),
    ...(response === undefined ? [] : [response]),
  ]),
].flatMap((schema) => [...schemasIn(schema)]);

test("we read every keyword that the contract uses", () => {
  const used = new Set(all.flatMap((schema) => Object.keys(schema)));
  expect([...used].filter((keyword) => !(keyword in KEYWORDS))).toEqual([]);
});

test("every reference leads to a schema", () => {
  const references = all.filter(({ $ref }) => $ref !== undefined);
  expect(references.length).toBeGreaterThan(100);
  for (const schema of references) expect(resolve(schema), schema.$ref).toBeDefined();
});

test("every schema compiles, and every example fits its schema", () => {
  for (const { name, body, response, exampleBody } of operations) {
    if (response !== undefined) expect(() => validatorOf(response)(null), name).not.toThrow();
    if (body !== undefined && exampleBody !== undefined) expect(validatorOf(body)(exampleBody), name).toEqual([]);
  }
});

test("every path parameter is in the path, and required", () => {
  for (const { name, path, parameters } of operations) {
    const placed = parameters.filter((parameter) => parameter.in === "path");
    expect(
      [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter),
      name,
    ).toEqual(placed.map((parameter) => parameter.name));
    expect(
      placed.every(({ required }) => required),
      name,
    ).toBe(true);
  }
});

test("the profile can rename every parameter with a guessed name", () => {
  for (const { name, interface: side, parameters } of operations) {
    const known = [...Object.keys(DEFAULT_PROFILE[side].parameters), "onBehalfOf"];
    for (const { profile } of parameters) if (profile !== undefined) expect(known, name).toContain(profile);
  }
});

test("a profile replaces only the settings that it names", () => {
  const profile = profileWith({
    ledger: { onBehalfOf: { in: "header", name: "X" }, primaryKey: { Property: "deed" } },
    refusals: [400],
  });
  expect(profile.ledger).toEqual({
    ...DEFAULT_PROFILE.ledger,
    onBehalfOf: { in: "header", name: "X" },
    primaryKey: { Property: "deed" },
  });
  expect(profile.refusals).toEqual([400]);
  expect(profile.investor).toEqual(DEFAULT_PROFILE.investor);
  expect(profileWith(JSON.parse('{"__proto__":{"polluted":1},"ledger":{"nope":1}}') as object)).toEqual(DEFAULT_PROFILE);
});
