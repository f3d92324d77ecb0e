// Damaged answers, and an independent judge that knows whether the contract still allows them.
import * as fc from "fast-check";
import type { Arbitrary } from "fast-check";
import { Decimal } from "../../../src/base/numbers/decimal.ts";
import { isObject, writeJson } from "../../../src/base/json/json.ts";
import { resolve, type ContractOperation } from "../../../src/contract/contract.ts";
import type { JsonSchema } from "../../../src/contract/schema-types.ts";

/** An answer as it is sent to the client. */
export interface Mutated {
  readonly text: string;
  /** What the client must say when it refuses the answer; undefined if the contract allows the answer. */
  readonly says: RegExp | undefined;
}

/** Generates whole answers that fit the contract: they have every field, and now and then a list with several items. */
export function answersOf({ interface: side, response = {} }: ContractOperation): Arbitrary<unknown> {
  const whole = valuesOf(response);
  if (side === "ledger") return whole.map(withItsCount);
  const { type } = resolve(resolve(response).properties?.["status"] ?? {});
  const successes = [type].flat().map((each) => (each === "string" ? "SUCCESS" : Decimal.of(1)));
  return fc.tuple(whole, fc.constantFrom(...successes)).map(([answer, status]) => ({ ...(answer as object), status }));
}

function withItsCount(answer: unknown): unknown {
  const { records, assets = records } = answer as Counted;
  return Array.isArray(assets) && Object.hasOwn(answer as object, "count")
    ? { ...(answer as object), count: Decimal.of(assets.length) }
    : answer;
}

function valuesOf(schema: JsonSchema): Arbitrary<unknown> {
  const { type, properties = {}, items = {}, oneOf, anyOf, enum: words } = resolve(schema);
  const choices = oneOf ?? anyOf;
  if (words !== undefined) return fc.constantFrom(...words);
  if (choices !== undefined) return fc.oneof(...choices.map(valuesOf));
  switch ([type].flat()[0]) {
    case "string":
      return fc.oneof(
        { weight: 3, arbitrary: fc.string({ minLength: 1, maxLength: 8 }) },
        { weight: 1, arbitrary: fc.constantFrom(...TEXTS) },
      );
    case "number":
    case "integer":
      return fc.constantFrom(...NUMBERS.map((numeral) => Decimal.fromJsonSource(numeral)));
    case "boolean":
      return fc.boolean();
    case "array":
      return fc.array(valuesOf(items), { minLength: 1, maxLength: 2 });
    default:
      return fc.record(Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, valuesOf(field)])));
  }
}

const TEXTS = ["true", "7", "null", "\u0000\u001b[31m", "🏠", "x".repeat(20_000)];
const NUMBERS = ["0", "1", "-7", "0.1", "12345678901234567890.50", "1e300", "1e-999"];

const DEEP = Array.from({ length: 150 }).reduce((inner) => [inner], "bottom" as unknown);
const NOT_FITTING: readonly unknown[] = [
  null,
  "SOMETHING_NEW",
  "true",
  "7",
  "",
  true,
  false,
  Decimal.of(7),
  Decimal.fromJsonSource("1e400"),
  [],
  {},
  [[]],
  [null],
  { status: "SUCCESS", response: {} },
  DEEP,
];

/** Generates answers in which one thing is changed, dropped or added, in some field or in the answer as a whole. */
export function mutationsOf(operation: ContractOperation): Arbitrary<Mutated> {
  return answersOf(operation)
    .chain((answer) => fc.oneof({ weight: 5, arbitrary: oneThing(answer) }, { weight: 1, arbitrary: otherWholes(answer) }))
    .map((answer) => ({ text: answer === undefined ? "" : writeJson(answer), says: whatIsWrong(operation, answer) }));
}

function oneThing(answer: unknown): Arbitrary<unknown> {
  const change = fc.oneof(
    { weight: 2, arbitrary: fc.constant("drop") },
    { weight: 1, arbitrary: fc.constant("add") },
    { weight: 5, arbitrary: fc.constantFrom(...NOT_FITTING.map((value) => ({ value }))) },
  );
  return fc.tuple(fc.constantFrom(...placesIn(answer)), change).map(([place, how]) => changed(answer, place, how));
}

