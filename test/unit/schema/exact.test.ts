import { formatNames } from "ajv-formats/dist/formats.js";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type Json, parseJson, plainView } from "../../../src/base/json/json.ts";
import { Decimal } from "../../../src/base/numbers/decimal.ts";
import { userSchema } from "../../../src/playbook/inputs/user-schema.ts";
import { FORMATS } from "../../../src/schema/keywords.ts";
import { SchemaSet } from "../../../src/schema/validator.ts";
import { essential, restOfSentence } from "../../../src/source/problems.ts";

/** Validates a value against a schema, both as JSON texts. Returns the problems, or why the schema cannot be used. */
function judged(schema: string, value: string): readonly string[] | string {
  const ready = userSchema(parseJson(schema));
  if ("message" in ready) return `${ready.path.join("/")}: ${ready.message}`;
  return essential(ready.validate(parseJson(value))).map((problem) => restOfSentence(problem).message);
}

test.each([
  ['{"minimum": 9007199254740993}', "9007199254740992", "must be at least 9007199254740993"],
  ['{"minimum": 9007199254740993}', "9007199254740993", undefined],
  ['{"exclusiveMinimum": 9007199254740993}', "9007199254740993", "must be more than 9007199254740993"],
  ['{"maximum": 100.00000000000000000001}', "100.000000000000000000005", undefined],
  ['{"maximum": 100.00000000000000000001}', "100.00000000000000000002", "must be at most 100.00000000000000000001"],
  ['{"type": "number", "minimum": 0.1}', "0.09999999999999999999999", "must be at least 0.1"],
  ['{"const": 9007199254740993}', "9007199254740992", "must be 9007199254740993"],
  ['{"const": {"a": [1.0]}}', '{"a": [1]}', undefined],
  ['{"enum": [0.1, 9007199254740993]}', "9007199254740992", "must be one of: 0.1, 9007199254740993"],
  ['{"enum": [0.1, 9007199254740993]}', "0.10", undefined],
  ['{"enum": [null, true, "a"]}', '"b"', "must be one of: null, true, a"],
  ['{"type": "integer"}', "1000000000000000.05", "must be a whole number"],
  ['{"type": "integer"}', "0.0000000000000000000000001e-400", "must be a whole number"],
  ['{"type": "integer"}', "1.0e400", undefined],
  ['{"maximum": 1e400}', "5", undefined],
  ['{"maximum": 1e400}', "1.1e400", "must be at most 1e400"],
  ['{"multipleOf": 1e-400}', "3e-400", undefined],
  ['{"multipleOf": 1e-400}', "3e-401", "must be a multiple of 1e-400"],
  ['{"format": "int64"}', "9223372036854775808", "must be at most 9223372036854775807"],
  ['{"format": "int64"}', "9223372036854775807", undefined],
  ['{"format": "int32"}', "2147483646.99999999999999999999", "must be a valid int32"],
] as const)("the schema %s judges %s exactly", (schema, value, problem) => {
  const expected = problem === undefined ? [] : [problem];
  expect(judged(schema, value)).toEqual(expected);
  expect(judged(`{"properties": {"a/b": {"items": ${schema}}}}`, `{"a/b": [${value}]}`)).toEqual(expected);
});

test("the name of a field is compared literally", () => {
  const names = '{"propertyNames": {"enum": ["a", "b"]}, "properties": {"a": {"const": {"b": 1}}}}';
  expect(judged(names, '{"a": {"b": 1.0}, "b": 2}')).toEqual([]);
  expect(judged(names, '{"c": 2}')).toHaveLength(1);
});

const RULES: Readonly<Record<string, (sign: number) => boolean>> = {
  minimum: (sign) => sign >= 0,
  maximum: (sign) => sign <= 0,
  exclusiveMinimum: (sign) => sign > 0,
  exclusiveMaximum: (sign) => sign < 0,
  const: (sign) => sign === 0,
};

