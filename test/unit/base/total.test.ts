import * as fc from "fast-check";
import { expect, test } from "vitest";
import { Decimal, sum } from "../../../src/base/numbers/decimal.ts";
import { difference, Total } from "../../../src/base/numbers/total.ts";

const NUMBER = fc
  .tuple(fc.oneof(fc.bigInt({ min: -(10n ** 17n), max: 10n ** 17n }), fc.bigInt({ min: -999n, max: 999n })), fc.nat({ max: 20 }))
  .map(([units, exponent]) => Decimal.fromJsonSource(`${units}e-${exponent}`).canonical());

function exactly(canonical: string): Decimal {
  return Decimal.fromJsonSource(canonical);
}

test("a total keeps every digit of its numbers", () => {
  fc.assert(
    fc.property(fc.array(NUMBER, { maxLength: 30 }), (numbers) => {
      const total = new Total();
      for (const number of numbers) total.add(number);
      expect(total.canonical).toBe(sum(numbers.map(exactly)).canonical());
    }),
    { numRuns: 500 },
  );
});

test("a difference keeps every digit of its numbers", () => {
  fc.assert(
    fc.property(NUMBER, NUMBER, (one, other) => {
      expect(difference(one, other)).toBe(exactly(one).minus(exactly(other)).canonical());
    }),
  );
});

test.for(["999999999999999", "0.999999999999999", "99999.9999999999", "4503599627370496", "-0.000000000000001"])(
  "%s is added without rounding",
  (number) => {
    const total = new Total();
    total.add("0.000000000000001");
    total.add(number);
    total.subtract("0.000000000000001");
    expect(total.canonical).toBe(number);
  },
);
