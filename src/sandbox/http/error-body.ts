import type { ErrorForm } from "../../contract/profile.ts";
import type { Dialect } from "../dialect.ts";
import type { ServiceRefusal } from "../refusal.ts";

/**
 * The body of an error in the first form that the profile declares. Message and condition are always in it, unless the dialect has
 * the fields of the form alone: then their text begins with the condition.
 */
export function errorBody(
  [form = {}]: readonly ErrorForm[],
  { message, condition }: Pick<ServiceRefusal, "message" | "condition">,
  { errorFields }: Dialect,
): object {
  const text = errorFields === "form" ? `${condition}: ${message}` : message;
  const marks = Object.entries(form).map(([field, value]) => [field, value === true ? text : value] as const);
  return errorFields === "form" ? Object.fromEntries(marks) : { ...Object.fromEntries(marks), message, condition };
}
