import { execFileSync } from "node:child_process";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type Json, writeJson } from "../../../src/base/json/json.ts";
import { EvaluationFailure, Expression, isProblem, type Scope } from "../../../src/expression/expression.ts";
import { TypeEnvironment } from "../../../src/expression/types.ts";

function parsed(text: string): Expression {
  const expression = Expression.parse(text);
  if (isProblem(expression)) throw new SyntaxError(expression.message);
  return expression;
}

const value = (text: string, scope: Scope = {}): Json => parsed(text).evaluate(scope);

test.each([
  "2026-02-31T00:00:00Z",
  "January 1, 2026 00:00 UTC",
  "2026-01-01T00:00:00.0",
  "2026-01-01T00:00:00.0000001Z",
  "2026-1-1",
])("`timestamp` and `date` both refuse %s", (text) => {
  for (const name of ["date", "timestamp"]) {
    expect(Expression.parse(`${name}("${text}") > date(x)`)).toMatchObject({ code: "expression.date" });
    expect(() => value(`${name}(x) > date("2026-01-01")`, { x: text })).toThrow(EvaluationFailure);
  }
});

test("a timestamp is a date", () => {
  expect(value('timestamp("2026-01-31T02:00:00+02:00") == date("2026-01-31")')).toBe(true);
  expect(value('timestamp(86400) == date("1970-01-02") && timestamp(-1) < timestamp(0)')).toBe(true);
});

test.each([
  'duration("-500ms") - duration("700ms") > duration("-2s")',
  'duration("-500ms") - duration("700ms") == duration("-1200ms")',
  'duration("1.5h") == duration("90m") && duration("90m") != duration("91m")',
  'duration("1us") > duration("999ns") && duration("-1ns") < duration("0s")',
  'date("2026-01-02") - date("2026-01-01") == duration("24h")',
  'date("2026-01-01") - date("2026-01-02") == duration("-24h")',
  'date("2026-01-01") + duration("500us") > date("2026-01-01")',
  'duration("1ns") + date("2026-01-01") - duration("1ns") == date("2026-01-01")',
  'duration("24h") in [date("2026-01-02") - date("2026-01-01")]',
  '{"a": duration("1h")} == {"a": duration("60m")}',
  'duration("90m").getHours() == 1 && duration("-90m").getHours() == -1',
  'duration("1h0.0015s").getMilliseconds() == 3600001 && duration("59.9s").getMinutes() == 0',
])("%s", (text) => {
  expect(value(text)).toBe(true);
  expect(TypeEnvironment.empty().check(text)).toBe("bool");
});

test.each([
  ['duration("0.1ns") > duration("0s")', "finer than a nanosecond"],
  ['duration("1.0000000000025h") > duration("1h")', undefined],
  ['duration("1.000000000000005h") > duration("1h")', "finer than a nanosecond"],
])("a duration keeps its nanoseconds, or is refused: %s", (text, why) => {
  const expression = Expression.parse(text);
  if (why === undefined) expect(value(text)).toBe(true);
  else expect(expression).toMatchObject({ code: "expression.duration", message: expect.stringContaining(why) as string });
});

test.each([
  ['date("9999-12-31") + duration("24h") > date(x)', "within the years 1 to 9999"],
  ["timestamp(253402300800) > date(x)", "within the years 1 to 9999"],
  ['date("0000-12-31") < date(x)', "within the years 1 to 9999"],
  ['date(x).getHours("Nowhere/Land") == 1', '"Nowhere/Land" is no time zone'],
  ['date(x).getHours("+24:00") == 1', '"+24:00" is no time zone'],
  ["date(x) == x", "only with those of their own type"],
  ['date(x) == duration("1s")', "only with those of their own type"],
])("%s has no value", (text, why) => {
  expect(() => value(text, { x: "2026-01-01" })).toThrow(why);
});