// Two numbers that are equal or differ very little.
const pairs = fc
  .tuple(fc.bigInt(), fc.bigInt({ min: -2n, max: 2n }), fc.integer({ min: -40, max: 40 }))
  .map(([digits, more, exponent]) => [`${digits}e${exponent}`, `${digits + more}e${exponent}`] as const);

test("a limit compares all digits of a number", () => {
  fc.assert(
    fc.property(pairs, fc.constantFrom(...Object.entries(RULES)), ([value, limit], [rule, holds]) => {
      const sign = Decimal.fromJsonSource(value).compare(Decimal.fromJsonSource(limit));
      expect(judged(`{"${rule}": ${limit}}`, value)).toHaveLength(holds(sign) ? 0 : 1);
      expect(judged(`{"items": {"not": {"${rule}": ${limit}}}}`, `[${value}]`)).toHaveLength(holds(sign) ? 1 : 0);
    }),
  );
});

test("a schema sees a number as whole only if it is whole, and on the right side of every whole number", () => {
  const numerals = fc.oneof(
    pairs.map(([numeral]) => numeral),
    fc.tuple(fc.bigInt({ min: -(2n ** 54n), max: 2n ** 54n }), fc.stringMatching(/^0{0,30}[0-9]$/)).map(([a, b]) => `${a}.${b}`),
  );
  fc.assert(
    fc.property(numerals, (numeral) => {
      const exact = Decimal.fromJsonSource(numeral);
      const like = exact.likeness();
      expect(Number.isInteger(like)).toBe(exact.isInteger());
      if (Math.abs(like) >= 2 ** 51 || Math.abs(like) === 0.5) return;
      const below = Decimal.of(Math.floor(like));
      expect([exact.compare(below) >= 0, exact.compare(below.plus(Decimal.of(1))) < 0]).toEqual([true, true]);
    }),
    { numRuns: 2_000 },
  );
});

test.each([
  ['{"minimun": 1}', 'minimun: cannot be used: "minimun" is no keyword of JSON Schema 2020-12: did you mean minimum?'],
  ['{"properties": {"a": {"propertie": {}}}}', 'properties/a/propertie: cannot be used: "properties.a.propertie" is no keyword'],
  ['{"$defs": {"a": {"nullable": true}}}', 'did you mean type: [string, "null"]?'],
  ['{"items": {"whatever": 1}}', "a keyword of your own begins with x-"],
  [
    '{"type": "string", "format": "e-mail"}',
    'format: cannot be used: "format" is no format that is checked here: did you mean email?',
  ],
  ['{"anyOf": [{"format": "zzz"}]}', "the formats are date, time, date-time"],
  ['{"maxItems": 2.9999999999999999999999}', 'maxItems: cannot be used: "maxItems" must be a whole number'],
  ['{"minLength": -1e-400}', "minLength: cannot be used"],
])("the schema %s is refused, with its mistake", (schema, message) => {
  expect(judged(schema, "1")).toContain(message);
});

test("data, names of fields and `x-` keywords in a schema are not unknown keywords", () => {
  const schema =
    '{"x-unit": "EUR", "default": {"minimun": 1}, "const": {"a": 1}, "properties": {"minimun": {"examples": [{"b": 1}]}}}';
  expect(judged(schema, '{"a": 1}')).toEqual([]);
});

test("the known formats are exactly those that have a check", () => {
  expect([...FORMATS].toSorted()).toEqual(formatNames.toSorted());
});

test("a number that is only nearly whole is refused as an integer", () => {
  const check = new SchemaSet().validator({ type: "integer", minimum: 1 });
  const value = (text: string): Json => parseJson(`[${text}]`);
  for (const text of ["1.99999999999999999999", "404.00000000000000000001", "2.9999999999999999999999"]) {
    expect(new SchemaSet().validator({ items: { type: "integer" } })(value(text)), text).toHaveLength(1);
    expect(check(Decimal.fromJsonSource(text)), text).toHaveLength(1);
    expect(Number.isInteger((plainView(value(text)) as readonly number[])[0]), text).toBe(false);
  }
  expect(check(Decimal.fromJsonSource("2.000"))).toEqual([]);
});
