import { expect, test } from "vitest";
import { DATE_PATTERN, dateProblem, parseDate } from "../../../src/base/time/date.ts";

test.each([
  ["2026-01-31", "2026-01-31T00:00:00.000Z"],
  ["2024-02-29", "2024-02-29T00:00:00.000Z"],
  ["2026-01-31T12:00Z", "2026-01-31T12:00:00.000Z"],
  ["2026-01-31T00:30:00.25+02:00", "2026-01-30T22:30:00.250Z"],
  ["2026-01-31T12:00:00.123000000Z", "2026-01-31T12:00:00.123Z"],
  ["0001-01-01", "0001-01-01T00:00:00.000Z"],
])("%s is the moment %s", (text, moment) => {
  expect(parseDate(text)?.toISOString()).toBe(moment);
  expect(text).toMatch(new RegExp(DATE_PATTERN));
});

test.each([
  ["2026-02-29", "the month has no such day"],
  ["2026-04-31T12:00:00Z", "the month has no such day"],
  ["2026-13-01", "is no date: write 2026-01-31, or"],
  ["2026-1-1", "is no date"],
  ["31.01.2026", "is no date"],
  ["2026-01-31T24:00:00Z", "is no date"],
  ["2026-01-31T12:00:60Z", "is no date"],
  ["2026-01-31T12:00:00+24:00", "is no date"],
  ["2026-01-31T12:00:00", "says no time zone"],
  ["2026-01-31 12:00", "says no time zone"],
  ["2026-01-31T12:00:00.0001Z", "finer than a millisecond"],
  ["2026-01-31T12:00:00.123456789Z", "finer than a millisecond"],
  ["", "is no date"],
  ["2026-01-31\n", "is no date"],
])("%j is refused: %s", (text, problem) => {
  expect(dateProblem(text)).toContain(problem);
  expect(parseDate(text)).toBeUndefined();
});
