import { createHash } from "node:crypto";
import { Decimal } from "../base/numbers/decimal.ts";
import { isObject, type Json } from "../base/json/json.ts";

/** A digest of a value: the same for values that say the same, whatever the order of their fields or the spelling of their numbers. */
export function digestOfValue(value: Json): string {
  return createHash("sha256").update(canonical(value)).digest("hex");
}

function canonical(value: Json): string {
  if (value instanceof Decimal) return value.canonical();
  if (Array.isArray(value)) return `[${value.map((item: Json) => canonical(item)).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const fields = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonical(field)}`).join(",")}}`;
}
