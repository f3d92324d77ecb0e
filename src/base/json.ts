import { bracketDepth } from "./depth.ts";
import { Decimal } from "./decimal.ts";
import { LIMITS } from "./limits.ts";

declare global {
  interface JSON {
    rawJSON(text: string): unknown;
    parse(
      text: string,
      reviver: (this: unknown, key: string, value: unknown, context: { readonly source?: string }) => unknown,
    ): unknown;
  }
}

/** A JSON value whose numbers are exact. */
export type Json = null | boolean | string | Decimal | readonly Json[] | JsonObject;
/** A JSON object whose numbers are exact. */
export interface JsonObject {
  readonly [key: string]: Json;
}

const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);
const SHORTEST_FORBIDDEN = 9;

/** Keys that would reach into JavaScript's own objects; no text that we read may hold one. */
export function isForbiddenKey(key: string): boolean {
  return key.length >= SHORTEST_FORBIDDEN && FORBIDDEN_KEYS.has(key);
}

/** Reads JSON without losing a digit. Throws a SyntaxError or RangeError on text that is no JSON, is too deep, or holds a forbidden key. */
export function parseJson(text: string, depthLimit: number = LIMITS.answerDepth): Json {
  const quickly = quicklyParsed(text, depthLimit);
  if (quickly !== undefined) return quickly;
  if (bracketDepth(text, depthLimit) > depthLimit) throw new RangeError(`nested deeper than ${depthLimit} levels`);
  return JSON.parse(text, revive) as Json;
}

// How a number was written only the reviver sees, which takes several times as long. So numbers that lose something in parsing become marked
// texts first. Where that was wrong, inside of a text, the mark cannot stand, and all of it is read again.
function quicklyParsed(text: string, depthLimit: number): Json | undefined {
  if (!/^\s*[[{]/.test(text) || text.includes(MARK)) return undefined;
  const marked = text.replaceAll(FRACTION, `$1"${MARK}$2"`);
  try {
    return exactNumbers(JSON.parse(marked), depthLimit);
  } catch {
    return undefined; // what is wrong is told in the words of the text as it is
  }
}

// A control character for private use: one byte in V8, so that a marked text takes no more memory than the text.
const MARK = "\u0091";
const MARK_CODE = 0x91;
const FRACTION = /([:[,]\s*)(-?(?:0|[1-9]\d*)(?:\.\d+(?:[eE][+-]?\d+)?|[eE][+-]?\d+))(?=\s*[,}\]])/g;

/** The parsed value with exact numbers in place of integers and marked texts; `undefined` when one may have lost something in parsing. */
function exactNumbers(value: unknown, levels: number): Json | undefined {
  if (typeof value === "string") return value.startsWith(MARK) ? Decimal.fromJsonSource(value.slice(1)) : value;
  if (typeof value === "number") return Number.isSafeInteger(value) && !Object.is(value, -0) ? Decimal.of(value) : undefined;
  if (value === null || typeof value !== "object") return value as Json;
  if (levels === 0) return undefined;
  const parts = value as Record<string, unknown>;
  for (const key of Object.keys(parts)) {
    if (isForbiddenKey(key)) throw forbidden(key);
    const part = parts[key];
    if (typeof part === "boolean" || part === null) continue;
    if (typeof part === "string" && part.charCodeAt(0) !== MARK_CODE) continue;
    const exact = exactNumbers(part, levels - 1);
    if (exact === undefined) return undefined;
    parts[key] = exact;
  }
  return value as Json;
}

function forbidden(key: string): SyntaxError {
  return new SyntaxError(`the key ${JSON.stringify(key)} is not allowed`);
}

function revive(this: unknown, key: string, value: unknown, context: { readonly source?: string }): unknown {
  if (isForbiddenKey(key)) throw forbidden(key);
  if (typeof value === "number" && context.source !== undefined) return Decimal.fromJsonSource(context.source);
  return value;
}

/** Writes JSON without losing a digit: a Decimal goes out with the digits it was written with. */
export function writeJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, undefined, indent);
}

/** The same value with JavaScript numbers in place of exact ones: for schema checks only. Parts without a number are not copied. */
export function plainView(value: unknown): unknown {
  if (value instanceof Decimal) return value.approximate();
  if (value === null || typeof value !== "object") return value;
  const parts = value as Readonly<Record<string, unknown>>;
  let plain: Record<string, unknown> | undefined;
  for (const key of Object.keys(parts)) {
    const part = parts[key];
    if (part === null || typeof part !== "object") continue;
    const view = plainView(part);
    if (view !== part) (plain ??= copyOf(parts))[key] = view;
  }
  return plain ?? value;
}

function copyOf(value: object): Record<string, unknown> {
  const copy: object = Array.isArray(value) ? [] : {};
  return Object.assign(copy as Record<string, unknown>, value);
}

/** The same value with every text changed, keys included; exact numbers as `number` says. */
export function mapStrings(
  value: unknown,
  change: (text: string) => string,
  number: (value: Decimal) => unknown = (same) => same,
): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((item) => mapStrings(item, change, number));
  if (value instanceof Decimal) return number(value);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [change(key), mapStrings(inner, change, number)]));
}

export function isObject(value: unknown): value is JsonObject {
  return value !== null && typeof value === "object" && !Array.isArray(value) && !(value instanceof Decimal);
}

/** Whether two JSON values say the same: numbers by value, objects without regard to order. */
export function jsonEquals(left: Json, right: Json): boolean {
  if (left === right) return true;
  if (left instanceof Decimal) return right instanceof Decimal && left.equals(right);
  if (Array.isArray(left)) {
    return Array.isArray(right) && left.length === right.length && left.every((item, at) => jsonEquals(item, right[at] as Json));
  }
  if (!isObject(left) || !isObject(right)) return false;
  const keys = Object.keys(left);
  return (
    keys.length === Object.keys(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && jsonEquals(left[key] as Json, right[key] as Json))
  );
}