function otherWholes(answer: unknown): Arbitrary<unknown> {
  const bare = isObject(answer) ? (answer["response"] ?? {}) : {};
  const statuses = [0, 2, -1].map((status) => ({ ...(answer as object), status: Decimal.of(status) }));
  const words = ["FAILED", "success", "1", ""].map((status) => ({ ...(answer as object), status }));
  const others = [
    [answer],
    { status: "SUCCESS", response: answer },
    { error: "Something went wrong" },
    bare,
    "",
    "ok",
    Decimal.of(1),
  ];
  return fc.constantFrom(...others, ...statuses, ...words);
}

type Change = "drop" | "add" | { readonly value: unknown };
type Place = readonly string[];

function placesIn(value: unknown, at: Place = []): readonly Place[] {
  if (!Array.isArray(value) && !isObject(value)) return [at];
  return [at, ...Object.entries(value as object).flatMap(([key, inner]) => placesIn(inner, [...at, key]))];
}

function changed(value: unknown, [key, ...rest]: Place, how: Change): unknown {
  if (key === undefined) {
    if (how === "drop") return undefined;
    return how === "add" ? (isObject(value) ? { ...value, addedLater: { since: "1.1" } } : value) : how.value;
  }
  const entries = Object.entries(value as object).flatMap(([name, inner]: [string, unknown]) => {
    const kept = name === key ? changed(inner, rest, how) : inner;
    return kept === undefined ? [] : [[name, kept] as const];
  });
  return Array.isArray(value) ? entries.map(([, inner]) => inner) : Object.fromEntries(entries);
}

/** Returns texts that are not answers at all. */
export function brokenTexts(answer: unknown): readonly Mutated[] {
  const text = writeJson(answer);
  const noJson = /is not JSON/;
  return [
    { text: "", says: /has no JSON body/ },
    { text: " \r\n", says: /has no JSON body/ },
    { text: "<!doctype html><title>Sign in</title>", says: /is not JSON|a web page .* instead of JSON/ },
    { text: "OK", says: noJson },
    { text: text.slice(0, -1), says: noJson },
    { text: `${text}}`, says: noJson },
    { text: `${text}\n${text}`, says: noJson },
    { text: "{'status': 'SUCCESS'}", says: noJson },
    { text: '{"status": NaN}', says: noJson },
    { text: `${"[".repeat(100_000)}${"]".repeat(100_000)}`, says: /nested deeper than/ },
    { text: '{"a":'.repeat(300) + "1" + "}".repeat(300), says: /nested deeper than/ },
    { text: `{"count": ${"9".repeat(2_000)}}`, says: /a number of more than/ },
    { text: '{"count": 1e999999}', says: /a number of more than/ },
    { text: '{"__proto__": {"admin": true}}', says: /"__proto__" is not allowed/ },
    { text: '{"data": {"constructor": 1}}', says: /"constructor" is not allowed/ },
  ];
}

/** Returns what the contract has against an answer, if anything. Checks the written schema first, then the rules in the description. */
function whatIsWrong(operation: ContractOperation, given: unknown): RegExp | undefined {
  const { response = {}, interface: side } = operation;
  if (given === undefined) return /has no JSON body/;
  const answer = withoutNulls(response, given);
  const fault = faultIn(response, answer, ["answer"]);
  if (fault !== undefined) return new RegExp(`^HTTP 2\\d\\d, but ${fault.join("\\.")} must `);
  const payload = side === "investor" ? (answer as Envelope).response : answer;
  if (side === "investor" && !isSuccess((answer as Envelope).status)) return /the envelope's status is .*, which is not success/;
  if (isWriteOf(operation)) return wrongResult(operation, payload);
  if (isObject(payload) && !hasKnownField(side === "investor" ? envelopeOf(response) : response, payload))
    return /has none of the fields/;
  const { properties = {} } = resolve(response);
  if (side === "investor" || properties["count"] === undefined) return undefined;
  return "records" in properties ? wrongCount(payload as Counted, "records") : wrongCount(payload as Counted, "assets");
}

