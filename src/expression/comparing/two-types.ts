import { isObject } from "../../base/json/json.ts";
import { Decimal } from "../../base/numbers/decimal.ts";
import { shownValue } from "../cel.ts";
import { Duration } from "../time/duration.ts";
import { Moment } from "../time/moment.ts";

/** A type of JSON, in our words. */
export type JsonType = "null" | "text" | "number" | "boolean" | "list" | "map";

/** Returns the type of a value; `undefined` for a value that has no form in JSON. */
export function typeOf(value: unknown): JsonType | undefined {
  if (typeof value === "string") return "text";
  if (isNumber(value)) return "number";
  if (typeof value === "boolean") return "boolean";
  if (value === null) return "null";
  if (Array.isArray(value)) return "list";
  return isObject(value) && isPlain(value) ? "map" : undefined;
}

/** Returns whether a value is a number, also if the library made it. */
export function isNumber(value: unknown): value is Decimal | bigint {
  return value instanceof Decimal || typeof value === "bigint";
}

/** Returns whether an object consists only of its fields. */
export function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Says why two values are neither the same nor different, and how to compare them. */
export function unlikeTypes(left: unknown, right: unknown): string {
  return `this compares ${described(left)} with ${described(right)}: ${remedyForEquality(typeOf(left), typeOf(right))}`;
}

function remedyForEquality(...types: readonly (JsonType | undefined)[]): string {
  if (!types.includes("text")) return "compare only values of one type, or a value with null";
  if (types.includes("number")) return "write decimal(…) around the text, or string(…) around the number";
  if (types.includes("boolean")) return "write string(…) around the boolean";
  return "compare only values of one type, or a value with null";
}

interface OperatorWords {
  readonly says: (left: string, right: string) => string;
  readonly takes: string;
}

const NUMBERS = "it takes two numbers";

/** How to multiply or divide a duration, which no operator does. */
export const IN_SECONDS: string = 'count in seconds, as in duration(string(60 * minutes) + "s")';

const ORDER: OperatorWords = {
  says: (left, right) => `this compares ${left} with ${right}`,
  takes: "only two numbers, two texts or two dates have an order",
};
const QUOTIENT: OperatorWords = { says: (left, right) => `this divides ${left} by ${right}`, takes: NUMBERS };

const OPERATIONS: Readonly<Record<string, OperatorWords>> = {
  "+": {
    says: (left, right) => `this adds ${left} and ${right}`,
    takes: "it takes two numbers, two texts, two lists, or a date and a duration",
  },
  "-": {
    says: (left, right) => `this subtracts ${right} from ${left}`,
    takes: "it takes two numbers, two dates, or a date and a duration",
  },
  "*": { says: (left, right) => `this multiplies ${left} by ${right}`, takes: NUMBERS },
  "/": QUOTIENT,
  "%": QUOTIENT,
  "<": ORDER,
  "<=": ORDER,
  ">": ORDER,
  ">=": ORDER,
};

/** Says why an operator has no result for two values, and how to write them; `undefined` for other operators. */
export function unfitPair(operator: string, left: unknown, right: unknown): string | undefined {
  const operation = OPERATIONS[operator];
  if (operation === undefined) return undefined;
  const { says, takes } = operation;
  return `${says(described(left), described(right))}: ${remedyFor(operator, [left, right]) ?? takes}`;
}

function remedyFor(operator: string, values: readonly [unknown, unknown]): string | undefined {
  const text = values.find((value) => typeof value === "string");
  const types = values.map(typeOf);
  if (types.includes("null")) return "say what counts in place of null, as in value == null ? 0 : value";
  if (values.some((value) => value instanceof Duration) && OPERATIONS[operator]?.takes === NUMBERS) return IN_SECONDS;
  if (text === undefined) return undefined;
  if (values.some((value) => value instanceof Moment))
    return `write ${operator === "+" ? "duration" : "date"}(…) around the text`;
  if (types.includes("boolean") && operator === "+") return "write string(…) around the boolean";
  if (types.every((type) => type === "text")) return "write decimal(…) around both";
  return types.includes("number") ? remedyForNumber(operator, text) : undefined;
}

function remedyForNumber(operator: string, text: string): string | undefined {
  const remedies = [
    ...(Decimal.parse(text) === undefined ? [] : ["decimal(…) around the text"]),
    ...(operator === "+" ? ["string(…) around the number"] : []),
  ];
  return remedies.length === 0 ? undefined : `write ${remedies.join(", or ")}`;
}

// Lists and maps may be long, and are not shown.
function described(value: unknown): string {
  const type = typeOf(value);
  if (value instanceof Moment) return "a date";
  if (value instanceof Duration) return "a duration";
  if (type === undefined) return "a value without a form in JSON";
  return type === "list" || type === "map" ? `a ${type}` : type === "null" ? type : `the ${type} ${shownValue(value)}`;
}
