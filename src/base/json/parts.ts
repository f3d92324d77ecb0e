// The parts of JSON values that may be anything. A part of the wrong type counts as missing.
import { Decimal } from "../numbers/decimal.ts";
import { isObject, type Json, type JsonObject } from "./json.ts";

/** Returns a field of an object; `undefined` for anything else. */
export function field(value: Json | undefined, name: string): Json | undefined {
  return isObject(value) ? value[name] : undefined;
}

/** Returns a text that is not empty; `undefined` for anything else. */
export function text(value: Json | undefined): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Returns an exact number; `undefined` for anything else. */
export function number(value: Json | undefined): Decimal | undefined {
  return value instanceof Decimal ? value : undefined;
}

/** Returns an exact number, also one that is written in a text; `undefined` for anything else. */
export function numeral(value: Json | undefined): Decimal | undefined {
  return typeof value === "string" ? Decimal.parse(value) : number(value);
}

/** Returns a list, and an empty one for anything else. */
export function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

/** Returns the part of a value at a path of field names and list indexes; `undefined` if there is none. */
export function partAt(value: Json | undefined, path: readonly string[]): Json | undefined {
  return path.reduce<Json | undefined>((at, key) => {
    if (Array.isArray(at)) return (at as readonly Json[])[Number(key)];
    return isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  }, value);
}

/** Returns the fields of an object, without some of them. */
export function without(fields: JsonObject, names: Iterable<string>): JsonObject {
  const leftOut = new Set(names);
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !leftOut.has(name)));
}

/** Returns an object with a value at the end of a path. Anything on the path that is not an object is replaced by one. */
export function placedAt(object: JsonObject, [name = "", ...below]: readonly string[], value: Json): JsonObject {
  const inner = object[name];
  return { ...object, [name]: below.length === 0 ? value : placedAt(isObject(inner) ? inner : {}, below, value) };
}

/** Returns the objects of a list. */
export function recordsIn(value: Json | undefined): readonly JsonObject[] {
  return listOf(value).filter(isObject);
}
