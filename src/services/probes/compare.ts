import { Decimal } from "../../base/numbers/decimal.ts";
import { isObject, type Json, type JsonObject, jsonEquals } from "../../base/json/json.ts";
import { field, listOf, number, recordsIn } from "../../base/json/parts.ts";
import { maybeSame } from "../same-id.ts";
import { namesOfItem } from "../given-names.ts";
import type { Sent } from "../probe.ts";

const ZERO = Decimal.of(0);

/** Returns whether the present value has everything that was sent; the service may have added fields of its own. */
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
 * Returns whether a present value is the one that was sent. `includes` recognizes what a write left. Only `isExactly` shows that a write
 * would have changed nothing: what the service has beside the sent value may be what the write removes. See decision 210.
 */
export type Alike = (there: Json | undefined, asked: Json | undefined) => boolean;

/** Returns whether the present value is the one that was sent, with nothing beside it. */
export function isExactly(there: Json | undefined, asked: Json | undefined): boolean {
  return asked === undefined || (there !== undefined && jsonEquals(there, asked));
}

/** Returns whether an object has each sent field; it may have others. */
export function hasFields(there: Json | undefined, asked: JsonObject, alike: Alike): boolean {
  return isObject(there) && Object.keys(asked).every((name) => alike(there[name], asked[name]));
}

/** The fields of an object, without some of them. */
export function without(fields: JsonObject, ...names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}

/** Returns whether an entity is the requested one: by organization and every attribute of it. */
export function isEntity(there: Json | undefined, asked: Json | undefined): boolean {
  return isObject(asked) && includes(there, asked);
}

/** Returns whether both lists hold the same, in any order. */
export function sameMembers(there: Json | undefined, asked: readonly Json[], same: (a: Json, b: Json) => boolean): boolean {
  const list = listOf(there);
  return (
    list.length === asked.length &&
    asked.every((item) => list.some((each) => same(each, item))) &&
    list.every((each) => asked.some((item) => same(each, item)))
  );
}

/** Returns whether something of this kind is anywhere in a value. */
export function contains(value: Json, isIt: (value: Json) => boolean): boolean {
  if (isIt(value)) return true;
  if (Array.isArray(value)) return value.some((each: Json) => contains(each, isIt));
  return isObject(value) && Object.values(value).some((each) => contains(each, isIt));
}

/** Returns a balance of a reading: without an account it is zero. */
export function balanceIn(reading: Json | undefined): Decimal | undefined {
  return reading === null ? ZERO : number(field(reading, "balance"));
}

/** Splits a write of several things: of the batch, or of a list in one of its fields. */
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
