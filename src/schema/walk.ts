import { getOrInsert } from "../base/maps.ts";
import { LIMITS } from "../base/limits.ts";
import { isSchemaNode, type SchemaNode } from "./reference.ts";
import { pathOfFragment } from "./pointer.ts";

/** The keyword that makes a part of a schema count its steps. */
export const COUNTED = "x-counted";

/** What prevents a schema from being compiled, and where in it. */
export interface SchemaProblem {
  /** Keys and indexes from the root of the schema to the place. */
  readonly path: readonly string[];
  /** What is wrong, as the rest of a sentence about the place. */
  readonly message: string;
}

/** The keywords of a draft 2020-12 schema that contain other schemas. */
const HOLDS: ReadonlyMap<string, "one" | "list" | "map"> = new Map([
  ...["not", "if", "then", "else", "items", "contains", "propertyNames", "contentSchema"].map((key) => [key, "one"] as const),
  ...["additionalProperties", "unevaluatedItems", "unevaluatedProperties"].map((key) => [key, "one"] as const),
  ...["allOf", "anyOf", "oneOf", "prefixItems"].map((key) => [key, "list"] as const),
  ...["properties", "patternProperties", "dependentSchemas", "dependencies", "$defs", "definitions"].map(
    (key) => [key, "map"] as const,
  ),
]);

/** The keywords whose schemas check the same value as the schema around them. */
const SAME_VALUE: ReadonlySet<string> = new Set([
  "not",
  "if",
  "then",
  "else",
  "allOf",
  "anyOf",
  "oneOf",
  "dependentSchemas",
  "dependencies",
]);

/** The keywords that contain data, not a schema. */
const DATA: ReadonlySet<string> = new Set(["const", "enum", "default", "examples"]);

const REFERENCES = ["$ref", "$dynamicRef"] as const;

/** A place with a schema. */
interface HeldSchema {
  readonly keyword: string;
  readonly path: readonly string[];
  readonly schema: unknown;
}

/** The schemas within a schema, and the references between them. */
export class SchemaParts {
  readonly #root: SchemaNode;
  /** Each part, with the place where it was first found. */
  readonly #paths = new Map<SchemaNode, readonly string[]>();
  readonly #anchors = new Map<string, SchemaNode>();
  readonly #sizes = new Map<SchemaNode, number>();
  /** The target of each reference, by the reference's text. */
  readonly #targets = new Map<string, SchemaNode | undefined>();

  constructor(root: object) {
    this.#root = root as SchemaNode;
    this.#find(this.#root, []);
  }

  /** Returns every part once, with the place where it was first found. The whole schema comes first. */
  get all(): Iterable<readonly [part: object, path: readonly string[]]> {
    return this.#paths.entries();
  }

  /** Returns what would prevent the schema from being compiled, or its check from ending. */
  problem(): SchemaProblem | undefined {
    return this.#intoData() ?? this.#tooLarge() ?? this.#endless();
  }

  // A map also iterates over entries that are added during the loop, so parts that only a reference reaches are found too.
  #find(root: SchemaNode, at: readonly string[]): void {
    this.#add(root, at);
    for (const [part, path] of this.#paths) {
      for (const held of heldBy(part)) if (isSchemaNode(held.schema)) this.#add(held.schema, [...path, ...held.path]);
      for (const key of ["$anchor", "$dynamicAnchor"]) {
        const name = part[key];
        if (typeof name === "string" && !this.#anchors.has(name)) this.#anchors.set(name, part);
      }
      for (const reference of referencesOf(part)) this.#follow(reference);
    }
  }

  #add(part: SchemaNode, path: readonly string[]): void {
    if (!this.#paths.has(part)) this.#paths.set(part, path);
  }

  #follow(reference: string): void {
    if (this.#targets.has(reference) || !reference.startsWith("#")) return;
    const path = pointerOf(reference);
    const target = path === undefined ? undefined : partAt(this.#root, path);
    if (path === undefined || !isSchemaNode(target)) return;
    this.#targets.set(reference, target);
    if (!path.some((key) => DATA.has(key))) this.#add(target, path);
  }

  #targetOf(reference: string): SchemaNode | undefined {
    return this.#targets.get(reference) ?? this.#anchors.get(reference.slice(1));
  }

