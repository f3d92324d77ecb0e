import { expect, test } from "vitest";
import { Failure } from "../../../src/base/failure.ts";
import { parseJson, writeJson } from "../../../src/base/json.ts";
import { type GivenInputs, resolveInputs } from "../../../src/playbook/inputs.ts";
import { correct } from "./helper.ts";

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

test("what is not given has its default, digits and all", () => {
  expect(resolved({})).toBe(
    '{"property":"Loft","shares":1000.00,"count":3,"go":true,"colour":"red","level":1,"ids":[],"extra":{}}',
  );
});

test("text from the command line is read by the declaration", () => {
  expect(
    resolved({ shares: "0.10", count: "4", go: "false", level: "2.00", ids: '["a",1.50]', extra: '{"a":null}', property: "5" }),
  ).toBe('{"property":"5","shares":0.10,"count":4,"go":false,"colour":"red","level":2.00,"ids":["a",1.50],"extra":{"a":null}}');
});

test("values from a file keep their digits", () => {
  expect(resolved(parseJson('{"shares":999.999999999999999999,"count":1.0}') as GivenInputs)).toContain(
    '"shares":999.999999999999999999,"count":1.0',
  );
});

test("one message names every input that is missing, unknown or wrong, and what can be given", () => {
  const failure = refusal({ shars: "1", count: "2.5", go: "yes", shares: "0.001" });
  expect(failure.code).toBe("input.invalid");
  expect(failure.message).toBe(
    'test.yaml: 5 inputs cannot be used: "shars" is no input; did you mean "shares"?; "property" must be given; ' +
      '"shares" is 0.001, which is less than 0.01; "count" must be of type integer, and is 2.5 (digits only, such as 1000); ' +
      '"go" must be of type boolean, and is "yes" (true or false)',
  );
  expect(failure.next).toContain("--input NAME=VALUE; this playbook takes: property (string), shares (decimal)");
});

test.for<[GivenInputs, string]>([
  [{ property: "a b" }, '"property" is "a b", which does not match ^[A-Za-z0-9]+$'],
  [{ property: "a", shares: "1000.000000000000000001" }, '"shares" is 1000.000000000000000001, which is more than 1000'],
  [{ property: "a", shares: "ten" }, '"shares" must be of type decimal, and is "ten"'],
  [{ property: "a", shares: "1e1001" }, '"shares" must be of type decimal'],
  [{ property: "a", colour: "blue" }, '"colour" must be one of "red", "green"'],
  [{ property: "a", level: "3" }, '"level" must be one of 1.0, 2'],
  [{ property: "a", ids: "{}" }, '"ids" must be of type list, and is {}'],
  [{ property: "a", ids: "[" }, "is no JSON list"],
  [{ property: "a", extra: '{"__proto__":1}' }, "is not allowed"],
])("%j is refused: %s", ([given, message]) => {
  expect(refusal(given).message).toContain(message);
});

test("an input may be called as JavaScript calls something of its own", () => {
  const odd = correct(
    "playbook: 1\ninputs: { toString: { type: string, default: x }, valueOf: { type: decimal } }\nsteps: [{ uses: ledger.status }]",
  );
  expect(writeJson(resolveInputs(odd, { valueOf: "1.0" }))).toBe('{"toString":"x","valueOf":1.0}');
});

test("a pattern that would run away elsewhere ends at once", () => {
  const slow = correct('playbook: 1\ninputs: { text: { type: string, pattern: "^(a+)+$" } }\nsteps: [{ uses: ledger.status }]');
  const start = performance.now();
  expect(() => resolveInputs(slow, { text: `${"a".repeat(5_000)}!` })).toThrow("does not match");
  expect(performance.now() - start).toBeLessThan(1_000);
});