interface Envelope {
  readonly status?: unknown;
  readonly response?: unknown;
}
interface Counted {
  readonly count?: unknown;
  readonly records?: unknown;
  readonly assets?: unknown;
}

function isWriteOf({ response = {} }: ContractOperation): boolean {
  return response.$ref?.endsWith("/WriteResult") === true;
}

// A write that was sent with async=true can be followed only by its receipt.
function wrongResult({ parameters }: ContractOperation, result: unknown): RegExp | undefined {
  const { transactionId = "", receiptId = "" } = result as Readonly<Record<string, unknown>>;
  const async = parameters.some(({ name }) => name === "async");
  if (transactionId === "" && receiptId === "") return /names neither a transaction nor a receipt/;
  return async && receiptId === "" ? /names no receipt/ : undefined;
}

function isSuccess(status: unknown): boolean {
  return status === "SUCCESS" || (status instanceof Decimal && status.equals(Decimal.of(1)));
}

function envelopeOf(schema: JsonSchema): JsonSchema {
  return resolve(schema).properties?.["response"] ?? {};
}

function hasKnownField(schema: JsonSchema, payload: object): boolean {
  return Object.keys(resolve(schema).properties ?? {}).some((name) => Object.hasOwn(payload, name));
}

function wrongCount(answer: Counted, list: "records" | "assets"): RegExp | undefined {
  const { count, [list]: items } = answer;
  const claimed = count instanceof Decimal ? Number(count.text) : undefined;
  if (Array.isArray(items)) return (claimed ?? items.length) === items.length ? undefined : /answer\.count is .* holds \d/;
  return claimed === 0 ? undefined : new RegExp(`answer\\.${list} is missing, and answer\\.count is not 0`);
}

// Removes each null from a field that may be left out but may not be null.
function withoutNulls(given: JsonSchema, value: unknown): unknown {
  const { items = {}, properties = {}, required = [], additionalProperties: others } = resolve(given);
  if (Array.isArray(value)) return value.map((item) => withoutNulls(items, item));
  if (!isObject(value)) return value;
  const fields = Object.entries(value).flatMap(([name, inner]) => {
    const field = properties[name] ?? (typeof others === "object" ? others : {});
    const isMeant = inner !== null || required.includes(name) || faultIn(field, null, []) === undefined;
    return isMeant ? [[name, withoutNulls(field, inner)] as const] : [];
  });
  return Object.fromEntries(fields);
}

type Fault = readonly string[];

// Validates against the contract's schemas a second time, without sharing any code with the client.
function faultIn(given: JsonSchema, value: unknown, path: Fault): Fault | undefined {
  const schema = resolve(given);
  const choices = schema.oneOf ?? schema.anyOf;
  if (choices !== undefined) return choices.some((choice) => faultIn(choice, value, path) === undefined) ? undefined : path;
  const types = [schema.type ?? []].flat();
  if (types.length > 0 && !types.includes(typeOf(value) as never)) return path;
  if (schema.enum !== undefined && !schema.enum.includes(value as string)) return path;
  if (Array.isArray(value))
    return firstOf(value.map((item, at) => () => faultIn(schema.items ?? {}, item, [...path, String(at)])));
  return isObject(value) ? faultInObject(schema, value, path) : undefined;
}

function faultInObject(
  { required = [], properties = {}, additionalProperties: others }: JsonSchema,
  value: object,
  path: Fault,
): Fault | undefined {
  if (required.some((name) => !Object.hasOwn(value, name))) return path;
  const ofOthers = typeof others === "object" ? others : {};
  return firstOf(
    Object.entries(value).map(
      ([name, inner]) =>
        () =>
          faultIn(properties[name] ?? ofOthers, inner, [...path, name]),
    ),
  );
}

function firstOf(looks: readonly (() => Fault | undefined)[]): Fault | undefined {
  for (const look of looks) {
    const fault = look();
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (value instanceof Decimal) return "number";
  return Array.isArray(value) ? "array" : typeof value;
}
