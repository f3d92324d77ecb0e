import * as fc from "fast-check";
import { expect, test } from "vitest";
import { Decimal } from "../../../src/base/numbers/decimal.ts";
import type { Json } from "../../../src/base/json/json.ts";
import { Expression } from "../../../src/expression/expression.ts";
import { unknownValue } from "../../../src/expression/unknown.ts";

const scalar = fc.constantFrom<Json>(null, true, "", "text", Decimal.fromJsonSource("1.50"), Decimal.of(7));
const { value } = fc.letrec<{ value: Json }>((again) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    scalar,
    fc.array(again("value"), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom("a", "b", "size"), again("value"), { maxKeys: 2 }),
  ),
}));
const step = fc.constantFrom(
  ".a",
  ".b",
  ".size",
  "['a']",
  "[0]",
  "[1]",
  "[7]",
  ".toString",
  ".constructor",
  ".length",
  ".hasOwnProperty",
);

/** Returns the result of an expression as JSON. All failures give the same result, because their words do not matter here. */
function given(text: string, row: Json): string {
  const expression = Expression.parse(text);
  if (!(expression instanceof Expression)) return "no expression";
  try {
    return JSON.stringify(expression.evaluate({ row })) ?? "nothing";
  } catch {
    return "fails";
  }
}

test("a path to a field has the same value alone and within an expression", () => {
  let found = 0;
  fc.assert(
    fc.property(value, fc.array(step, { maxLength: 3 }), (row, steps) => {
      const path = `row${steps.join("")}`;
      const simply = given(path, row);
      found += simply === "fails" ? 0 : 1;
      expect(simply, path).toBe(given(`true ? ${path} : ${path}`, row));
    }),
    { numRuns: 1_000 },
  );
  expect(found).toBeGreaterThan(100);
});

test("a field of an unknown value is unknown", () => {
  const path = Expression.parse("row.a.b");
  if (!(path instanceof Expression)) throw new Error("it is a path");
  expect(() => path.evaluate({ row: unknownValue("not yet") })).toThrow("not yet");
  expect(() => path.evaluate({ row: { a: unknownValue("not yet") } })).toThrow("not yet");
});
