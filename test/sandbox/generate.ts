import * as fc from "fast-check";
import type { Arbitrary } from "fast-check";
import { Decimal } from "../../src/base/numbers/decimal.ts";
import { isObject } from "../../src/base/json/json.ts";
import { resolve, type ContractOperation, type Parameter } from "../../src/contract/contract.ts";
import type { JsonSchema } from "../../src/contract/schema-types.ts";

/** Texts that a place may hold, by the property of the place or by the kind of id that it names. */
export type Pools = Readonly<Record<string, readonly string[]>>;

/** A request as it is sent. */
export interface GeneratedRequest {
  readonly path: string;
  readonly query: readonly (readonly [string, string])[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Sent in place of the body. */
  readonly text?: string;
}

const NUMERALS = [
  "1",
  "1",
  "1",
  "2",
  "3",
  "0",
  "0.5",
  "10",
  "-1",
  "1e999",
  "1e-999",
  "12345678901234567890.12",
  "0.000000000000000000001",
];
const FREE: Arbitrary<unknown> = fc.dictionary(
  fc.constantFrom("id", "value", "city", "__x"),
  fc.constantFrom("P1", "text", 1, null, true),
  {
    maxKeys: 3,
  },
);

/** Returns values that fit a schema. */
export function valuesOf(given: JsonSchema, pools: Pools, property = ""): Arbitrary<unknown> {
  const schema = resolve(given);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.const !== undefined) return fc.constant(schema.const);
  const choices = schema.oneOf ?? schema.anyOf;
  if (choices !== undefined) return fc.oneof(...choices.map((choice) => valuesOf(choice, pools, property)));
  switch ([schema.type].flat()[0]) {
    case "string":
      return textsOf(schema, pools, property);
    case "number":
    case "integer":
      return fc.constantFrom(...NUMERALS.map((numeral) => Decimal.fromJsonSource(numeral)));
    case "boolean":
      return fc.boolean();
    case "array":
      return fc.array(valuesOf(schema.items ?? {}, pools, property), { minLength: schema.minItems ?? 0, maxLength: 2 });
    default:
      return objectsOf(schema, pools);
  }
}

function textsOf(schema: JsonSchema, pools: Pools, property: string): Arbitrary<string> {
  const pool = pools[schema["x-id"] ?? ""] ?? pools[property];
  const free =
    schema.pattern === undefined
      ? fc.string({ minLength: schema.minLength ?? 0, maxLength: 12, unit: "binary" })
      : fc.stringMatching(new RegExp(schema.pattern));
  return pool === undefined ? free : fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...pool) }, { weight: 1, arbitrary: free });
}

function objectsOf({ properties = {}, required = [], additionalProperties }: JsonSchema, pools: Pools): Arbitrary<unknown> {
  // An entity whose parts are each chosen alone seldom exists.
  const whole = pools["entity"] ?? [];
  if (properties["orgId"] !== undefined && whole.length > 0) {
    return fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom(...whole.map((text) => JSON.parse(text) as unknown)) },
      { weight: 1, arbitrary: fc.constantFrom({}, { orgId: "other" }, { orgId: "org1", userId: "" }) },
    );
  }
  const own = Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, valuesOf(schema, pools, name)]));
  const record = fc.record(own, { requiredKeys: [...required] });
  const free = additionalProperties === true ? fc.oneof(fc.constant({}), FREE) : fc.constant({});
  return fc.tuple(free, record).map(([extra, fields]) => ({ ...(extra as object), ...fields }));
}

