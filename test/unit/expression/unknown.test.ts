import { expect, test } from "vitest";
import { Decimal } from "../../../src/base/numbers/decimal.ts";
import type { Json } from "../../../src/base/json/json.ts";
import { EvaluationFailure, Expression } from "../../../src/expression/expression.ts";
import { Unforeseen, unknownValue } from "../../../src/expression/unknown.ts";

const WHY = "nobody has looked yet";
const scope = {
  yes: true,
  no: false,
  u: unknownValue(WHY),
  step: { outcome: "changed", id: unknownValue(WHY), list: [unknownValue(WHY), Decimal.of(1)] },
  items: [{ a: Decimal.of(1) }, { a: unknownValue(WHY) }, { a: Decimal.of(3) }],
};

function valueOf(text: string): Json {
  const parsed = Expression.parse(text);
  if (!(parsed instanceof Expression)) throw new Error(parsed.message);
  return parsed.evaluate(scope);
}

test.each([
  ["yes || u", true],
  ["u || yes", true],
  ["u.a.b == 1 || yes", true],
  ["no && u", false],
  ["u && no", false],
  ["yes ? 'a' : u", "a"],
  ["no ? u : 'b'", "b"],
  ['step.outcome == "changed"', true],
  ["items.exists(i, i.a == 3)", true],
  ["items.all(i, i.a < 3)", false],
  ["items.size() == 3", true],
  ["step == step", true],
])("%s is known", (text, value) => {
  expect(valueOf(text)).toBe(value);
});

test.each([
  "u",
  "u || no",
  "no || u",
  "u && yes",
  "u || u",
  "!u",
  "u ? 'a' : 'b'",
  "u == 1",
  "u != u",
  "u.a",
  "u.a.b",
  "u[0]",
  "'x' in u",
  "u in [1]",
  "u + 1",
  "u.size()",
  "size(u)",
  "u.map(i, i)",
  "u.exists(i, true)",
  "step.id",
  "step.id == 'a'",
  "step",
  "u || 1 / 0 == 1",
  "1 / 0 == 1 || u",
  "u && step.nope",
  "[step.id]",
  "{'a': step.id}",
  "step.list[0]",
  "step.list",
  "has(u.a)",
  "has(step.id)",
  "has(step.id.x)",
  "u.?a.hasValue()",
  "step.?id.orValue('x')",
  "string(u)",
  "date(u) < date('2026-01-01')",
  "items.map(i, i.a)",
  "items.exists(i, i.a == 4)",
  "items.all(i, i.a > 0)",
  "items[1].a",
])("%s is unknown, and the reason is shown", (text) => {
  expect(() => valueOf(text)).toThrow(Unforeseen);
  expect(() => valueOf(text)).toThrow(WHY);
});

test("an expression that can never have a value is a failure, and not unknown", () => {
  expect(() => valueOf("step.nope")).toThrow(EvaluationFailure);
  expect(() => valueOf("1 / 0 == 1.5 && yes")).toThrow(EvaluationFailure);
});
