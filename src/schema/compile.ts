import {
  _,
  Ajv2020,
  type CodeKeywordDefinition,
  type ErrorObject,
  type FuncKeywordDefinition,
  Name,
  type Options,
  str,
} from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { LIMITS } from "../base/limits.ts";
import { BOUNDED, inlined, type Whole } from "./reference.ts";
import { COUNTED } from "./walk.ts";

/** One way in which a value breaks its schema, as the compiler reports it. */
export type CompilerFault = ErrorObject;

/** Checks whether a value fits its schema. */
export interface SchemaCheck {
  /** Returns whether a value fits. */
  (value: unknown): boolean;
  /** The problems of the last value; null or left out if it fits. */
  errors?: readonly CompilerFault[] | null;
}

/** Compiles the check of a schema, or finds a compiled one. */
export type Compile = (whole: Whole) => SchemaCheck;

const OPTIONS: Options = {
  allErrors: true,
  strict: false,
  discriminator: true,
  // Tests check our schemas, so this is not repeated at each start.
  meta: false,
  validateSchema: false,
  addUsedSchema: false,
};

/** Returns the compiler of all fixed schemas, for this module and for the build. */
export function fixedCompiler(code: NonNullable<Options["code"]>): Ajv2020 {
  return new Ajv2020({ ...OPTIONS, code }).addKeyword(endingWithManyErrors);
}

// An answer of the service can hold millions of wrong values, and their problems alone would fill the memory.
const endingWithManyErrors: CodeKeywordDefinition = {
  keyword: BOUNDED,
  schemaType: "boolean",
  code: ({ gen, it: { validateName } }) =>
    gen.if(_`errors > ${LIMITS.validationSteps / STEPS_OF_AN_ERROR}`, () => {
      gen.code(_`${validateName}.errors = vErrors`);
      gen.return(_`false`);
    }),
};

const STEPS_OF_AN_ERROR = 40;

// Optimising the code takes longer than it saves.
const ajv = fixedCompiler({ optimize: false });

/** Compiles at once. In `dist/`, the build replaces this module with checks from the same compiler. */
export const compile: Compile = (whole) => ajv.compile(inlined(whole));

/** The rules for compiling a user's schema, in addition to the compiler's own. */
export interface UserRules {
  /** Compiles a pattern. Throws an Error that says what is wrong with it. */
  readonly matcher: (pattern: string) => Matcher;
  /** The rules that compare numbers digit by digit. They find the exact number by its pointer. */
  readonly numbers: Readonly<Record<string, NumberRule>>;
  /** Returns a check whether a part of the value is one of these choices, digit by digit. */
  readonly among: (choices: readonly unknown[]) => (value: unknown, at: Pointed) => boolean;
  /** Counts steps. It is passed in, because in `dist/` this compiler has its own copies of modules. */
  readonly spend: Spend;
  /** Returns the places of two equal items in a list, which it finds by its pointer. */
  readonly twice: (at: Pointed, items: readonly unknown[]) => readonly [number, number] | undefined;
}

/** Counts steps before they are taken. Throws if there were too many. */
export type Spend = (steps: number) => void;

/** A compiled pattern. */
export interface Matcher {
  /** Returns whether the pattern is found in a text. */
  readonly foundIn: (text: string) => boolean;
  /** Returns how many steps a search takes in a text of this length. */
  readonly stepsFor: (chars: number) => number;
}

/** The place of a part in the checked value, as a JSON pointer; empty for the root. */
export type Pointed = string;

/** A rule about a number in the checked value. */
export interface NumberRule {
  /** The rule in words, which messages complete with the limit, such as `at least`. */
  readonly words: string;
  /** Returns a check whether a number satisfies the rule with this limit, which is a numeral. */
  readonly within: (limit: string) => (number: number, at: Pointed) => boolean;
}

