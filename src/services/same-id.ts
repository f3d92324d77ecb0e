import { Decimal } from "../base/numbers/decimal.ts";
import { isMasked } from "../base/secret.ts";
import { type Json, jsonEquals } from "../base/json/json.ts";

/**
 * Returns whether two ids may name the same thing. The service may show a number where a text was sent, and the other way round. A mask
 * in a recorded id hides a secret, which may be any id. See decision 209.
 */
export function maybeSameId(one: Json, other: Json): boolean {
  if (isMasked(one) || isMasked(other) || jsonEquals(one, other)) return true;
  const [left, right] = [numberOf(one), numberOf(other)];
  return (one instanceof Decimal || other instanceof Decimal) && left !== undefined && right?.equals(left) === true;
}

function numberOf(id: Json): Decimal | undefined {
  return typeof id === "string" ? Decimal.parse(id) : id instanceof Decimal ? id : undefined;
}
