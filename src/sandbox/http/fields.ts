import { ownValue } from "../../base/maps.ts";
import { isObject } from "../../base/json/json.ts";
import { resolve } from "../../contract/contract.ts";
import { fieldNames, type LedgerProfile } from "../../contract/profile.ts";
import type { JsonSchema } from "../../contract/schema-types.ts";
import { demand, type Condition } from "../refusal.ts";

/** Renames the fields of a body from the profile's names to the contract's. */
export function readFields(
  schema: JsonSchema,
  value: unknown,
  reading: { profile: LedgerProfile; condition: Condition },
): unknown {
  const { properties = {}, items = {}, "x-profile": key } = resolve(schema);
  if (Array.isArray(value)) return value.map((item) => readFields(items, item, reading));
  if (!isObject(value)) return value;
  const names = fieldNames(reading.profile, key) ?? {};
  const meant = new Map(Object.entries(names).map(([name, wire]) => [wire, name]));
  const fields = Object.entries(value).map(([wire, field]) => {
    const name = meant.get(wire) ?? wire;
    const other = ownValue(names, wire);
    demand(meant.has(wire) || other === undefined, reading.condition, `the body has no field ${wire}: it is called ${other}`);
    return [name, readFields(properties[name] ?? {}, field, reading)] as const;
  });
  return Object.fromEntries(fields);
}

/** Renames the fields in a schema of the contract to the profile's names. */
export function schemaOnTheWire(schema: JsonSchema, profile: LedgerProfile): JsonSchema {
  const { "x-profile": key, ...rest } = schema;
  const names = fieldNames(profile, key);
  if (names === undefined) return rest;
  const { properties = {}, required = [] } = rest;
  const called = Object.entries(properties).map(([name, field]) => [names[name] ?? name, field] as const);
  return { ...rest, required: required.map((name) => names[name] ?? name), properties: Object.fromEntries(called) };
}

/** Renames the fields in an example of a body to the profile's names. */
export function exampleOnTheWire(schema: JsonSchema, value: unknown, profile: LedgerProfile): unknown {
  const { properties = {}, items = {}, "x-profile": key } = resolve(schema);
  if (Array.isArray(value)) return value.map((item) => exampleOnTheWire(items, item, profile));
  if (!isObject(value)) return value;
  const names = fieldNames(profile, key) ?? {};
  const fields = Object.entries(value).map(([name, field]) => [
    names[name] ?? name,
    exampleOnTheWire(properties[name] ?? {}, field, profile),
  ]);
  return Object.fromEntries(fields) as unknown;
}
