import { bracketDepth } from "./depth.ts";
import { Decimal } from "../numbers/decimal.ts";
import { LIMITS } from "../limits.ts";
import { namesIn, repeatedName } from "./names.ts";

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
  /** The value of the field with this name. */
  readonly [key: string]: Json;
}

const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);
const SHORTEST_FORBIDDEN = 9;

/** Returns whether a key would reach into JavaScript's own objects; no text that we read may have one. */
export function isForbiddenKey(key: string): boolean {
  return key.length >= SHORTEST_FORBIDDEN && FORBIDDEN_KEYS.has(key);
}

/** Thrown for a text with the same name twice in one object, whose meaning is ambiguous. */
export class RepeatedName extends SyntaxError {}

/**
 * Parses JSON without losing a digit. Throws a SyntaxError or RangeError if the text is not JSON, is too deep, or holds a forbidden key or
 * the same name twice in one object.
 */
export function parseJson(text: string, depthLimit: number = LIMITS.answerDepth): Json {
  const { value, names, chars } = quicklyParsed(text, depthLimit) ?? slowlyParsed(text, depthLimit);
  // If a name is twice in an object, the parser keeps only the last value (decision 197).
  if (text.length - chars >= SHORTEST_FIELD && namesIn(text) !== names) throw repeated(text);
  return value;
}

const SHORTEST_FIELD = ',"":0'.length;

/** A parsed value, how many names its objects have, and how many characters it has at least when it is written. */
interface ParsedValue {
  readonly value: Json;
  readonly names: number;
  readonly chars: number;
}

function slowlyParsed(text: string, depthLimit: number): ParsedValue {
  if (bracketDepth(text, depthLimit) > depthLimit) throw new RangeError(`nested deeper than ${depthLimit} levels`);
  const value = JSON.parse(text, revive) as Json;
  return { value, names: namesOf(value), chars: 0 };
}

function namesOf(value: Json): number {
  if (Array.isArray(value)) return (value as readonly Json[]).reduce<number>((sum, item) => sum + namesOf(item), 0);
  return isObject(value) ? Object.values(value).reduce<number>((sum, inner) => sum + 1 + namesOf(inner), 0) : 0;
}

// Only the reviver sees how a number was written, but it takes several times as long. So numbers that would lose digits are first turned
// into marked texts. A mark inside a text is a syntax error; then everything is parsed again (decision 35).
function quicklyParsed(text: string, depthLimit: number): ParsedValue | undefined {
  if (!/^\s*[[{]/.test(text) || text.includes(MARK_CHAR) || text.includes(ESCAPED_MARK)) return undefined;
  const marked = text.search(FRACTION) === -1 ? text : text.replaceAll(FRACTION, `$1"${MARK}$2"`);
  try {
    const value = JSON.parse(marked) as object;
    const found: FoundInValue = { numbers: [], names: 0, chars: 0 };
    if (!makeExact(value, depthLimit, found)) return undefined;
    lastRead = { value, numbers: found.numbers };
    return { ...found, value: value as Json };
  } catch {
    return undefined; // the message must quote the original text
  }
}

// A control character for private use. V8 stores it in one byte, like the characters of most texts.
const MARK_CHAR = "\u0091";
// With the mark, a number has more than ten characters. For any shorter text, V8 would search all its texts for an equal one.
const MARK = MARK_CHAR.repeat(8);
const ESCAPED_MARK = String.raw`\u0091`;
const MARK_CODE = 0x91;
const FRACTION = /([:[,]\s*)(-?(?:0|[1-9]\d*)(?:\.\d+(?:[eE][+-]?\d+)?|[eE][+-]?\d+))(?=\s*[,}\]])/g;

/** The numbers of a value in order: for each, the object or list that holds it, its key, and its value as a JavaScript number. */
type NumberPlaces = (Record<string | number, unknown> | string | number)[];
const NUMBER_PARTS = 3;

/** The value that was last parsed quickly, until `lookPlainly` takes it, usually at once. */
let lastRead: { readonly value: object; readonly numbers: NumberPlaces } | undefined;

/** What is found while visiting the parts of a value. */
interface FoundInValue {
  readonly numbers: NumberPlaces;
  /** How many names the objects of the value have. */
  names: number;
  /** How many characters the value has when it is written without spaces. */
  chars: number;
}

/** Replaces integers and marked texts by exact numbers. Returns false if a number may have lost digits in parsing. */
function makeExact(value: object, levels: number, found: FoundInValue): boolean {
  if (levels === 0) return false;
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at++) if (!makePartExact(value, at, levels, found)) return false;
    found.chars += Math.max(2, value.length + 1); // two brackets, and a comma between two items
    return true;
  }
  let names = 0;
  // Objects from JSON.parse inherit nothing, so `for in` is safe. A list of keys for each row would double the time.
  for (const key in value) {
    if (isForbiddenKey(key)) throw forbidden(key);
    if (!makePartExact(value, key, levels, found)) return false;
    found.chars += key.length + '"":'.length;
    names++;
  }
  found.names += names;
  found.chars += Math.max(2, names + 1);
  return true;
}

