import { pathOfFragment } from "./pointer.ts";
/** A schema, and the schemas that it may refer to, by `$id`. */
export interface Whole {
  /** The schema itself. */
  readonly root: object;
  /** The schemas that it may refer to, by `$id`. */
  readonly shared: ReadonlyMap<string, object>;
}

/** A schema, or a map of schemas. */
export type SchemaNode = Readonly<Record<string, unknown>>;

/**
 * Returns the schema with every `$ref` replaced by the schema that it names, so that each keyword has only one path. Keywords beside a
 * `$ref` are dropped, because they only describe. Throws a RangeError for a schema that refers to itself.
 */
export function inlined(whole: Whole): object {
  return copyOf(whole.root, whole, []) as object;
}

/** The keyword that ends a check after very many problems. */
export const BOUNDED = "x-bounded";

// Each of these keywords checks any number of values with one schema.
const MANY_VALUES: ReadonlySet<string> = new Set(["items", "additionalProperties"]);

function copyOf(value: unknown, whole: Whole, within: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((item) => copyOf(item, whole, within));
  if (!isSchemaNode(value)) return value;
  const reference = value["$ref"];
  if (typeof reference === "string") {
    if (within.includes(reference)) throw new RangeError(`the schema ${reference} refers to itself`);
    return copyOf(named(reference, whole), whole, [...within, reference]);
  }
  const fields = Object.entries(value).filter(([key]) => key !== "$id" && key !== "$schema");
  const copied = fields.map(([key, inner]): [string, unknown] => {
    const copy = copyOf(inner, whole, within);
    return [key, MANY_VALUES.has(key) && isSchemaNode(copy) ? { ...copy, [BOUNDED]: true } : copy];
  });
  return Object.fromEntries(copied);
}

/** Returns the schema around a keyword, by the keyword's path in the inlined schema, such as `#/properties/id/pattern`. */
export function schemaAround(keywordPath: string, whole: Whole): SchemaNode {
  const found = walk(whole.root, pathOfFragment(keywordPath).slice(0, -1), whole);
  return isSchemaNode(found) ? found : {};
}

function walk(from: unknown, path: readonly string[], whole: Whole): unknown {
  let at = meant(from, whole);
  for (const key of path) at = meant((at as SchemaNode | undefined)?.[key], whole);
  return at;
}

function meant(node: unknown, whole: Whole): unknown {
  let found = node;
  while (isSchemaNode(found) && typeof found["$ref"] === "string") found = named(found["$ref"], whole);
  return found;
}

function named(reference: string, whole: Whole): unknown {
  const [id = "", pointer = ""] = reference.split("#");
  const found = walk(id === "" ? whole.root : whole.shared.get(id), pathOfFragment(pointer), whole);
  if (found === undefined) throw new RangeError(`there is no schema ${reference}`);
  return found;
}

/** Returns whether a value is a schema or a map of schemas, not `true`, `false` or a list. */
export function isSchemaNode(value: unknown): value is SchemaNode {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
