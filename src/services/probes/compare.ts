import { Decimal } from "../../base/numbers/decimal.ts";
import { isObject, type Json, type JsonObject, jsonEquals } from "../../base/json/json.ts";
import { field, listOf, number, recordsIn } from "../../base/json/parts.ts";
import { maybeSame } from "../same-id.ts";
import { namesOfItem } from "../given-names.ts";
import type { Sent } from "../probe.ts";

const ZERO = Decimal.of(0);

/** Returns whether the present value contains everything that was sent. The service may have added fields. */
export function includes(there: Json | undefined, asked: Json | undefined): boolean {
  if (asked === undefined) return true;
  if (there === undefined) return false;
  if (isObject(asked)) return isObject(there) && Object.keys(asked).every((name) => includes(there[name], asked[name]));
  if (Array.isArray(asked)) {
    return Array.isArray(there) && there.length === asked.length && asked.every((item, at) => includes(there[at] as Json, item));
  }
  return maybeSame(there, asked);
}

/**
 * Compares a present value with the one that was sent. `includes` recognizes what a write has left. But only `isExactly` shows that a write
 * would change nothing: the write may remove what the service has in addition to the sent value. See decision 210.
 */
export type Alike = (there: Json | undefined, asked: Json | undefined) => boolean;

/** Returns whether the present value is exactly the one that was sent. */
export function isExactly(there: Json | undefined, asked: Json | undefined): boolean {
  return asked === undefined || (there !== undefined && jsonEquals(there, asked));
}

/** Returns whether an object has each field that was sent; it may have others. */
export function hasFields(there: Json | undefined, asked: JsonObject, alike: Alike): boolean {
  return isObject(there) && Object.keys(asked).every((name) => alike(there[name], asked[name]));
}

/** Returns whether an entity is the requested one, by its organization and all its attributes. */
export function isEntity(there: Json | undefined, asked: Json | undefined): boolean {
  return isObject(asked) && includes(there, asked);
}

/** Returns whether both lists have the same members, in any order. */
export function sameMembers(there: Json | undefined, asked: readonly Json[], same: (a: Json, b: Json) => boolean): boolean {
  const list = listOf(there);
  return (
    list.length === asked.length &&
    asked.every((item) => list.some((each) => same(each, item))) &&
    list.every((each) => asked.some((item) => same(each, item)))
  );
}

/** Returns whether a value contains something that matches, at any depth. */
export function contains(value: Json, isIt: (value: Json) => boolean): boolean {
  if (isIt(value)) return true;
  if (Array.isArray(value)) return value.some((each: Json) => contains(each, isIt));
  return isObject(value) && Object.values(value).some((each) => contains(each, isIt));
}

/** Returns the balance in a reading. A missing account has a balance of zero. */
export function balanceIn(reading: Json | undefined): Decimal | undefined {
  return reading === null ? ZERO : number(field(reading, "balance"));
}

/** Splits a write into the items of its batch, or of a list in one of its fields. */
export function itemsOf(sent: Sent): readonly Sent[] {
  const { items, ...shared } = sent.input;
  if (items === undefined) return [sent];
  return recordsIn(items).map((item, at) => ({
    ...sent,
    input: { ...shared, ...item },
    names: namesOfItem(sent.names, at),
  }));
}

/** Splits a write by the values of one of its fields. */
export function eachOf(name: string): (sent: Sent) => readonly Sent[] {
  return (sent) => {
    const value = sent.input[name];
    return Array.isArray(value) ? value.map((each: Json) => ({ ...sent, input: { ...sent.input, [name]: each } })) : [sent];
  };
}
