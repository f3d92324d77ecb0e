import { ownValue } from "../base/maps.ts";
import { Decimal } from "../base/numbers/decimal.ts";
import { isObject, type Json, type JsonObject } from "../base/json/json.ts";
import type { ErrorForm } from "../contract/profile.ts";
import type { Operation } from "./operation.ts";

/**
 * Returns whether the service itself wrote an error, not a gateway in front of it. The body must have one of the declared forms, or be
 * exactly one of the conditions that the description lists for the call. Decision 91 says why the words of a gateway prove nothing.
 */
export function isOwnError(operation: Operation, body: Json | undefined, forms: readonly ErrorForm[]): boolean {
  if (!isObject(body)) return false;
  return forms.some((form) => hasForm(body, form)) || saysCondition(operation, body);
}

/** Status codes about the moment, the key or a gateway, which show nothing about the call. */
export const OF_THE_MOMENT: ReadonlySet<number> = new Set([401, 407, 408, 421, 425, 429, 499, 502, 503, 504]);

/** Returns whether a body has every field of a form. */
export function hasForm(body: JsonObject, form: ErrorForm): boolean {
  const fields = Object.entries(form);
  return fields.length > 0 && fields.every(([name, wanted]) => isAsWanted(ownValue(body, name), wanted));
}

function isAsWanted(value: Json | undefined, wanted: ErrorForm[string]): boolean {
  if (wanted === true) return value !== undefined && value !== null && value !== "";
  return typeof wanted === "number" ? value instanceof Decimal && value.equals(Decimal.of(wanted)) : value === wanted;
}

/**
 * Returns whether an error says that the server failed, whatever its form and status. Then it is not a refusal. A server may fail in any
 * call, also where the description does not list it.
 */
export function saysServerError(body: Json | undefined): boolean {
  return isObject(body) && [body["message"], body["condition"]].some((said) => typeof said === "string" && isServerError(said));
}

// A server error does not prove that there was no effect, and gateways report server errors too.
function saysCondition({ call }: Operation, { message, condition }: JsonObject): boolean {
  return call.conditions.some((listed) => !isServerError(listed) && (message === listed || condition === listed));
}

/** Returns whether a condition only means that the server failed. This is not a refusal, so a write may have taken effect. */
export function isServerError(condition: string): boolean {
  return /\bserver error\b/i.test(condition);
}
