import { expect, test } from "vitest";
import { NUMERAL_PATTERN, UNSIGNED_PATTERN } from "../../../src/base/numbers/decimal.ts";
import { DURATION_PATTERN } from "../../../src/base/time/duration.ts";
import { meantBy } from "../../../src/source/pattern-rules.ts";

test("no other amount is proposed in place of a number that is not written as one", () => {
  const proposed = (text: string): readonly (string | undefined)[] =>
    [NUMERAL_PATTERN, UNSIGNED_PATTERN].map((each) => meantBy(text, each));
  for (const text of ["10%", "1,000", "1.000,50", "€5", "-1", "1_000", "0x10"])
    expect(proposed(text), text).toEqual([undefined, undefined]);
  expect(proposed("1 000.50")).toEqual(["1000.50", "1000.50"]);
  expect(meantBy("5", DURATION_PATTERN)).toBe("5s");
});