function makePartExact(holder: object, key: string | number, levels: number, found: FoundInValue): boolean {
  const { numbers } = found;
  const parts = holder as Record<string | number, unknown>;
  const part = parts[key];
  if (typeof part === "string") {
    if (part.charCodeAt(0) !== MARK_CODE) {
      found.chars += part.length + 2;
      return true;
    }
    const exact = Decimal.fromJsonSource(part.slice(MARK.length));
    numbers.push(parts, key, exact.likeness());
    parts[key] = exact;
    found.chars += part.length - MARK.length;
  } else if (typeof part === "number") {
    if (!Number.isSafeInteger(part) || Object.is(part, -0)) return false;
    numbers.push(parts, key, part);
    parts[key] = Decimal.of(part);
    found.chars += charsOf(part);
  } else if (typeof part === "object" && part !== null) {
    return makeExact(part, levels - 1, found);
  } else found.chars += part === false ? 5 : 4; // true and null are as long
  return true;
}

function charsOf(integer: number): number {
  let chars = integer < 0 ? 2 : 1;
  for (let longer = 10; longer <= Math.abs(integer); longer *= 10) chars++;
  return chars;
}

function repeated(text: string): RepeatedName {
  return new RepeatedName(`the name ${shownJson(repeatedName(text))} is twice in one object`);
}

function forbidden(key: string): SyntaxError {
  return new SyntaxError(`the key ${JSON.stringify(key)} is not allowed`);
}

function revive(this: unknown, key: string, value: unknown, context: { readonly source?: string }): unknown {
  if (isForbiddenKey(key)) throw forbidden(key);
  if (typeof value === "number" && context.source !== undefined) return Decimal.fromJsonSource(context.source);
  return value;
}

/** Writes JSON without losing a digit: a Decimal is written with its original digits. */
export function writeJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, undefined, indent);
}

/** Returns a text unchanged, and any other value as JSON. */
export function textOrJson(value: unknown): string {
  return typeof value === "string" ? value : writeJson(value);
}

/** Returns a value as JSON for a message, shortened if it is long. */
export function shownJson(value: unknown): string {
  return writeJson(value ?? null).slice(0, SHOWN_CHARS);
}

const SHOWN_CHARS = 200;

/**
 * Calls `look` with the value as if its numbers were JavaScript numbers, only for schema checks. `look` must not keep any of it: if the
 * places of the numbers are known, they are replaced in the value itself during the call, because copying a large value takes longer than
 * checking it (decision 34).
 */
export function lookPlainly<T>(value: unknown, look: (plain: unknown) => T): T {
  if (lastRead === undefined || lastRead.value !== value) return look(plainView(value));
  const { numbers } = lastRead;
  lastRead = undefined;
  swapNumbers(numbers);
  try {
    return look(value);
  } finally {
    swapNumbers(numbers);
  }
}

function swapNumbers(numbers: unknown[]): void {
  for (let at = 0; at < numbers.length; at += NUMBER_PARTS) {
    const parts = numbers[at] as Record<string, unknown>;
    const key = numbers[at + 1] as string;
    [parts[key], numbers[at + 2]] = [numbers[at + 2], parts[key]];
  }
}

/**
 * Returns the same value with JavaScript numbers instead of exact ones; they are whole if the exact ones are. Parts without a number are
 * not copied.
 */
export function plainView(value: unknown): unknown {
  if (value instanceof Decimal) return value.likeness();
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

/** Returns the same value with every text changed, keys included; `number` changes exact numbers. */
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

/** Returns whether a value is a JSON object: not null, not a list, and not an exact number. */
export function isObject(value: unknown): value is JsonObject {
  return value !== null && typeof value === "object" && !Array.isArray(value) && !(value instanceof Decimal);
}

/** Returns whether two JSON values are equal: numbers by value, objects regardless of the order of their fields. */
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

/** Returns the same text for equal JSON values, regardless of the spelling of numbers and the order of keys. Numbers may be JavaScript's. */
export function canonicalJson(value: unknown): string {
  if (value instanceof Decimal) return value.canonical();
  if (typeof value === "number") return canonicalJson(Decimal.fromJsonSource(String(value)));
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(([name, inner]) => `${JSON.stringify(name)}:${canonicalJson(inner)}`);
  return `{${fields.toSorted().join(",")}}`;
}
