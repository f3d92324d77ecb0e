import { Ajv2020, type ErrorObject, str, type ValidateFunction } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { Decimal } from "../base/decimal.ts";
import { plainView } from "../base/json.ts";

/** One way in which a value breaks its schema. */
export interface Problem {
  /** Keys and indexes from the root to the value that is wrong. */
  readonly path: readonly string[];
  /** The JSON Schema keyword that it breaks. */
  readonly keyword: string;
  readonly message: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** The schema that the keyword stands in. */
  readonly schema: Readonly<Record<string, unknown>>;
}

/** Names every problem of a value; numbers may be exact ones. */
export type Validate = (value: unknown) => readonly Problem[];

/** A family of schemas that may refer to one another by `$id`; each is compiled when it is first used. */
export class SchemaSet {
  readonly #ajv: Ajv2020;
  readonly #compiled = new Map<object, Validate>();

  constructor(shared: readonly object[] = []) {
    this.#ajv = new Ajv2020({
      allErrors: true,
      verbose: true,
      strict: false,
      discriminator: true,
      // Our schemas are checked by tests, not at each start; nor does optimised code earn back what it costs to make.
      meta: false,
      validateSchema: false,
      code: { optimize: false },
      addUsedSchema: false,
    });
    for (const schema of shared) this.#ajv.addSchema(schema);
  }

  validator(schema: object): Validate {
    let validate = this.#compiled.get(schema);
    if (validate === undefined) {
      validate = asValidate(this.#ajv.compile(schema));
      this.#compiled.set(schema, validate);
    }
    return validate;
  }
}

function asValidate(compiled: ValidateFunction): Validate {
  return (value) => (compiled(plainView(value)) ? [] : (compiled.errors ?? []).filter(isWhole).map(asProblem));
}

// What is wrong with a key is told once more, by the `propertyNames` that names the key.
function isWhole(error: ErrorObject): boolean {
  return error.propertyName === undefined;
}

function asProblem(error: ErrorObject): Problem {
  return {
    path: pathOf(error.instancePath),
    keyword: error.keyword,
    message: error.message ?? error.keyword,
    params: error.params,
    schema: error.parentSchema ?? {},
  };
}

function pathOf(pointer: string): readonly string[] {
  return pointer.split("/").slice(1).map(unescapePointer);
}

function unescapePointer(token: string): string {
  return token.replaceAll("~1", "/").replaceAll("~0", "~");
}

/** How a pattern of a schema is looked for in a text. Throws an Error that says what is wrong with the pattern. */
export type Matcher = (pattern: string) => { readonly foundIn: (text: string) => boolean };

/** A schema that breaks the rules of JSON Schema. */
export class SchemaFault extends Error {
  override readonly name = "SchemaFault";
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super("no JSON Schema");
    this.problems = problems;
  }
}

/**
 * The check of a schema that a user wrote: the schema itself is checked, formats count, and numbers are compared digit for digit.
 * Throws a SchemaFault when the schema is none, and an Error when it cannot be compiled.
 */
export function userValidator(schema: object, matcher: Matcher): Validate {
  const exact = new WeakMap<object, unknown>();
  const ajv = new Ajv2020({
    allErrors: true,
    verbose: true,
    strict: false,
    meta: false,
    validateSchema: false,
    logger: false,
    code: { regExp: regExpOf(matcher), optimize: false },
  });
  formats.default(ajv);
  for (const [keyword, { words, holds }] of Object.entries(EXACT_RULES)) {
    ajv.removeKeyword(keyword).addKeyword({
      keyword,
      type: "number",
      schemaType: "number",
      compile: (limit: number) => (data: number, context) => {
        const given = context === undefined ? undefined : exact.get(context.rootData);
        const value = given === undefined ? undefined : valueAt(given, pathOf(context?.instancePath ?? ""));
        return holds(value instanceof Decimal ? value : exactly(data), exactly(limit));
      },
      error: { message: ({ schemaCode }) => str`must be ${words} ${schemaCode}` },
    });
  }
  const written = plainView(schema) as object;
  const problems = schemaProblems(written);
  if (problems.length > 0) throw new SchemaFault(problems);
  const compiled = ajv.compile(written);
  return (value) => {
    const plain = plainView(value);
    if (plain !== null && typeof plain === "object") exact.set(plain, value);
    return compiled(plain) ? [] : (compiled.errors ?? []).filter(isWhole).map(asProblem);
  };
}

// The schema of schemas is large: it is compiled once, and only where a user has written one.
let schemas: Ajv2020 | undefined;

function schemaProblems(schema: object): readonly Problem[] {
  schemas ??= new Ajv2020({ allErrors: true, verbose: true, strict: false, logger: false, code: { optimize: false } });
  return schemas.validateSchema(schema) === true ? [] : (schemas.errors ?? []).filter(isWhole).map(asProblem);
}

interface ExactRule {
  readonly words: string;
  readonly holds: (value: Decimal, limit: Decimal) => boolean;
}

const EXACT_RULES: Readonly<Record<string, ExactRule>> = {
  minimum: { words: "at least", holds: (value, limit) => value.compare(limit) >= 0 },
  maximum: { words: "at most", holds: (value, limit) => value.compare(limit) <= 0 },
  exclusiveMinimum: { words: "more than", holds: (value, limit) => value.compare(limit) > 0 },
  exclusiveMaximum: { words: "less than", holds: (value, limit) => value.compare(limit) < 0 },
  multipleOf: { words: "a multiple of", holds: (value, limit) => value.remainder(limit).isZero() },
};

function exactly(number: number): Decimal {
  return Decimal.fromJsonSource(String(number));
}

function valueAt(root: unknown, path: readonly string[]): unknown {
  let at = root;
  for (const key of path) at = (at as Readonly<Record<string, unknown>>)[key];
  return at;
}

// The library tells patterns apart by what `toString` gives.
function regExpOf(matcher: Matcher): RegExpMaker {
  const make = (pattern: string): PatternLike => {
    const { foundIn } = matcher(pattern);
    return { test: foundIn, toString: () => pattern };
  };
  return Object.assign(make, { code: "pattern" });
}

interface PatternLike {
  readonly test: (text: string) => boolean;
  readonly toString: () => string;
}

type RegExpMaker = ((pattern: string) => PatternLike) & { readonly code: string };
