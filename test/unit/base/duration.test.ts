import { expect, test } from "vitest";
import { DURATION_PATTERN, formatDuration, parseDuration } from "../../../src/base/time/duration.ts";

test("a duration is a number and a unit", () => {
  expect(["500ms", "30s", "1.5m", "2h", "1d"].map(parseDuration)).toEqual([500, 30_000, 90_000, 7_200_000, 86_400_000]);
  for (const text of ["", "30", "s", "30 s", "1 hour", "-1s", "1e3s", "30S", "1h30m", "1s\n"]) {
    expect(parseDuration(text), text).toBeUndefined();
    expect(new RegExp(DURATION_PATTERN).test(text), text).toBe(false);
  }
});

test("a duration is shown in units that people use", () => {
  expect([0, 400, 1_234, 12_000, 59_600, 60_000, 200_000, 239_700, 3_600_000, 5_400_000].map(formatDuration)).toEqual([
    "0 ms",
    "400 ms",
    "1.2 s",
    "12 s",
    "1 min 0 s",
    "1 min 0 s",
    "3 min 20 s",
    "4 min 0 s",
    "1 h 0 min",
    "1 h 30 min",
  ]);
});
