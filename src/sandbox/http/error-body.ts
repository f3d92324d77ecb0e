import type { ErrorForm } from "../../contract/profile.ts";
import type { ServiceRefusal } from "../refusal.ts";

/** The body of an error in the first form that the profile declares; message and condition are always in it. */
export function errorBody(
  [form = {}]: readonly ErrorForm[],
  { message, condition }: Pick<ServiceRefusal, "message" | "condition">,
): object {
  const marks = Object.entries(form).map(([field, value]) => [field, value === true ? message : value] as const);
  return { ...Object.fromEntries(marks), message, condition };
}