/**
 * Compiles a user's schema. `COUNTED` marks each part in it, limits of numbers are numerals, and formats are checked. The check counts its steps; without `all`
 * it ends at the first problem. Throws an Error if the schema cannot be compiled.
 */
export type CompileUser = (schema: object, rules: UserRules, all: boolean) => SchemaCheck;

/** Returns the problems of a user's schema. */
export type CheckUser = (schema: object) => readonly CompilerFault[];

// A user's schema is known only in a run, so `dist/` loads this compiler only if a run has one.
/** Compiles a user's schema with rules that bound and count its check. */
export const compileUser: CompileUser = (schema, rules, all) => {
  const { matcher, spend } = rules;
  const own = new Ajv2020({
    allErrors: all,
    verbose: true,
    strict: false,
    meta: false,
    validateSchema: false,
    logger: false,
    // If referenced schemas were inlined, each would be compiled as often as it is referenced.
    inlineRefs: false,
    code: { regExp: regExpOf(matcher, spend), optimize: false },
  });
  formats.default(own);
  boundFormats(own, spend);
  own.addKeyword(countingSteps(spend));
  for (const keyword of exactKeywords(rules)) own.removeKeyword(keyword.keyword).addKeyword(keyword);
  return own.compile(schema);
};

type OwnKeyword = FuncKeywordDefinition & { readonly keyword: string };

/** The keywords that compare numbers, or values that may contain numbers. The compiler's own keywords do not see exact numbers. */
function exactKeywords({ numbers, among, twice }: UserRules): readonly OwnKeyword[] {
  const limits = Object.entries(numbers).map(([keyword, { words, within }]): OwnKeyword => ({
    keyword,
    type: "number",
    schemaType: "string",
    compile: (limit: string) => {
      const holds = within(limit);
      return (number: number, context) => holds(number, context?.instancePath ?? "");
    },
    error: { message: ({ schemaCode }) => str`must be ${words} ${schemaCode}` },
  }));
  const choice = (keyword: string, allowed: string, choices: (schema: unknown) => readonly unknown[]): OwnKeyword => ({
    keyword,
    compile: (schema: unknown) => {
      const isAmong = among(choices(schema));
      return (value: unknown, context) => isAmong(value, context?.instancePath ?? "");
    },
    error: { message: "must be allowed", params: ({ schemaCode }) => _`{${new Name(allowed)}: ${schemaCode}}` },
  });
  return [
    ...limits,
    choice("const", "allowedValue", (schema) => [schema]),
    choice("enum", "allowedValues", (schema) => schema as readonly unknown[]),
    // The compiler's own rule would compare each item with every other item.
    {
      keyword: "uniqueItems",
      type: "array",
      schemaType: "boolean",
      compile: (wanted: boolean) => (items: readonly unknown[], context) =>
        !wanted || twice(context?.instancePath ?? "", items) === undefined,
      error: { message: "must hold each item once" },
    },
  ];
}

/** Counts the steps of a part of a schema before it is checked: those of its own keywords, and those of the value by its length. */
function countingSteps(spend: Spend): CodeKeywordDefinition {
  const counted = (value: unknown, errors: number, own: number, perKey: number): void =>
    spend(own + stepsOfValue(value, perKey) + (errors > MANY_ERRORS ? STEPS_OF_ONE_MORE : 0));
  // Following a reference copies the problems that were found so far.
  const copied = (value: unknown, errors: number, own: number, perKey: number): void =>
    counted(value, errors, own + errors / ERRORS_A_STEP, perKey);
  return {
    keyword: COUNTED,
    schemaType: "boolean",
    before: "$dynamicAnchor",
    code: ({ gen, data, parentSchema }) => {
      const schema = parentSchema as Readonly<Record<string, unknown>>;
      const copies = schema["$ref"] !== undefined || schema["$dynamicRef"] !== undefined;
      const count = gen.scopeValue("func", { ref: copies ? copied : counted });
      const keys = EACH_KEY.some((keyword) => schema[keyword] !== undefined) ? STEPS_OF_A_KEY : 0;
      gen.code(_`${count}(${data}, ${new Name("errors")}, ${stepsOfKeywords(schema)}, ${keys})`);
    },
  };
}

