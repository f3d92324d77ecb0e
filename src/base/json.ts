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

/** Keys that would reach into JavaScript's own objects; no text that we read may hold one. */
export function isForbiddenKey(key: string): boolean {
  return FORBIDDEN_KEYS.has(key);
}

/** Reads JSON without losing a digit. Throws a SyntaxError or RangeError on text that is no JSON, is too deep, or holds a forbidden key. */
export function parseJson(text: string, depthLimit: number = LIMITS.answerDepth): Json {
  if (bracketDepth(text, depthLimit) > depthLimit) throw new RangeError(`nested deeper than ${depthLimit} levels`);
  return (HAS_FRACTION.test(text) ? undefined : exactIntegers(JSON.parse(text))) ?? (JSON.parse(text, revive) as Json);
}

// A number written with a fraction or an exponent: only the reviver sees how. Most answers hold none, and are read faster without it.
const HAS_FRACTION = /(?:"\s*:|[[,]|^)\s*-?\d+[.eE]/;

/** The parsed value with exact numbers in place of integers; `undefined` when one may have lost something in parsing. */
function exactIntegers(value: unknown): Json | undefined {
  if (typeof value === "number") return Number.isSafeInteger(value) && !Object.is(value, -0) ? Decimal.of(value) : undefined;
  if (value === null || typeof value !== "object") return value as Json;
  const parts = value as Record<string, unknown>;
  for (const key of Object.keys(parts)) {
    if (FORBIDDEN_KEYS.has(key)) throw forbidden(key);
    const part = parts[key];
    if (typeof part === "string" || typeof part === "boolean" || part === null) continue;
    const exact = exactIntegers(part);
    if (exact === undefined) return undefined;
    parts[key] = exact;
  }
  return value as Json;
}

function forbidden(key: string): SyntaxError {
  return new SyntaxError(`the key ${JSON.stringify(key)} is not allowed`);
}

function revive(this: unknown, key: string, value: unknown, context: { readonly source?: string }): unknown {
  if (typeof value === "number" && context.source !== undefined) return Decimal.fromJsonSource(context.source);
  if (FORBIDDEN_KEYS.has(key)) throw forbidden(key);
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
