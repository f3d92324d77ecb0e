import { Ajv2020, type ErrorObject, type Options, str } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { inlined, type Whole } from "./reference.ts";

/** One way in which a value breaks its schema, as the compiler tells it. */
export type Fault = ErrorObject;

/** Says whether a value fits its schema; what is wrong with the last one stands in `errors`. */
export interface Check {
  (value: unknown): boolean;
  errors?: readonly Fault[] | null;
}

/** Makes, or finds, the check of a schema. */
export type Compile = (whole: Whole) => Check;

/** How every schema is compiled, here and by the build. */
export const OPTIONS: Options = {
  allErrors: true,
  strict: false,
  discriminator: true,
  // Our schemas are checked by tests, not at each start.
  meta: false,
  validateSchema: false,
  addUsedSchema: false,
};

// Optimised code does not earn back what it costs to make.
const ajv = new Ajv2020({ ...OPTIONS, code: { optimize: false } });

/** Compiles now. In `dist/` the build puts checks made by the same compiler in the place of this module. */
export const compile: Compile = (whole) => ajv.compile(inlined(whole));

/** What a schema that a user wrote is compiled with, beside the compiler's own rules. */
export interface UserRules {
  /** How a pattern is looked for in a text. Throws an Error that says what is wrong with the pattern. */
  readonly matcher: (pattern: string) => { readonly foundIn: (text: string) => boolean };
  /** The rules that compare numbers digit for digit. The number that is checked is looked up by its pointer. */
  readonly numbers: Readonly<Record<string, NumberRule>>;
}

/** Says whether the number at a place of the value that is being checked keeps a rule. */
export interface NumberRule {
  readonly words: string;
  readonly holds: (at: { readonly root: unknown; readonly pointer: string; readonly number: number }, limit: number) => boolean;
}

/** Compiles a schema that a user wrote; formats count. Throws an Error when it cannot be compiled. */
export type CompileUser = (schema: object, rules: UserRules) => Check;

/** What is wrong with a schema that a user wrote. */
export type CheckUser = (schema: object) => readonly Fault[];

// A user's schemas are known only in a run: in `dist/` this compiler is loaded where there is one.
export const compileUser: CompileUser = (schema, { matcher, numbers }) => {
  const own = new Ajv2020({
    allErrors: true,
    verbose: true,
    strict: false,
    meta: false,
    validateSchema: false,
    logger: false,
    code: { regExp: regExpOf(matcher), optimize: false },
  });
  formats.default(own);
  for (const [keyword, { words, holds }] of Object.entries(numbers)) {
    own.removeKeyword(keyword).addKeyword({
      keyword,
      type: "number",
      schemaType: "number",
      compile: (limit: number) => (number: number, context) =>
        holds({ root: context?.rootData, pointer: context?.instancePath ?? "", number }, limit),
      error: { message: ({ schemaCode }) => str`must be ${words} ${schemaCode}` },
    });
  }
  return own.compile(schema);
};

// The schema of schemas is large: it is compiled once, and only where a user has written one.
let schemas: Ajv2020 | undefined;

export const checkUser: CheckUser = (schema) => {
  schemas ??= new Ajv2020({ allErrors: true, verbose: true, strict: false, logger: false, code: { optimize: false } });
  return schemas.validateSchema(schema) === true ? [] : (schemas.errors ?? []);
};

// The library tells patterns apart by what `toString` gives.
function regExpOf(matcher: UserRules["matcher"]): RegExpMaker {
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