/** Parameters and a body with which the first request is known to succeed. */
export interface Sample {
  readonly params?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Returns requests that fit the contract of an operation, including the sample, and some requests with one thing wrong. */
export function requestsOf(operation: ContractOperation, pools: Pools, sample?: Sample): Arbitrary<GeneratedRequest> {
  const generated = validRequests(operation, pools);
  const known = sample === undefined ? generated : fc.constant(assemble(operation, sample.params ?? {}, sample.body));
  const valid = fc.oneof({ weight: 2, arbitrary: generated }, { weight: 1, arbitrary: known });
  return fc.oneof({ weight: 3, arbitrary: valid }, { weight: 2, arbitrary: broken(operation, valid) });
}

function validRequests(operation: ContractOperation, pools: Pools): Arbitrary<GeneratedRequest> {
  const names = operation.parameters.filter(({ required }) => required).map(({ name }) => name);
  const given = fc.record(Object.fromEntries(operation.parameters.map((each) => [each.name, wireValues(each, pools)])), {
    requiredKeys: names,
  });
  const body = operation.body === undefined ? fc.constant(undefined) : valuesOf(operation.body, pools);
  return fc.tuple(given, body).map(([values, content]) => assemble(operation, values, content));
}

function wireValues({ name, schema }: Parameter, pools: Pools): Arbitrary<string> {
  const pool = pools[schema["x-id"] ?? name];
  if (pool !== undefined) return fc.constantFrom(...pool);
  if (schema.type === "integer") return fc.constantFrom("1", "2", "25", "1000", "1001", "999999999999999");
  return valuesOf(schema, pools, name).map(String);
}

function assemble(
  { path, parameters }: ContractOperation,
  values: Readonly<Record<string, string | undefined>>,
  body: unknown,
): GeneratedRequest {
  const inPath = parameters.filter((parameter) => parameter.in === "path");
  const filled = inPath.reduce((text, { name }) => text.replace(`{${name}}`, () => encodeURIComponent(values[name] ?? "")), path);
  const query = parameters.flatMap(({ in: place, name }): (readonly [string, string])[] => {
    const value = values[name];
    return place === "path" || value === undefined ? [] : [[name, value]];
  });
  return { path: filled, query, headers: {}, ...(body === undefined ? {} : { body }) };
}

const TEXTS = [
  "",
  "{",
  "[]",
  "null",
  '"text"',
  "{}",
  "[{}]",
  "[null]",
  '{"__proto__": 1}',
  `${"[".repeat(300)}${"]".repeat(300)}`,
  '{"a": 1e99999}',
];
const WRONG_VALUES: readonly unknown[] = [
  null,
  "",
  [],
  {},
  true,
  "x".repeat(5_000),
  [[]],
  { constructorx: 1 },
  Decimal.of(-1),
  [null],
];

type Break = (request: GeneratedRequest) => Arbitrary<GeneratedRequest>;

function broken(operation: ContractOperation, valid: Arbitrary<GeneratedRequest>): Arbitrary<GeneratedRequest> {
  const breaks: readonly Break[] = operation.body === undefined ? QUERY_BREAKS : [...QUERY_BREAKS, ...BODY_BREAKS];
  return fc.tuple(valid, fc.constantFrom(...breaks)).chain(([request, breakIt]) => breakIt(request));
}

const QUERY_BREAKS: readonly Break[] = [
  (request) =>
    fc
      .constantFrom("unknown", "actAs", "depth", "pageSize")
      .map((name) => ({ ...request, query: [...request.query, [name, "::"] as const] })),
  (request) => fc.constant({ ...request, query: [...request.query, ...request.query] }),
  (request) => fc.constant({ ...request, query: request.query.slice(1) }),
  (request) =>
    fc
      .constantFrom("", "\u0000", "-1", "NaN", "%", "a".repeat(1_000))
      .map((value) => ({ ...request, query: request.query.map(([name]) => [name, value] as const) })),
  (request) => fc.constant({ ...request, headers: { "x-api-key": "wrong" } }),
];

const BODY_BREAKS: readonly Break[] = [
  (request) => fc.constantFrom(...TEXTS).map((text) => ({ ...request, text })),
  (request) => fc.constant({ ...request, headers: { "content-type": "text/plain" } }),
  (request) => mutated(request.body).map((body) => ({ ...request, body })),
  (request) => mutated(request.body).map((body) => ({ ...request, body })),
  (request) => mutated(request.body).map((body) => ({ ...request, body })),
];

/** Returns the value with one place deleted, extended or replaced. */
export function mutated(body: unknown): Arbitrary<unknown> {
  const places = placesIn(body);
  return fc
    .tuple(fc.constantFrom(...places), fc.constantFrom("drop", "add", ...WRONG_VALUES))
    .map(([place, how]) => change(body, place, how));
}

type Place = readonly string[];

function placesIn(value: unknown, at: Place = []): readonly Place[] {
  if (Array.isArray(value) || isObject(value)) {
    return [at, ...Object.entries(value as object).flatMap(([key, inner]) => placesIn(inner, [...at, key]))];
  }
  return [at];
}

function change(value: unknown, [key, ...rest]: Place, how: unknown): unknown {
  if (key === undefined) return how === "drop" ? undefined : how === "add" && isObject(value) ? { ...value, unexpected: 1 } : how;
  if (Array.isArray(value))
    return value.flatMap((item: unknown, at) => (String(at) === key ? kept(change(item, rest, how)) : [item]));
  const entries = Object.entries(value as object).flatMap(([name, inner]: [string, unknown]) => {
    return name === key ? kept(change(inner, rest, how)).map((changed) => [name, changed] as const) : [[name, inner] as const];
  });
  return Object.fromEntries(entries);
}

function kept(value: unknown): readonly unknown[] {
  return value === undefined ? [] : [value];
}
