import { ownValue } from "../../base/maps.ts";
import { Decimal } from "../../base/numbers/decimal.ts";
import { isObject } from "../../base/json/json.ts";
import { resolve } from "../../contract/contract.ts";
import type { Profile } from "../../contract/profile.ts";
import type { JsonSchema } from "../../contract/schema-types.ts";
import type { Dialect } from "../dialect.ts";

/** How an interface writes the values in its answers. */
export type Speech = Pick<Profile, "numbers" | "booleans"> & { readonly dialect: Dialect };

/** Returns whether a body is written unchanged. */
function isPlain({ numbers, booleans, dialect }: Speech): boolean {
  return numbers === "number" && booleans === "boolean" && dialect.numbers === "plain" && dialect.createdAt === "given";
}

/** Writes an answer in the dialect. Free-form data belongs to the caller and stays unchanged. */
export function spoken(schema: JsonSchema | undefined, body: object | undefined, speech: Speech): object | undefined {
  if (schema === undefined || body === undefined || isPlain(speech)) return body;
  return written(schema, body, speech) as object;
}

function written(schema: JsonSchema, value: unknown, speech: Speech): unknown {
  const { type = [], properties = {}, items } = resolve(schema);
  if (Array.isArray(value)) return items === undefined ? value : value.map((item) => written(items, item, speech));
  if (value instanceof Decimal || typeof value === "number") return numeral(value, speech);
  if (typeof value === "boolean") return speech.booleans === "text" && [type].flat().includes("boolean") ? String(value) : value;
  if (!isObject(value)) return value;
  const fields = Object.entries(value).map(([name, field]) => {
    if (name === "createdAt" && speech.dialect.createdAt === "null") return [name, null];
    const declared = ownValue(properties, name);
    return [name, declared === undefined ? field : written(declared, field, speech)];
  });
  return Object.fromEntries(fields);
}

function numeral(value: Decimal | number, { numbers, dialect }: Speech): unknown {
  const text = String(value);
  if (numbers === "text") return text;
  return dialect.numbers === "exponent" ? (Decimal.parse(`${text}e0`) ?? value) : value;
}
