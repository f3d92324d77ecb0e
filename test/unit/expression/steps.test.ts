import { expect, test } from "vitest";
import { Decimal } from "../../../src/base/numbers/decimal.ts";
import { spend, withinSteps } from "../../../src/base/budget.ts";
import type { Json } from "../../../src/base/json/json.ts";
import { LIMITS } from "../../../src/base/limits.ts";
import { explain } from "../../../src/expression/explain/explain.ts";
import { Expression, isProblem, type Scope } from "../../../src/expression/expression.ts";
import { isNightly } from "../../sizes.ts";

// Without a limit, each of these expressions took many seconds or longer than anybody waits, and nothing could stop it.

const ROWS: readonly Json[] = Array.from({ length: 20_000 }, (_, at) => ({ id: `r${at}`, n: Decimal.of(at) }));
const SCOPE: Scope = {
  rows: ROWS,
  text: "a".repeat(1_000_000),
  large: Decimal.fromJsonSource("1e1000"),
  byId: Object.fromEntries(ROWS.map((row, at) => [`r${at}`, row])),
};

const TOO_MANY = `it takes more than ${LIMITS.expressionSteps.toLocaleString("en")} steps, which is the limit (expressionSteps)`;

/** Runs the work with all steps at night. By day only the last tenth of the steps is left to it. */
function withSteps<T>(work: () => T): T {
  return withinSteps("expressionSteps", () => {
    if (!isNightly) spend(0.9 * LIMITS.expressionSteps);
    return work();
  });
}

function parsed(text: string): Expression {
  const expression = Expression.parse(text);
  if (isProblem(expression)) throw new Error(`${text}: ${expression.message}`);
  return expression;
}

/** Returns nested `cel.bind`s that compute each name from the previous one. */
function doubled(times: number, first: string, next: (name: string) => string, last: (name: string) => string): string {
  let text = last(`x${times}`);
  for (let at = times; at > 0; at--) text = `cel.bind(x${at}, ${next(`x${at - 1}`)}, ${text})`;
  return `cel.bind(x0, ${first}, ${text})`;
}

test.for([
  ["exists in exists", 'rows.exists(a, rows.exists(b, b.id == a.id + "-"))'],
  ["all in all", 'rows.all(a, rows.all(b, b.id != "-"))'],
  ["exists_one in exists_one", "rows.exists_one(a, rows.exists_one(b, b.id == a.id))"],
  ["map in map", "rows.map(a, rows.map(b, 1))"],
  ["filter in filter", "rows.filter(a, rows.filter(b, true) == [])"],
  ["a condition that always fails", "rows.exists(a, rows.exists(b, b.none == a.none))"],
  ["failures that || takes for values", "rows.map(a, rows.map(b, b.none || true))"],
  ["steps that || would swallow", 'rows.exists(a, rows.exists(b, b.id == "-")) || true'],
  ["a member that is looked for in a long list", 'rows.exists(a, {"id": a.id} in rows)'],
  ["the keys of a map, again and again", "rows.exists(a, byId.exists(key, true) && false)"],
  ["a long text, searched again and again", 'rows.exists(a, text.contains("b" + a.id))'],
  ["a long text, compared again and again", 'rows.exists(a, text + "a" == text + "b")'],
  ["a long text, split again and again", 'rows.exists(a, size(text.split("")) == 1)'],
  ["a pattern with many parts in a long text", 'rows.exists(a, re2(text, "(?:a?){450}[bc]$"))'],
  ["numbers with many digits", "rows.exists(a, large % 3.7 < 0)"],
  ["a sum in each round", "rows.exists(a, sum(rows.map(b, b.n)) == 1)"],
  ["calendars of time zones", 'rows.exists(a, date("2026-01-01").getHours("Europe/Berlin") == 77)'],
  [
    "a list that doubles",
    doubled(
      20,
      `[${"1,".repeat(15)}1]`,
      (name) => `${name} + ${name}`,
      (name) => `size(${name})`,
    ),
  ],
  [
    "a value that holds itself twice, 24 times over",
    doubled(
      24,
      "[1]",
      (name) => `[${name}, ${name}]`,
      (name) => name,
    ),
  ],
] as const)("an evaluation with too many steps ends: %s", ([, text]) => {
  expect(() => withSteps(() => parsed(text).evaluate(SCOPE))).toThrow(TOO_MANY);
});

test("a text that doubles ends at the limit of its length", () => {
  const text = doubled(
    20,
    JSON.stringify("a".repeat(100)),
    (name) => `${name} + ${name}`,
    (name) => name,
  );
  expect(() => parsed(text).evaluate({})).toThrow(`the limit is ${LIMITS.textChars}`);
});

test("a duration is refused before it is read if it has too many digits", () => {
  expect(() => parsed("duration(digits) > duration('1s')").evaluate({ digits: "1".repeat(5_000) })).toThrow(
    `a text of 5000 characters is no duration: it has at most ${LIMITS.durationChars}`,
  );
});

test("a pattern with too many repetitions is refused when it is parsed", () => {
  const refused = Expression.parse('re2("a", "(?:[ab]{100}c){100}")');
  expect(isProblem(refused) && refused.message).toContain(`the limit is ${LIMITS.patternParts}`);
});

test("the explanation of a failed expectation has the same limit of steps", () => {
  const expectation = parsed('rows.exists(a, rows.exists(b, b.id == "-")) || rows.all(a, rows.exists(b, b.id == a.none))');
  expect(explain(expectation, SCOPE).expression).toBe(expectation.text);
});

test.for([
  ["each row of a long list", "rows.all(row, row.n >= 0 && row.id.startsWith('r') && re2(row.id, '^r[0-9]{1,5}$'))", true],
  [
    "a thousand rows, each looked for among a thousand",
    "cel.bind(some, rows.filter(a, a.n < 1000), some.all(a, some.exists(b, b.id == a.id)))",
    true,
  ],
  ["a field that some rows lack", "rows.exists(row, row.none == 1) || size(rows) == 20000", undefined],
] as const)("a realistic evaluation has enough steps: %s", ([, text, value]) => {
  const evaluate = (): Json => parsed(text).evaluate(SCOPE);
  if (value === undefined) expect(evaluate).not.toThrow(TOO_MANY);
  else expect(evaluate()).toBe(value);
});
