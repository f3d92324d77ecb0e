import { LIMITS } from "../base/limits.ts";

/** The keyword by which a part of a schema counts its steps. */
export const COUNTED = "x-counted";

type Node = Readonly<Record<string, unknown>>;

/** What prevents a schema from being compiled, and where in it. */
export interface SchemaProblem {
  /** Keys and indexes from the root of the schema to the place. */
  readonly path: readonly string[];
  /** What is wrong, as the rest of a sentence about the place. */
  readonly message: string;
}

/** Where the keywords of a draft 2020-12 schema hold other schemas. */
const HOLDS: ReadonlyMap<string, "one" | "list" | "map"> = new Map([
  ...["not", "if", "then", "else", "items", "contains", "propertyNames", "contentSchema"].map((key) => [key, "one"] as const),
  ...["additionalProperties", "unevaluatedItems", "unevaluatedProperties"].map((key) => [key, "one"] as const),
  ...["allOf", "anyOf", "oneOf", "prefixItems"].map((key) => [key, "list"] as const),
  ...["properties", "patternProperties", "dependentSchemas", "dependencies", "$defs", "definitions"].map(
    (key) => [key, "map"] as const,
  ),
]);

/** The keywords whose schemas check the same value as the schema that has them. */
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

/** The keywords whose content is data, not a schema. */
const DATA: ReadonlySet<string> = new Set(["const", "enum", "default", "examples"]);

const REFERENCES = ["$ref", "$dynamicRef"] as const;

/** A place that holds a schema. */
interface Held {
  readonly keyword: string;
  readonly path: readonly string[];
  readonly schema: unknown;
}

/** The parts of a schema that are schemas themselves, and the references between them. */
export class SchemaParts {
  readonly #root: Node;
  /** Each part, with the place where it was found first. */
  readonly #paths = new Map<Node, readonly string[]>();
  readonly #anchors = new Map<string, Node>();
  readonly #sizes = new Map<Node, number>();
  /** The target of each reference, by its text. */
  readonly #targets = new Map<string, Node | undefined>();

  constructor(root: object) {
    this.#root = root as Node;
    this.#find(this.#root, []);
  }

  /** Returns every part once, with the place where it was found first; the whole schema comes first. */
  get all(): Iterable<readonly [part: object, path: readonly string[]]> {
    return this.#paths.entries();
  }

  /** Returns what would prevent it from being compiled, or its check from ending. */
  problem(): SchemaProblem | undefined {
    return this.#intoData() ?? this.#tooLarge() ?? this.#endless();
  }

  // A map also iterates over entries that are added meanwhile, so parts that only a reference reaches are found too.
  #find(root: Node, at: readonly string[]): void {
    this.#add(root, at);
    for (const [part, path] of this.#paths) {
      for (const held of heldBy(part)) if (isNode(held.schema)) this.#add(held.schema, [...path, ...held.path]);
      for (const key of ["$anchor", "$dynamicAnchor"]) {
        const name = part[key];
        if (typeof name === "string" && !this.#anchors.has(name)) this.#anchors.set(name, part);
      }
      for (const reference of referencesOf(part)) this.#follow(reference);
    }
  }

  #add(part: Node, path: readonly string[]): void {
    if (!this.#paths.has(part)) this.#paths.set(part, path);
  }

  #follow(reference: string): void {
    if (this.#targets.has(reference) || !reference.startsWith("#")) return;
    const path = pointerOf(reference);
    const target = path === undefined ? undefined : partAt(this.#root, path);
    if (path === undefined || !isNode(target)) return;
    this.#targets.set(reference, target);
    if (!path.some((key) => DATA.has(key))) this.#add(target, path);
  }

  #targetOf(reference: string): Node | undefined {
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

  // The compiler makes a function of its own for each spelling of a reference.
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

  #sizeOf(part: Node): number {
    let size = this.#sizes.get(part);
    if (size === undefined) {
      size = 1;
      for (const { schema } of heldBy(part)) size += isNode(schema) ? this.#sizeOf(schema) : 1;
      this.#sizes.set(part, size);
    }
    return size;
  }

  #endless(): SchemaProblem | undefined {
    const done = new Set<Node>();
    const open = new Set<Node>();
    const visit = (part: Node): SchemaProblem | undefined => {
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

  *#sameValue(part: Node): Generator<{ readonly next: Node; readonly by: string }> {
    for (const { keyword, schema } of heldBy(part))
      if (SAME_VALUE.has(keyword) && isNode(schema)) yield { next: schema, by: keyword };
    for (const reference of referencesOf(part)) {
      const target = this.#targetOf(reference);
      if (target !== undefined) yield { next: target, by: reference };
    }
  }

  #circle(part: Node, reference: string): SchemaProblem {
    const message = `refers to itself without end: ${JSON.stringify(reference)} leads back to itself before any part of the value is checked`;
    return { path: this.#paths.get(part) ?? [], message };
  }
}

function tooMany(parts: number): string {
  return `has more than ${LIMITS.schemaParts.toLocaleString("en")} parts with what it refers to (${parts} up to here); the limit is schemaParts`;
}

function heldBy(part: Node): readonly Held[] {
  return Object.entries(part).flatMap(([keyword, value]): readonly Held[] => {
    const kind = HOLDS.get(keyword);
    if (kind === undefined || typeof value !== "object" || value === null) return [];
    if (kind === "one") return [{ keyword, path: [keyword], schema: value }];
    return Object.entries(value).map(([key, schema]) => ({ keyword, path: [keyword, key], schema: schema as unknown }));
  });
}

function referencesOf(part: Node): readonly string[] {
  return REFERENCES.flatMap((key) => {
    const reference = part[key];
    return typeof reference === "string" ? [reference] : [];
  });
}

function pointerOf(reference: string): readonly string[] | undefined {
  const fragment = reference.slice(1);
  if (fragment !== "" && !fragment.startsWith("/")) return undefined;
  try {
    return fragment
      .split("/")
      .slice(1)
      .map((token) => decodeURIComponent(token).replaceAll("~1", "/").replaceAll("~0", "~"));
  } catch {
    return undefined; // the compiler reports what is wrong with it
  }
}

function partAt(root: Node, path: readonly string[]): unknown {
  let at: unknown = root;
  for (const key of path) at = typeof at === "object" && at !== null && Object.hasOwn(at, key) ? (at as Node)[key] : undefined;
  return at;
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
