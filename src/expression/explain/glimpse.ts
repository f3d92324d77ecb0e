import { isForbiddenKey, isObject, type Json, writeJson } from "../../base/json/json.ts";
import { LIMITS } from "../../base/limits.ts";
import { count } from "../../base/text/text.ts";
import { toJson } from "../expression.ts";
import type { Glimpse } from "./explanation.ts";

const NAMED_FIELDS = 12;
const NAMED_CHARS = 40;

/** Returns a value as JSON; `undefined` if it has no JSON form. */
export function jsonOf(value: unknown): Json | undefined {
  try {
    return toJson(value);
  } catch {
    return undefined;
  }
}

/**
 * Returns a value if it is small enough to be shown, otherwise a description of it. A text is shown whole or not at all, because masking
 * would not recognise half of a secret.
 */
export function glimpse(json: Json): Glimpse {
  return isShowable(json) ? { value: json } : { summary: summaryOf(json) };
}

/** Returns whether a value is small enough to be shown, and can be read back after it was kept. */
export function isShowable(json: Json): boolean {
  return isWithin(json, LIMITS.shownChars);
}

/** Returns whether a value has at most `chars` characters as JSON, and can be read back after it was kept. */
export function isWithin(json: Json, chars: number): boolean {
  return mayFit(json, chars, LIMITS.shownDepth) && writeJson(json).length <= chars;
}

// Decided before the value is written, because a list may be very long.
function mayFit(json: Json, chars: number, depth: number): boolean {
  if (typeof json === "string") return json.length <= chars;
  if (Array.isArray(json)) return depth > 0 && json.length <= chars && json.every((item: Json) => mayFit(item, chars, depth - 1));
  if (!isObject(json)) return true;
  return depth > 0 && Object.entries(json).every(([key, inner]) => !isForbiddenKey(key) && mayFit(inner, chars, depth - 1));
}

/** Returns a short description of a value. */
export function summaryOf(json: Json): string {
  if (typeof json === "string") return `a text of ${count(json.length, "character")}`;
  if (Array.isArray(json)) return `a list of ${count(json.length, "item")}`;
  if (isObject(json)) return `an object of ${count(Object.keys(json).length, "field")}: ${namesIn(Object.keys(json))}`;
  return "a number of many digits";
}

function namesIn(names: readonly string[]): string {
  const short = names.filter((name) => name.length <= NAMED_CHARS && !isForbiddenKey(name)).slice(0, NAMED_FIELDS);
  return [...short, ...(short.length < names.length ? ["…"] : [])].join(", ");
}

/** Returns which fields exist, if another field was expected. */
export function fieldsRemark(fields: readonly string[], near: string | undefined): string {
  const names = fields.length === 0 ? "it has no fields" : `it has ${namesIn(fields)}`;
  return near === undefined ? names : `did you mean ${JSON.stringify(near)}? ${names}`;
}
