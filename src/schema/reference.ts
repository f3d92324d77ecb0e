/** A schema, and the schemas that it may refer to, by `$id`. */
export interface Whole {
  readonly root: object;
  readonly shared: ReadonlyMap<string, object>;
}

type Node = Readonly<Record<string, unknown>>;

/**
 * The schema with every `$ref` replaced by what it names, so that a place in it has one path only. What stands beside a `$ref` only
 * describes, and goes. Throws a RangeError for a schema that refers to itself.
 */
export function inlined(whole: Whole): object {
  return copyOf(whole.root, whole, []) as object;
}

function copyOf(value: unknown, whole: Whole, within: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((item) => copyOf(item, whole, within));
  if (!isNode(value)) return value;
  const reference = value["$ref"];
  if (typeof reference === "string") {
    if (within.includes(reference)) throw new RangeError(`the schema ${reference} refers to itself`);
    return copyOf(named(reference, whole), whole, [...within, reference]);
  }
  const fields = Object.entries(value).filter(([key]) => key !== "$id" && key !== "$schema");
  return Object.fromEntries(fields.map(([key, inner]) => [key, copyOf(inner, whole, within)]));
}

/** The schema in which a keyword stands, from the keyword's path in the inlined schema, such as `#/properties/id/pattern`. */
export function schemaAround(keywordPath: string, whole: Whole): Node {
  const found = walk(whole.root, keywordPath.split("/").slice(1, -1), whole);
  return isNode(found) ? found : {};
}

function walk(from: unknown, tokens: readonly string[], whole: Whole): unknown {
  let at = meant(from, whole);
  for (const token of tokens) {
    const key = decodeURIComponent(token).replaceAll("~1", "/").replaceAll("~0", "~");
    at = meant((at as Node | undefined)?.[key], whole);
  }
  return at;
}

function meant(node: unknown, whole: Whole): unknown {
  let found = node;
  while (isNode(found) && typeof found["$ref"] === "string") found = named(found["$ref"], whole);
  return found;
}

function named(reference: string, whole: Whole): unknown {
  const [id = "", pointer = ""] = reference.split("#");
  const found = walk(id === "" ? whole.root : whole.shared.get(id), pointer.split("/").slice(1), whole);
  if (found === undefined) throw new RangeError(`there is no schema ${reference}`);
  return found;
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