const ASKED: readonly (readonly [text: string, expected: number])[] = [
  ['date("2026-07-01").getDayOfYear()', 181],
  ['date("2024-12-31").getDayOfYear()', 365],
  ['date("2026-03-29T06:30:00Z").getHours("America/New_York")', 2],
  ['date("2026-03-29T00:30:00Z").getHours("Europe/Paris")', 1],
  ['date("2026-03-29T01:30:00Z").getHours("Europe/Paris")', 3],
  ['date("2026-10-25T00:30:00Z").getHours("Europe/Paris")', 2],
  ['date("2026-10-25T01:30:00Z").getHours("Europe/Paris")', 2],
  ['date("2026-01-01T00:00:00Z").getFullYear("America/New_York")', 2025],
  ['date("2026-01-01T00:00:00Z").getDayOfYear("-00:01")', 364],
  ['date("2026-01-01T00:00:00Z").getDayOfWeek()', 4],
  ['date("2026-01-01T18:29:59.999Z").getDate("Asia/Kolkata")', 1],
  ['date("2026-01-01T18:30:00Z").getDate("Asia/Kolkata")', 2],
  ['date("2026-01-01T18:30:00Z").getDayOfMonth("+05:30")', 1],
  ['date("2026-06-30T22:00:00Z").getMonth("Europe/Berlin")', 6],
  ['date("2026-06-30T22:00:07.089Z").getSeconds("Europe/Berlin")', 7],
  ['date("2026-06-30T22:00:07.089Z").getMilliseconds("Europe/Berlin")', 89],
  ['date("1969-12-31T23:59:59.999Z").getMilliseconds()', 999],
  ['(date("1970-01-01") - duration("1ns")).getMinutes()', 59],
  ['date("0001-01-01").getFullYear("America/New_York")', 0],
];

test.each(ASKED)("%s is %d", (text, expected) => {
  expect(writeJson(value(text))).toBe(String(expected));
});

test.each(["UTC", "Europe/Paris", "America/New_York", "Pacific/Kiritimati"])(
  "dates do not depend on the timezone of the machine: %s",
  (zone) => {
    const program = `import { Expression } from ${JSON.stringify(new URL("../../../src/expression/expression.ts", import.meta.url).href)};
    for (const text of ${JSON.stringify(ASKED.map(([text]) => text))}) console.log(Expression.parse(text).evaluate({}).text);
    console.log(new Date(2026, 0).getTimezoneOffset());`;
    const printed = execFileSync(process.execPath, ["--no-warnings", "--input-type=module", "-e", program], {
      encoding: "utf8",
      env: { ...process.env, TZ: zone },
    }).split("\n");
    expect(printed.slice(0, ASKED.length)).toEqual(ASKED.map(([, expected]) => String(expected)));
  },
);

const nanos = fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n });
const spelt = (count: bigint): string => `duration("${count}ns")`;

test("durations and dates are added and compared as whole nanoseconds", () => {
  fc.assert(
    fc.property(nanos, nanos, (a, b) => {
      expect(value(`${spelt(a)} + ${spelt(b)} == ${spelt(a + b)}`)).toBe(true);
      expect(value(`${spelt(a)} - ${spelt(b)} == ${spelt(a - b)}`)).toBe(true);
      expect(value(`${spelt(a)} < ${spelt(b)}`)).toBe(a < b);
      expect(value(`date("5000-01-01") + ${spelt(a)} >= date("5000-01-01") + ${spelt(b)}`)).toBe(a >= b);
      expect(value(`(date("5000-01-01") - ${spelt(a)}) - (date("5000-01-01") - ${spelt(b)}) == ${spelt(b - a)}`)).toBe(true);
    }),
  );
});

test("a field of a date in a timezone fits the offset of that zone, at any moment", () => {
  const ms = fc.integer({ min: Date.UTC(1, 1), max: Date.UTC(9999, 0) });
  fc.assert(
    fc.property(ms, fc.constantFrom("Etc/GMT+5", "-05:00"), (at, zone) => {
      const text = new Date(at).toISOString();
      const local = new Date(at - 5 * 3_600_000);
      const asked = [
        "getFullYear",
        "getMonth",
        "getDate",
        "getHours",
        "getMinutes",
        "getSeconds",
        "getMilliseconds",
        "getDayOfWeek",
      ];
      const found = value(`[${asked.map((name) => `date("${text}").${name}("${zone}")`).join(", ")}]`);
      const parts = [local.getUTCFullYear(), local.getUTCMonth(), local.getUTCDate(), local.getUTCHours(), local.getUTCMinutes()];
      expect(writeJson(found)).toBe(
        JSON.stringify([...parts, local.getUTCSeconds(), local.getUTCMilliseconds(), local.getUTCDay()]),
      );
    }),
  );
});
