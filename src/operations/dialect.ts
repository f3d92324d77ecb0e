import { Decimal } from "../base/numbers/decimal.ts";
import { isObject, type Json } from "../base/json/json.ts";
import { mapValues, ownValue } from "../base/maps.ts";
import { resolve } from "../contract/contract.ts";
import type { Profile } from "../contract/profile.ts";
import type { JsonSchema } from "../contract/schema-types.ts";

/** How a service writes the numbers and booleans of its answers. */
export type ValueDialect = Pick<Profile, "numbers" | "booleans">;

/** Converts an answer that has texts where the contract expects numbers and booleans. Other texts, and free-form data, stay unchanged. */
export function fromTexts(schema: JsonSchema, value: Json, dialect: ValueDialect): Json {
  if (dialect.numbers === "number" && dialect.booleans === "boolean") return value;
  const { type = [], properties = {}, items } = resolve(schema);
  if (Array.isArray(value)) return items === undefined ? value : value.map((item: Json) => fromTexts(items, item, dialect));
  if (isObject(value)) {
    return mapValues(value, (field, name) => {
      const declared = ownValue(properties, name);
      return declared === undefined ? field : fromTexts(declared, field, dialect);
    });
  }
  const types = [type].flat();
  if (typeof value !== "string" || types.includes("string")) return value;
  if (dialect.numbers === "text" && (types.includes("number") || types.includes("integer"))) return Decimal.parse(value) ?? value;
  if (dialect.booleans === "text" && types.includes("boolean") && (value === "true" || value === "false"))
    return value === "true";
  return value;
}
