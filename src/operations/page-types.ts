import { contract, resolve, schemaName } from "../contract/contract.ts";
import type { JsonSchema } from "../contract/schema-types.ts";

/** One field of an input, an answer or a type. */
export interface PageField {
  /** The name of the field; `…` means any other field. */
  readonly name: string;
  /** The type in words, such as `text`, `list of Entity`, `one of fungible, nonfungible`. */
  readonly type: string;
  /** Whether it must be given; always false for the values that a step yields. */
  readonly required: boolean;
  /** What it means; empty if the contract does not say. */
  readonly description: string;
}

/** A type that has fields of its own. */
export interface PageType {
  /** The name of the schema in the contract. */
  readonly name: string;
  /** What it means; empty if the contract does not say. */
  readonly description: string;
  /** Its fields in the order of the schema. */
  readonly fields: readonly PageField[];
}

/** Returns the fields of an object's schema. */
export function fieldsOf(schema: JsonSchema): readonly PageField[] {
  const { properties = {}, required = [], additionalProperties } = resolve(schema);
  const named = Object.entries(properties).map(([name, field]) => ({
    name,
    type: typeWords(field),
    required: required.includes(name),
    description: field.description ?? resolve(field).description ?? "",
  }));
  return [...named, ...otherFields(additionalProperties)];
}

function otherFields(others: JsonSchema["additionalProperties"]): readonly PageField[] {
  if (others === undefined || others === false) return [];
  const schema = others === true ? {} : others;
  return [{ name: "…", type: typeWords(schema), required: false, description: schema.description ?? "Any other field." }];
}

/** Returns a schema's type in a few words. */
export function typeWords(schema: JsonSchema): string {
  const resolved = resolve(schema);
  const choices = resolved.oneOf ?? resolved.anyOf;
  if (choices !== undefined) return [...new Set(choices.map(typeWords))].join(" or ");
  if (resolved.enum !== undefined) return `one of ${[...new Set(resolved.enum.map(String))].join(", ")}`;
  if (resolved.const !== undefined) return String(resolved.const);
  const types = [resolved.type ?? "any"].flat();
  return types
    .map((type) => (type === "array" ? `list of ${typeWords(resolved.items ?? {})}` : wordOf(type, schema)))
    .join(" or ");
}

const WORDS: Readonly<Record<string, string>> = { string: "text", number: "number", integer: "whole number", any: "anything" };

function wordOf(type: string, schema: JsonSchema): string {
  const name = schemaName(schema);
  return type === "object" && name !== undefined && fieldsOf(schema).length > 0 ? name : (WORDS[type] ?? type);
}

/** Returns the named types with fields in the given schemas, in the order of their first use. */
export function typesBelow(schemas: readonly JsonSchema[]): readonly PageType[] {
  const met = new Map<string, JsonSchema>();
  for (const schema of schemas) meet(schema, met);
  return [...met].map(([name, schema]) => ({ name, description: schema.description ?? "", fields: fieldsOf(schema) }));
}

function meet(schema: JsonSchema, met: Map<string, JsonSchema>): void {
  const name = schemaName(schema);
  const resolved = name === undefined ? schema : contract.$defs[name];
  if (resolved === undefined || (name !== undefined && met.has(name))) return;
  if (name !== undefined && fieldsOf(resolved).length > 0) met.set(name, resolved);
  const { properties = {}, items, additionalProperties: others, oneOf = [], anyOf = [] } = resolved;
  const inner = [...Object.values(properties), ...oneOf, ...anyOf, ...(items === undefined ? [] : [items])];
  for (const each of typeof others === "object" ? [...inner, others] : inner) meet(each, met);
}
