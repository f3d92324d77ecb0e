import { Decimal } from "../base/numbers/decimal.ts";
import { numeral } from "../base/json/parts.ts";
import { isMasked } from "../base/secret.ts";
import { isObject, type Json, jsonEquals } from "../base/json/json.ts";

/**
 * Returns whether two ids may name the same thing. The service may show a number where a text was sent, and the reverse. A mask in a
 * recorded id hides a secret, which may be any id. See decision 209.
 */
export function maybeSameId(one: Json, other: Json): boolean {
  if (isMasked(one) || isMasked(other) || jsonEquals(one, other)) return true;
  const [left, right] = [numeral(one), numeral(other)];
  return (one instanceof Decimal || other instanceof Decimal) && left !== undefined && right?.equals(left) === true;
}

/** Returns whether two values may be the same; a mask may hide a part of the second value. */
export function maybeSame(one: Json | undefined, other: Json | undefined): boolean {
  if (isMasked(other)) return true;
  if (one === undefined || other === undefined) return one === other;
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((each: Json, at) => maybeSame(each, other[at] as Json));
  if (!isObject(one) || !isObject(other)) return jsonEquals(one, other);
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => maybeSame(one[name], other[name]));
}
