import { isObject, type Json } from "../../base/json/json.ts";
import { numeral } from "../../base/json/parts.ts";

/**
 * Returns whether two values may be the same, where null is an unknown value. A field that only one of them has proves nothing, since it
 * may have a default. Different types prove nothing either, since an entity may be a text or an object.
 */
export function mayBeSame(one: Json, other: Json): boolean {
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item: Json, at) => mayBeSame(item, (other[at] as Json | undefined) ?? null));
  }
  if (isObject(one) && isObject(other)) {
    return Object.entries(one).every(([name, value]) => mayBeSame(value, other[name] ?? null));
  }
  const [number, otherNumber] = [numeral(one), numeral(other)];
  if (number !== undefined && otherNumber !== undefined) return number.equals(otherNumber);
  return typeof one !== typeof other || typeof one === "object" || one === other;
}
