import { expect, test } from "vitest";
import { Failure } from "../../../src/base/failure.ts";
import { parseJson, writeJson } from "../../../src/base/json/json.ts";
import { LIMITS } from "../../../src/base/limits.ts";
import {
  type GivenInputs,
  includedInputs,
  inOrganization,
  resolveInputs,
  someInputs,
} from "../../../src/playbook/inputs/given-inputs.ts";
import { correct, realFiles } from "./helper.ts";

const playbook = correct(`
playbook: 1
inputs:
  property: { type: string, pattern: "^[A-Za-z0-9]+$" }
  shares: { type: decimal, minimum: "0.01", maximum: "1000", default: "1000.00" }
  count: { type: integer, default: 3 }
  go: { type: boolean, default: true }
  colour: { type: string, enum: [red, green], default: red }
  level: { type: decimal, enum: ["1.0", 2], default: 1 }
  ids: { type: list, default: [] }
  extra: { type: object, default: {} }
steps:
  - uses: ledger.status
`);

function resolved(given: GivenInputs): string {
  return writeJson(resolveInputs(playbook, { property: "Loft", ...given }));
}

function refusal(given: GivenInputs): Failure {
  try {
    resolveInputs(playbook, given);
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new Error("the inputs were taken");
}

test("an input that is not given has its default, with every digit", () => {
  expect(resolved({})).toBe(
    '{"property":"Loft","shares":1000.00,"count":3,"go":true,"colour":"red","level":1,"ids":[],"extra":{}}',
  );
});

test("an included playbook takes null as a value, and only absent inputs get their defaults", () => {
  const names = new Set(["colour", "count"]);
  expect(writeJson(someInputs(playbook, { colour: null }, names))).toBe('{"count":3,"colour":null}');
  expect(() => includedInputs(playbook, { property: "Loft", shares: null })).toThrow(
    'test.yaml: "shares" must be of type decimal, and is null',
  );
});

test("text from the command line is read by the declared type of the input", () => {
  expect(
    resolved({ shares: "0.10", count: "4", go: "false", level: "2.00", ids: '["a",1.50]', extra: '{"a":null}', property: "5" }),
  ).toBe('{"property":"5","shares":0.10,"count":4,"go":false,"colour":"red","level":2.00,"ids":["a",1.50],"extra":{"a":null}}');
});

test("values from a file keep their digits", () => {
  expect(resolved(parseJson('{"shares":999.999999999999999999,"count":1.0}') as GivenInputs)).toContain(
    '"shares":999.999999999999999999,"count":1.0',
  );
});

test("one message names all inputs that are missing, unknown or wrong, and the possible inputs", () => {
  const failure = refusal({ shars: "1", count: "2.5", go: "yes", shares: "0.001" });
  expect(failure.code).toBe("input.invalid");
  expect(failure.message).toBe(
    'test.yaml: 5 inputs cannot be used: "shars" is not an input; did you mean "shares"?; "property" must be given; ' +
      '"shares" is 0.001, which is less than 0.01; "count" must be of type integer, and is 2.5 (digits only, such as 1000: no zeros in front); ' +
      '"go" must be of type boolean, and is "yes" (true or false)',
  );
  expect(failure.next).toContain("--input NAME=VALUE; this playbook takes: property (string), shares (decimal)");
});

test("a playbook without inputs refuses an input, and says what to do", () => {
  const without = correct("playbook: 1\nsteps: [{ uses: ledger.status }]\n");
  expect(() => resolveInputs(without, { a: "1" })).toThrow(
    expect.objectContaining({ next: "leave it out, or declare it under inputs: of the playbook" }),
  );
});

test.for<[GivenInputs, string]>([
  [{ property: "a b" }, '"property" is "a b", which does not match ^[A-Za-z0-9]+$'],
  [{ property: "a", shares: "1000.000000000000000001" }, '"shares" is 1000.000000000000000001, which is more than 1000'],
  [{ property: "a", shares: "ten" }, '"shares" must be of type decimal, and is "ten"'],
  [{ property: "a", shares: "1e1001" }, '"shares" must be of type decimal'],
  [{ property: "a", colour: "blue" }, '"colour" must be one of "red", "green"'],
  [{ property: "a", level: "3" }, '"level" must be one of 1.0, 2'],
  [{ property: "a", ids: "{}" }, '"ids" must be of type list, and is {}'],
  [{ property: "a", ids: "[" }, '"ids" must be of type list, and is "[", which is not valid JSON: '],
  [{ property: "a", extra: '{"__proto__":1}' }, "is not allowed"],
  [{ property: "a", extra: '{"a":1,"a":2}' }, '"extra": the key "a" is already on line 1 (keep one of the two)'],
  [{ property: "a", ids: '[{"a": {"b": 1, "b": 1}}]' }, '"ids": the key "b" is already on line 1 (keep one of the two)'],
])("%j is refused: %s", ([given, message]) => {
  expect(refusal(given).message).toContain(message);
});

test("an input may have a name that JavaScript uses", () => {
  const odd = correct(
    "playbook: 1\ninputs: { toString: { type: string, default: x }, valueOf: { type: decimal } }\nsteps: [{ uses: ledger.status }]",
  );
  expect(writeJson(resolveInputs(odd, { valueOf: "1.0" }))).toBe('{"toString":"x","valueOf":1.0}');
});

test("a pattern with exponential backtracking ends at once", () => {
  const slow = correct('playbook: 1\ninputs: { text: { type: string, pattern: "^(a+)+$" } }\nsteps: [{ uses: ledger.status }]');
  expect(() => resolveInputs(slow, { text: `${"a".repeat(5_000)}!` })).toThrow("does not match");
});

const typed = correct(`
playbook: 1
inputs:
  from: { type: date, minimum: 2026-01-01, maximum: "2026-12-31T23:59:59+02:00", default: 2026-03-01 }
  who: { type: entity, default: "userId:alice" }
  holders:
    type: list
    minItems: 1
    unique: holder
    items:
      type: object
      properties:
        holder: { type: entity }
        amount: { type: decimal, minimum: "0.01" }
        note: { type: string, enum: [gift, sale] }
      required: [holder, amount]
    default: [{ holder: { userId: bob, orgId: acme }, amount: "1.50" }, { holder: "walletId:w:1", amount: 2 }]
steps:
  - uses: ledger.status
    expect:
      - date(inputs.from) < date("2026-06-01") && inputs.holders[0].amount == 1.5
      - inputs.who == inputs.holders[0].holder || inputs.holders.all(h, !has(h.note))
`);

test("entities, dates and nested values are the same from a playbook, a file and the command line", () => {
  expect(writeJson(resolveInputs(typed, {}))).toBe(
    '{"from":"2026-03-01","who":{"userId":"alice"},"holders":[{"holder":{"userId":"bob","orgId":"acme"},"amount":1.50},{"holder":{"walletId":"w:1"},"amount":2}]}',
  );
  const given = { who: '{"userId":"eve"}', from: "2026-12-31T21:00Z", holders: '[{"holder":"userId:z","amount":"0.10"}]' };
  expect(writeJson(resolveInputs(typed, given))).toBe(
    '{"from":"2026-12-31T21:00Z","who":{"userId":"eve"},"holders":[{"holder":{"userId":"z"},"amount":0.10}]}',
  );
});

const TEXTS = correct(`
playbook: 1
inputs: { name: { type: string }, list: { type: list }, map: { type: object } }
steps: [{ uses: ledger.status, expect: [inputs.name != "", size(inputs.list) == size(inputs.map)] }]
`);

test.for([
  ["name", "123", 'and is 123 (quote it: "123"; in an expression, write string(…) around it; or declare it with type: integer)'],
  ["name", "1.50", "write string(…) around it; or declare it with type: decimal)"],
  [
    "name",
    "true",
    'and is true (quote it: "true"; in an expression, write string(…) around it; or declare it with type: boolean)',
  ],
  ["list", "1", 'and is 1 (items in brackets, such as ["a", 1])'],
  ["map", "1", 'and is 1 (names and values in braces, such as {"a": 1})'],
] as const)("%s: %s is not of the declared type, and the message says how to write it", ([name, given, says]) => {
  expect(() => resolveInputs(TEXTS, { name: "n", list: [], map: {}, [name]: parseJson(given) })).toThrow(says);
});

test("an entity belongs to the organization of the environment, unless it names another one", () => {
  const values = resolveInputs(typed, { who: "userId:eve" });
  expect(writeJson(inOrganization(typed, values, "org1"))).toBe(
    '{"from":"2026-03-01","who":{"orgId":"org1","userId":"eve"},"holders":[{"holder":{"orgId":"acme","userId":"bob"},"amount":1.50},{"holder":{"orgId":"org1","walletId":"w:1"},"amount":2}]}',
  );
  expect(inOrganization(typed, values, undefined)).toBe(values);
});

test.for<[GivenInputs, string]>([
  [{ from: "2025-12-31" }, '"from" is 2025-12-31, which is before 2026-01-01'],
  [{ from: "2026-12-31T22:00:00Z" }, '"from" is 2026-12-31T22:00:00Z, which is after 2026-12-31T23:59:59+02:00'],
  [{ from: "2026-02-30" }, '"from" is "2026-02-30", which is no date: the month has no such day'],
  [{ who: "alice" }, '"who" must be of type entity, and is "alice" (an attribute and its value, such as userId:alice)'],
  [{ who: "{}" }, '"who" must be of type entity, and is {}'],
  [
    { who: "orgId:acme, userId:a" },
    '"who" must be of type entity, and is "orgId:acme, userId:a" (several attributes are written as {"orgId":"acme","userId":"a"})',
  ],
  [{ who: "userID:alice" }, '"who.userID" is almost an attribute that entities have (did you mean "userId"?)'],
  [
    { holders: '[{"holder":{"userId":"a","floor":1},"amount":1}]' },
    '"holders[0].holder.floor" must be a text, and is 1 (each attribute of an entity is a text)',
  ],
  [{ holders: "[]" }, '"holders" has 0 items, and must have at least 1'],
  [{ holders: '[{"holder":"userId:a","amount":"x"}]' }, '"holders[0].amount" must be of type decimal, and is "x"'],
  [{ holders: '[{"holder":"userId:a"}]' }, '"holders[0]" lacks the field "amount"'],
  [
    { holders: '[{"holder":"userId:a","amount":1,"amuont":2}]' },
    '"holders[0]" has an unknown field "amuont" (did you mean "amount"?)',
  ],
  [
    { holders: '[{"holder":"userId:a","amount":1,"note":"gfit"}]' },
    '"holders[0].note" must be one of "gift", "sale" (did you mean "gift"?)',
  ],
  [
    { holders: '[{"holder":"userId:a","amount":1},{"holder":{"userId":"a"},"amount":1.0}]' },
    '"holders[1].holder" is {"userId":"a"}, the same as "holders[0].holder"',
  ],
])("%j is refused: %s", ([given, message]) => {
  let said = "";
  try {
    resolveInputs(typed, given);
  } catch (error) {
    said = (error as Error).message;
  }
  expect(said).toContain(message);
});

test("the number of listed faults of one input has a limit", () => {
  const holders = JSON.stringify(
    Array.from({ length: LIMITS.inputProblems + 7 }, (_, at) => ({ holder: `userId:${at}`, amount: 0 })),
  );
  expect(() => resolveInputs(typed, { holders })).toThrow(/and 7 problems more$/);
});

const filed = correct(`
playbook: 1
inputs:
  prices: { type: file, schema: { type: array, items: { type: object, properties: { price: { type: number } } } } }
  rows: { type: file, format: csv }
steps:
  - uses: ledger.status
    expect:
      - inputs.prices[0].price > 1
      - inputs.rows[0].amount == "1"
`);

test("the value of a file input is the content of the file", () => {
  const given = { prices: "test/faulty/data/prices.json", rows: "test/faulty/data/wrong-header.csv" };
  expect(() => resolveInputs(filed, given, realFiles)).toThrow(
    '"prices": test/faulty/data/prices.json:3:26 ([1].price) must be a number',
  );
  const right = { prices: "test/unit/playbook/data/prices.yaml", rows: "test/faulty/data/wrong-header.csv" };
  expect(writeJson(resolveInputs(filed, right, realFiles))).toBe(
    '{"prices":[{"id":"T1","price":1.50}],"rows":[{"holder":"userId:alice","amuont":"100.00"}]}',
  );
});

test.for<[GivenInputs, string]>([
  [{}, '"prices" must be given, as the path of a file; "rows" must be given'],
  [{ prices: "none.json" }, '"prices": there is no file none.json'],
  [{ prices: ["a"] }, '"prices" must be the path of a file, and is ["a"]'],
  [{ prices: "test/faulty/data/broken.txt" }, "has no extension of a known format (name it in the playbook"],
])("the inputs %j are refused: %s", ([given, message]) => {
  expect(() => resolveInputs(filed, given, realFiles)).toThrow(message);
});

test("a list or an object that is not JSON is listed with the other mistakes, and with an example", () => {
  const { message, next } = refusal({ ids: "1,2", extra: "{a: 1}" });
  expect(message).toContain('"property" must be given');
  expect(message).toMatch(/"ids" must be of type list, and is "1,2", which is not valid JSON: .+ \(write it as \["a", 1\]\)/);
  expect(message).toMatch(
    /"extra" must be of type object, and is "\{a: 1\}", which is not valid JSON: .+ \(write it as \{"a": 1\}\)/,
  );
  expect(next).toContain("ids (list)");
});
