import { expect, test } from "vitest";
import { NUMERAL_PATTERN, UNSIGNED_PATTERN } from "../../../src/base/numbers/decimal.ts";
import { DATE_PATTERN } from "../../../src/base/time/date.ts";
import { DURATION_PATTERN } from "../../../src/base/time/duration.ts";
import { meantBy } from "../../../src/source/pattern-rules.ts";

test("a suggestion for a wrongly written number never changes its amount", () => {
  const proposed = (text: string): readonly (string | undefined)[] =>
    [NUMERAL_PATTERN, UNSIGNED_PATTERN, `${NUMERAL_PATTERN}|${DATE_PATTERN}`].map((each) => meantBy(text, each));
  for (const text of ["10%", "1,000", "1.000,50", "€5", "-1", "1_000", "0x10", "31.12.2026"])
    expect(proposed(text), text).toEqual([undefined, undefined, undefined]);
  expect(proposed("1 000.50")).toEqual(["1000.50", "1000.50", "1000.50"]);
  const meant = (text: string): string | undefined => meantBy(text, DURATION_PATTERN);
  expect(["5", "6 hours", "1.5 Hrs", "30sec", "5 min", "250 milliseconds", "2 Days"].map(meant)).toEqual([
    "5s",
    "6h",
    "1.5h",
    "30s",
    "5m",
    "250ms",
    "2d",
  ]);
  expect(["1h30m", "1h 30 min", "1 day 12h", "1m0.5s"].map(meant)).toEqual(["90m", "90m", "36h", "60500ms"]);
  expect(["soon", "PT5M", "6 moons", "1h30", "h", "-5m"].map(meant)).toEqual(Array.from({ length: 6 }));
});
