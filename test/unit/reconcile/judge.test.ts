import { array, assert, boolean, property, stringMatching, tuple } from "fast-check";
import { expect, test } from "vitest";
import { Decimal } from "../../../src/base/numbers/decimal.ts";
import { differenceOf, judge, type Rules } from "../../../src/reconcile/judge.ts";
import type { SideValue } from "../../../src/reconcile/row.ts";
import { Total } from "../../../src/base/numbers/total.ts";

const EXACTLY: Rules = { tolerance: Decimal.of(0), sums: { left: false, right: false } };

function one(value: string | null, rows = 1): SideValue {
  return { rows, value, at: undefined };
}

test.each([
  ["the same", one("10"), one("10"), []],
  ["off by the smallest unit", one("0.3"), one("0.300000000000000001"), ["differs"]],
  ["only on the right", undefined, one("1"), ["missing-left"]],
  ["only on the left", one("1"), undefined, ["missing-right"]],
  ["twice on the left", one("2", 2), one("1"), ["duplicate-left"]],
  ["twice on both", one("2", 2), one("2", 2), ["duplicate-left", "duplicate-right"]],
  ["twice on the right, and not on the left", undefined, one("2", 2), ["duplicate-right", "missing-left"]],
  ["cents for euros", one("12.34"), one("1234"), ["unit"]],
  ["units of eighteen decimals for units of two", one("5000000000000000000"), one("500"), ["unit"]],
  ["another sign in another unit", one("-12.34"), one("1234"), ["differs"]],
  ["ten times as much", one("12.34"), one("123.4"), ["differs"]],
  ["nothing against something", one("0"), one("100"), ["differs"]],
  ["there, without values", one(null), one(null), []],
])("%s", (_, left, right, kinds) => {
  expect(judge({ left, right }, EXACTLY)).toEqual(kinds);
});

test("several rows of one key count as one on a side that adds them up", () => {
  expect(judge({ left: one("2", 2), right: one("2") }, { ...EXACTLY, sums: { left: true, right: false } })).toEqual([]);
});

test("rows that add up to zero count as absent, and a single row of zero counts as present", () => {
  const sums = { left: true, right: true };
  expect(judge({ left: one("0", 2), right: undefined }, { ...EXACTLY, sums })).toEqual([]);
  expect(judge({ left: undefined, right: one("0", 2) }, { ...EXACTLY, sums })).toEqual([]);
  expect(judge({ left: one("0"), right: undefined }, EXACTLY)).toEqual(["missing-right"]);
  expect(judge({ left: one(null, 2), right: undefined }, { ...EXACTLY, sums })).toEqual(["missing-right"]);
});

test("a difference counts only if it exceeds the tolerance", () => {
  const rules = { ...EXACTLY, tolerance: Decimal.parse("0.01") ?? Decimal.of(0) };
  expect(judge({ left: one("1.01"), right: one("1") }, rules)).toEqual([]);
  expect(judge({ left: one("1"), right: one("1.01") }, rules)).toEqual([]);
  expect(judge({ left: one("1"), right: one("1.010000000000000001") }, rules)).toEqual(["differs"]);
});

test("the difference of the largest and the smallest possible number is exact", () => {
  const [large, small] = ["1e1000", "-1e-1000"].map((numeral) => one((Decimal.parse(numeral) ?? expect.fail()).canonical()));
  expect(judge({ left: large, right: small }, EXACTLY)).toEqual(["differs"]);
  expect(differenceOf({ left: large, right: small })).toBe(`1${"0".repeat(1_000)}.${"0".repeat(999)}1`);
  expect(Decimal.parse("1e-1000")?.negated().text).toBe("-1e-1000");
  expect([Decimal.of(0).negated().text, Decimal.of(-5).negated().text]).toEqual(["0", "5"]);
});

test("a total is the exact sum of its decimals", () => {
  const numeral = tuple(boolean(), stringMatching(/^(?:0|[1-9]\d{0,30})$/), stringMatching(/^\d{0,30}$/)).map(
    ([negative, whole, fraction]) => `${negative ? "-" : ""}${whole}${fraction === "" ? "" : `.${fraction}`}`,
  );
  assert(
    property(array(numeral), (numerals) => {
      const total = new Total();
      let sum = Decimal.of(0);
      for (const each of numerals) {
        const value = Decimal.fromJsonSource(each);
        total.add(value.canonical());
        sum = sum.plus(value);
      }
      expect(total.canonical).toBe(sum.canonical());
    }),
  );
});