/** The keywords that visit the keys of an object. */
const EACH_KEY = [
  "patternProperties",
  "additionalProperties",
  "unevaluatedProperties",
  "propertyNames",
  "minProperties",
  "maxProperties",
];

const CHARS_A_STEP = 16;
const STEPS_OF_A_KEY = 4;
const ERRORS_A_STEP = 4;
const MANY_ERRORS = 100_000;
const STEPS_OF_ONE_MORE = 1_000;

function stepsOfValue(value: unknown, perKey: number): number {
  if (typeof value === "string") return value.length / CHARS_A_STEP;
  if (perKey === 0 || typeof value !== "object" || value === null || Array.isArray(value)) return 0;
  return Object.keys(value).length * perKey;
}

// Returns the steps for everything that a part compares, requires or names. Its inner schemas are counted again later, which does no harm.
function stepsOfKeywords(schema: object): number {
  let steps = 1;
  for (const [key, value] of Object.entries(schema)) {
    if (key === "enum" || key === "const") steps += valuesIn(value);
    else if (typeof value === "object" && value !== null && key !== "$defs" && key !== "definitions")
      steps += Object.keys(value).length;
  }
  return steps;
}

function valuesIn(value: unknown): number {
  if (typeof value !== "object" || value === null) return 1;
  return Object.values(value).reduce((sum: number, part) => sum + valuesIn(part), 1);
}

// For some formats, the time grows with the square of the text's length, and no format needs a long text.
function boundFormats(own: Ajv2020, spend: Spend): void {
  for (const [name, format] of Object.entries(own.formats)) {
    const fits = fitsOf(format);
    if (fits === undefined) continue;
    own.addFormat(name, (text: string) => {
      if (text.length > LIMITS.formatChars) return false;
      spend(name === SLOW_FORMAT ? text.length ** 2 / SQUARE_A_STEP : text.length);
      return fits(text);
    });
  }
}

const SLOW_FORMAT = "url";
const SQUARE_A_STEP = 80;

// Formats of numbers take almost no time.
function fitsOf(format: Ajv2020["formats"][string]): ((text: string) => boolean) | undefined {
  if (format instanceof RegExp) return (text) => format.test(text);
  if (typeof format === "function") return format;
  if (typeof format !== "object" || format.type === "number" || format.async === true) return undefined;
  const { validate } = format;
  if (validate instanceof RegExp) return (text) => validate.test(text);
  const judge = typeof validate === "function" ? (validate as (text: string) => unknown) : undefined;
  return judge === undefined ? undefined : (text) => judge(text) === true;
}

// The meta-schema is large. It is compiled only once, and only if a user has written a schema.
let schemas: Ajv2020 | undefined;

/** Checks a user's schema against the meta-schema. */
export const checkUser: CheckUser = (schema) => {
  schemas ??= new Ajv2020({ allErrors: true, verbose: true, strict: false, logger: false, code: { optimize: false } });
  return schemas.validateSchema(schema) === true ? [] : (schemas.errors ?? []);
};

// The library distinguishes patterns by their `toString`.
function regExpOf(matcher: UserRules["matcher"], spend: Spend): RegExpMaker {
  const make = (pattern: string): PatternLike => {
    const { foundIn, stepsFor } = matcher(pattern);
    const test = (text: string): boolean => {
      spend(stepsFor(text.length));
      return foundIn(text);
    };
    return { test, toString: () => pattern };
  };
  return Object.assign(make, { code: "pattern" });
}

interface PatternLike {
  readonly test: (text: string) => boolean;
  readonly toString: () => string;
}

type RegExpMaker = ((pattern: string) => PatternLike) & { readonly code: string };
