import { expect, test } from "vitest";
import { Cron, isTimezone, localTime, timezones } from "../../../src/base/time/cron.ts";

const PARIS = "Europe/Paris";

test("an invalid pattern is refused, with the reason", () => {
  expect(() => new Cron("61 * * * *", PARIS)).toThrow("the minute is 61, and may be 0 to 59");
  expect(() => new Cron("15 2 32 * *", PARIS)).toThrow("the day of the month is 32, and may be 1 to 31");
  expect(() => new Cron("15 2 32W * *", PARIS)).toThrow("the day of the month is 32, and may be 1 to 31");
  expect(() => new Cron("15 2 * 0 *", PARIS)).toThrow("the month is 0, and may be 1 to 12, or JAN to DEC");
  expect(() => new Cron("15 2 * * MO", PARIS)).toThrow("the weekday is MO, and may be 0 to 7, or SUN to SAT");
  expect(() => new Cron("15 2-1 * * *", PARIS)).toThrow(/^From value is larger than to value/);
  expect(() => new Cron("@dialy", PARIS)).toThrow(/^@dialy is not one of @yearly, .*@hourly$/);
  expect(() => new Cron("@reboot", PARIS)).toThrow(/^@reboot is not one of /);
  expect(new Cron("@Midnight", PARIS).next(0)).toBe(82_800_000);
  for (const pattern of ["", "* * * *", "0 0 0 1 1 * 2027", "2027-01-01T00:00:00", "@", "a * * * *"])
    expect(() => new Cron(pattern, PARIS), pattern).toThrow();
});

test("the ticks before a moment are the same forwards and backwards", () => {
  for (const pattern of ["15 2 * * *", "*/30 1-3 * * *", "0 0 1 * *", "@hourly"]) {
    const cron = new Cron(pattern, PARIS);
    for (const moment of ["2026-03-29T12:00:00Z", "2026-10-25T01:30:00Z", "2026-06-01T00:00:01Z"]) {
      const before = Date.parse(moment);
      const last = cron.previous(before, 5);
      expect(last).toEqual(last.toSorted((a, b) => a - b));
      for (const [at, tick] of last.entries()) expect(cron.next(tick)).toBe(last[at + 1] ?? cron.next(before - 1));
    }
  }
});

test("a timezone is a name that the system knows, and never an offset", () => {
  expect(["UTC", PARIS, "America/New_York"].map(isTimezone)).toEqual([true, true, true]);
  expect(["", "Europe/Pariss", "+02:00", "Mars/Olympus"].map(isTimezone)).toEqual([false, false, false, false]);
  expect(timezones()).toContain(PARIS);
});

test("a local time shows its offset", () => {
  expect(localTime(Date.parse("2026-03-29T00:59:59Z"), PARIS)).toBe("2026-03-29 01:59:59 +01:00");
  expect(localTime(Date.parse("2026-03-29T01:00:00Z"), PARIS)).toBe("2026-03-29 03:00:00 +02:00");
  expect(localTime(Date.parse("2026-03-29T01:00:00Z"), "UTC")).toBe("2026-03-29 01:00:00 +00:00");
});
