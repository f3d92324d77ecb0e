import * as fc from "fast-check";
import { expect, test } from "vitest";
import { Decimal, sum } from "../../../src/base/numbers/decimal.ts";
import { LIMITS } from "../../../src/base/limits.ts";

function decimal(text: string): Decimal {
  const value = Decimal.parse(text);
  if (value === undefined) throw new RangeError(`${text} is no numeral`);
  return value;
}

test("a number keeps its digits as they were written", () => {
  for (const text of ["12345678901234567890.50", "9007199254740993", "1e3", "1.0", "-0", "0.10", "1E-7"]) {
    expect(decimal(text).text).toBe(text);
    expect(JSON.stringify(decimal(text))).toBe(text);
  }
});

test("arithmetic is exact where floating point is not", () => {
  expect(decimal("0.1").plus(decimal("0.2")).equals(decimal("0.3"))).toBe(true);
  expect(decimal("9007199254740993").minus(decimal("1")).text).toBe("9007199254740992");
  expect(decimal("12345678901234567890.50").times(decimal("2")).text).toBe("24691357802469135781");
  expect(decimal("7").remainder(decimal("-2")).text).toBe("1");
  expect(sum([decimal("0.1"), decimal("0.2"), decimal("-0.3")]).isZero()).toBe(true);
  expect(sum([]).text).toBe("0");
});

test("a division keeps 40 decimal places and rounds half up", () => {
  expect(decimal("1").dividedBy(decimal("3")).text).toBe(`0.${"3".repeat(40)}`);
  expect(decimal("2").dividedBy(decimal("3")).text).toBe(`0.${"6".repeat(39)}7`);
  expect(() => decimal("1").dividedBy(decimal("0"))).toThrow("division by zero");
  expect(() => decimal("1").remainder(decimal("0.0"))).toThrow("division by zero");
});

test("a comparison uses values, not spellings", () => {
  expect(decimal("1.50").equals(decimal("15e-1"))).toBe(true);
  expect(decimal("-0").equals(decimal("0.00"))).toBe(true);
  expect(decimal("10").compare(decimal("9.9999"))).toBe(1);
  expect(["1e3", "1000.00", "1000"].map((text) => decimal(text).canonical())).toEqual(["1000", "1000", "1000"]);
  expect(["0", "-0", "-0.0", "0.00"].map((text) => decimal(text).canonical())).toEqual(["0", "0", "0", "0"]);
  expect(["-0.5", "-0.50", "-7", "10", "0.05", "10.01"].map((text) => decimal(text).canonical())).toEqual([
    "-0.5",
    "-0.5",
    "-7",
    "10",
    "0.05",
    "10.01",
  ]);
  expect(["1.50", "100", "1e-3", "1e3"].map((text) => decimal(text).decimals())).toEqual([1, 0, 3, 0]);
});

test("only JSON numerals are numbers", () => {
  for (const text of ["", "+1", ".5", "5.", "01", "0x10", "1_000", " 1", "1 ", "NaN", "Infinity", "ten", "1e", "--1", "١"]) {
    expect(Decimal.parse(text), text).toBeUndefined();
  }
});

test("digits and exponents have a limit", () => {
  const most = LIMITS.decimalDigits;
  expect(Decimal.parse("9".repeat(most))).toBeDefined();
  expect(Decimal.parse(`-${"9".repeat(most)}`)).toBeDefined();
  expect(Decimal.parse(`-${"9".repeat(most + 1)}`)).toBeUndefined();
  expect(Decimal.parse("9".repeat(most + 1))).toBeUndefined();
  expect(Decimal.parse(`1e${most}`)).toBeDefined();
  expect(Decimal.parse(`1e-${most + 1}`)).toBeUndefined();
  expect(Decimal.parse("1e99999999999999999999")).toBeUndefined();
  expect(() => decimal("9".repeat(most)).times(decimal("10"))).toThrow(RangeError);
});

test("no calculation makes a number that is too long to be read again", () => {
  const most = LIMITS.decimalDigits;
  const largest = decimal("9".repeat(most));
  expect(largest.negated().text).toBe(`-${largest.text}`);
  expect(largest.negated().negated().equals(largest)).toBe(true);
  expect(Decimal.of(BigInt(largest.text)).text).toBe(largest.text);
  for (const make of [
    () => Decimal.of(BigInt(`1${"0".repeat(most)}`)),
    () => Decimal.of(-(10n ** BigInt(most))),
    () => largest.plus(decimal("1")),
    () => largest.negated().minus(decimal("1")),
    () => Decimal.fromJsonSource(`-${"9".repeat(most + 1)}`),
  ]) {
    expect(make).toThrow(new RangeError("a number of more than 1000 digits"));
  }
});

test("the result of any calculation can be written and read again", () => {
  const numerals = fc
    .tuple(fc.bigInt(), fc.nat({ max: 1_000 }), fc.constantFrom("", "-"))
    .map(([digits, exponent, sign]) => `${digits}e${sign}${exponent}`);
  const results = (a: Decimal, b: Decimal): (() => Decimal)[] => [
    () => a.plus(b),
    () => a.minus(b),
    () => a.times(b),
    () => a.dividedBy(b),
    () => a.remainder(b),
    () => a.negated(),
    () => Decimal.of(BigInt(a.canonical())),
  ];
  fc.assert(
    fc.property(numerals, numerals, (one, other) => {
      for (const make of results(decimal(one), decimal(other))) {
        let made: Decimal;
        try {
          made = make();
        } catch {
          continue;
        }
        expect(Decimal.parse(made.text)?.equals(made)).toBe(true);
      }
    }),
  );
});

test("a JavaScript number is accepted only if it is exact", () => {
  expect(Decimal.of(9_007_199_254_740_993n).text).toBe("9007199254740993");
  expect(() => Decimal.of(2 ** 53)).toThrow("not an exact integer");
  expect(() => Decimal.of(0.1)).toThrow("not an exact integer");
});

test("addition agrees with integers of any size", () => {
  fc.assert(
    fc.property(fc.bigInt(), fc.bigInt(), (a, b) => {
      expect(Decimal.of(a).plus(Decimal.of(b)).text).toBe(String(a + b));
      expect(Decimal.of(a).compare(Decimal.of(b))).toBe(a < b ? -1 : a > b ? 1 : 0);
    }),
  );
});
