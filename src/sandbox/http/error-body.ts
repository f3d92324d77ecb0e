import type { ErrorForm } from "../../contract/profile.ts";
import type { Dialect } from "../dialect.ts";
import type { ServiceRefusal } from "../refusal.ts";

/**
 * Returns the body of an error in the first form that the profile declares. It also has message and condition, unless the dialect allows only the fields of the
 * form. Then the text in the form begins with the condition.
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
