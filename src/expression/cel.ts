import { type ASTNode, Environment } from "@marcbachmann/cel-js";
import { Decimal, sum } from "../base/numbers/decimal.ts";
import { LIMITS } from "../base/limits.ts";
import { HOLDS_OF } from "./comparing/operators.ts";
import { patternOf } from "./pattern.ts";
import { Duration } from "./time/duration.ts";
import { Moment, PARTS } from "./time/moment.ts";

export type { ASTNode };
export { Environment };

type Number_ = Decimal | bigint;

const NUMERIC = ["decimal", "int"] as const;

const ARITHMETIC: Readonly<Record<string, (left: Decimal, right: Decimal) => Decimal>> = {
  "+": (left, right) => left.plus(right),
  "-": (left, right) => left.minus(right),
  "*": (left, right) => left.times(right),
  "/": (left, right) => left.dividedBy(right),
  "%": (left, right) => left.remainder(right),
};

const WHOLE_UNITS = { getHours: "h", getMinutes: "m", getSeconds: "s", getMilliseconds: "ms" } as const;

/**
 * CEL as tokenbook uses it. Every number that is not a plain integer literal is an exact decimal. Dates and durations are exact types of our own (decision
 * 188). `re2` replaces `matches`, and takes linear time. Nothing is coerced. The environments for checking and for evaluating are copies of this one.
 */
export const cel: Environment = build();

function build(): Environment {
  const environment = new Environment({
    homogeneousAggregateLiterals: false,
    enableOptionalTypes: true,
    unlistedVariablesAreDyn: false,
    limits: { maxAstNodes: LIMITS.expressionNodes, maxDepth: LIMITS.textDepth },
  });
  // Without named fields, the library would read those of our class.
  environment.registerType("decimal", { ctor: Decimal, fields: {} } as never);
  environment.registerType("date", { ctor: Moment, fields: {} } as never);
  environment.registerType("duration", { ctor: Duration, fields: {} } as never);
  registerDecimalOperators(environment);
  registerTimeOperators(environment);
  registerTimeParts(environment);
  registerFunctions(environment);
  return environment;
}

function registerDecimalOperators(environment: Environment): void {
  for (const left of NUMERIC) {
    for (const right of NUMERIC) {
      if (left === "int" && right === "int") continue;
      for (const [operator, apply] of Object.entries(ARITHMETIC)) {
        environment.registerOperator(`${left} ${operator} ${right}: decimal`, (a: Number_, b: Number_) =>
          apply(exact(a), exact(b)),
        );
      }
      for (const [operator, holds] of Object.entries(HOLDS_OF)) {
        environment.registerOperator(`${left} ${operator} ${right}`, (a: Number_, b: Number_) =>
          holds(exact(a).compare(exact(b))),
        );
      }
      // The library itself adds the equality with the sides exchanged.
      if (left === "decimal") {
        environment.registerOperator(`${left} == ${right}`, (a: Number_, b: Number_) => exact(a).equals(exact(b)));
      }
    }
  }
  environment.registerOperator("-decimal", (a: Decimal) => a.negated());
}

function registerTimeOperators(environment: Environment): void {
  environment.registerOperator("date + duration: date", (date: Moment, by: Duration) => date.plus(by));
  environment.registerOperator("duration + date: date", (by: Duration, date: Moment) => date.plus(by));
  environment.registerOperator("date - duration: date", (date: Moment, by: Duration) => date.minus(by));
  environment.registerOperator("date - date: duration", (date: Moment, other: Moment) => date.since(other));
  environment.registerOperator("duration + duration: duration", (a: Duration, b: Duration) => new Duration(a.nanos + b.nanos));
  environment.registerOperator("duration - duration: duration", (a: Duration, b: Duration) => new Duration(a.nanos - b.nanos));
  for (const type of ["date", "duration"]) {
    environment.registerOperator(`${type} == ${type}`, (a: Moment | Duration, b: Moment | Duration) => a.nanos === b.nanos);
    for (const [operator, holds] of Object.entries(HOLDS_OF)) {
      environment.registerOperator(`${type} ${operator} ${type}`, (a: Moment | Duration, b: Moment | Duration) =>
        holds(a.nanos < b.nanos ? -1 : a.nanos > b.nanos ? 1 : 0),
      );
    }
  }
}

function registerTimeParts(environment: Environment): void {
  for (const [name, part] of Object.entries(PARTS)) {
    environment.registerFunction(`date.${name}(): int`, (date: Moment) => BigInt(part(date.clockIn())));
    environment.registerFunction(`date.${name}(string): int`, (date: Moment, zone: string) => BigInt(part(date.clockIn(zone))));
  }
  for (const [name, unit] of Object.entries(WHOLE_UNITS))
    environment.registerFunction(`duration.${name}(): int`, (duration: Duration) => duration.whole(unit));
}

function registerFunctions(environment: Environment): void {
  environment.registerFunction("decimal(string): decimal", (text: string) => numeral(text));
  environment.registerFunction("decimal(int): decimal", (value: bigint) => Decimal.of(value));
  environment.registerFunction("decimal(decimal): decimal", (value: Decimal) => value);
  environment.registerFunction("string(decimal): string", (value: Decimal) => value.text);
  environment.registerFunction("int(decimal): int", whole);
  environment.registerFunction("sum(list<dyn>): decimal", (values: readonly Number_[]) => sum(values.map(exact)));
  environment.registerFunction("date(string): date", (text: string) => Moment.of(text));
  environment.registerFunction("re2(string, string): bool", (text: string, pattern: string) => patternOf(pattern).foundIn(text));
}

const TYPE: unknown = Object.getPrototypeOf(cel.parse("string")({}));

/** Returns whether a value is itself a type, as `type(x)` gives it. Each type is one object. */
export function isType(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === TYPE;
}

/** Returns a number as an exact decimal. Throws a RangeError for anything else. */
export function exact(value: unknown): Decimal {
  if (value instanceof Decimal) return value;
  if (typeof value === "bigint") return Decimal.of(value);
  throw new RangeError(`${shownValue(value)} is not a number`);
}

/** Returns a value for a message. A text is shown whole or not at all, because masking would not recognise half of a secret. */
export function shownValue(value: unknown): string {
  const text = JSON.stringify(value, (_key, part: unknown) => (typeof part === "bigint" ? JSON.rawJSON(String(part)) : part));
  return text.length <= LIMITS.shownChars ? text : `a value of ${text.length} characters`;
}

/** Returns the number in a text. Throws a RangeError if there is none. */
export function numeral(text: string): Decimal {
  const value = Decimal.parse(text);
  if (value === undefined) throw new RangeError(`${JSON.stringify(text)} is not a number`);
  return value;
}

/** Returns a number without a fraction. Throws a RangeError if it has one. */
export function whole(value: Decimal): bigint {
  if (!value.isInteger()) throw new RangeError(`${value.text} is not a whole number`);
  return BigInt(value.canonical());
}