  #intoData(): SchemaProblem | undefined {
    for (const [part, path] of this.#paths) {
      const reference = referencesOf(part).find((each) => {
        const target = this.#targets.get(each);
        return target !== undefined && !this.#paths.has(target);
      });
      if (reference !== undefined)
        return { path, message: `refers to ${JSON.stringify(reference)}, which is data and no schema` };
    }
    return undefined;
  }

  // The compiler creates a separate function for each spelling of a reference.
  #tooLarge(): SchemaProblem | undefined {
    const references = new Map<string, readonly string[]>();
    for (const [part, path] of this.#paths)
      for (const each of referencesOf(part)) if (!references.has(each)) references.set(each, path);
    let parts = this.#sizeOf(this.#root);
    if (parts > LIMITS.schemaParts) return { path: [], message: tooMany(parts) };
    for (const [reference, path] of references) {
      parts += this.#sizeOf(this.#targetOf(reference) ?? this.#root);
      if (parts > LIMITS.schemaParts) return { path, message: tooMany(parts) };
    }
    return undefined;
  }

  #sizeOf(part: SchemaNode): number {
    return getOrInsert(this.#sizes, part, () => {
      let size = 1;
      for (const { schema } of heldBy(part)) size += isSchemaNode(schema) ? this.#sizeOf(schema) : 1;
      return size;
    });
  }

  #endless(): SchemaProblem | undefined {
    const done = new Set<SchemaNode>();
    const open = new Set<SchemaNode>();
    const visit = (part: SchemaNode): SchemaProblem | undefined => {
      if (done.has(part)) return undefined;
      open.add(part);
      for (const { next, by } of this.#sameValue(part)) {
        const found = open.has(next) ? this.#circle(part, by) : visit(next);
        if (found !== undefined) return found;
      }
      open.delete(part);
      done.add(part);
      return undefined;
    };
    for (const part of this.#paths.keys()) {
      const found = visit(part);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  *#sameValue(part: SchemaNode): Generator<{ readonly next: SchemaNode; readonly by: string }> {
    for (const { keyword, schema } of heldBy(part))
      if (SAME_VALUE.has(keyword) && isSchemaNode(schema)) yield { next: schema, by: keyword };
    for (const reference of referencesOf(part)) {
      const target = this.#targetOf(reference);
      if (target !== undefined) yield { next: target, by: reference };
    }
  }

  #circle(part: SchemaNode, reference: string): SchemaProblem {
    const message = `refers to itself without end: ${JSON.stringify(reference)} leads back to itself before any part of the value is checked`;
    return { path: this.#paths.get(part) ?? [], message };
  }
}

function tooMany(parts: number): string {
  return `has more than ${LIMITS.schemaParts.toLocaleString("en")} parts with what it refers to (${parts} up to here); the limit is schemaParts`;
}

function heldBy(part: SchemaNode): readonly HeldSchema[] {
  return Object.entries(part).flatMap(([keyword, value]): readonly HeldSchema[] => {
    const kind = HOLDS.get(keyword);
    if (kind === undefined || typeof value !== "object" || value === null) return [];
    if (kind === "one") return [{ keyword, path: [keyword], schema: value }];
    return Object.entries(value).map(([key, schema]) => ({ keyword, path: [keyword, key], schema: schema as unknown }));
  });
}

function referencesOf(part: SchemaNode): readonly string[] {
  return REFERENCES.flatMap((key) => {
    const reference = part[key];
    return typeof reference === "string" ? [reference] : [];
  });
}

function pointerOf(reference: string): readonly string[] | undefined {
  const fragment = reference.slice(1);
  if (fragment !== "" && !fragment.startsWith("/")) return undefined;
  try {
    return pathOfFragment(fragment);
  } catch {
    return undefined; // the compiler reports what is wrong with it
  }
}

function partAt(root: SchemaNode, path: readonly string[]): unknown {
  let at: unknown = root;
  for (const key of path)
    at = typeof at === "object" && at !== null && Object.hasOwn(at, key) ? (at as SchemaNode)[key] : undefined;
  return at;
}
