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

/** Checks whether a value fits its schema; `errors` has the problems of the last value. */
export interface SchemaCheck {
  /** Returns whether a value fits. */
  (value: unknown): boolean;
  /** The problems of the last value; null or left out when it fits. */
  errors?: readonly CompilerFault[] | null;
}

/** Compiles the check of a schema, or finds it. */
export type Compile = (whole: Whole) => SchemaCheck;

const OPTIONS: Options = {
  allErrors: true,
  strict: false,
  discriminator: true,
  // Our schemas are checked by tests, not at each start.
  meta: false,
  validateSchema: false,
  addUsedSchema: false,
};

/** Makes the compiler of all fixed schemas, for this module and for the build. */
export function fixedCompiler(code: NonNullable<Options["code"]>): Ajv2020 {
  return new Ajv2020({ ...OPTIONS, code }).addKeyword(endingWithManyErrors);
}

// An answer of the service can hold millions of wrong values, and the problems alone would fill the memory.
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

// Optimised code does not earn back what it costs to make.
const ajv = fixedCompiler({ optimize: false });

/** Compiles now. In `dist/` the build replaces this module with checks made by the same compiler. */
export const compile: Compile = (whole) => ajv.compile(inlined(whole));

/** The rules for compiling a user's schema, in addition to the compiler's own. */
export interface UserRules {
  /** Makes the matcher of a pattern. Throws an Error that says what is wrong with the pattern. */
  readonly matcher: (pattern: string) => Matcher;
  /** The rules that compare numbers digit for digit. They find the exact number by its pointer. */
  readonly numbers: Readonly<Record<string, NumberRule>>;
  /** Returns the check whether a part of the value is one of these, digit for digit. */
  readonly among: (choices: readonly unknown[]) => (value: unknown, at: Pointed) => boolean;
  /** Counts steps. It is a parameter, because in `dist/` this compiler has modules of its own. */
  readonly spend: Spend;
  /** Returns the places of two equal items of a list, which it finds by its pointer. */
  readonly twice: (at: Pointed, items: readonly unknown[]) => readonly [number, number] | undefined;
}

/** Counts steps before they are taken. Throws when too many were counted. */
export type Spend = (steps: number) => void;

/** A pattern, and the steps that it takes in a text of so many characters. */
export interface Matcher {
  /** Returns whether the pattern is found in a text. */
  readonly foundIn: (text: string) => boolean;
  /** Returns how many steps it takes in a text of so many characters. */
  readonly stepsFor: (chars: number) => number;
}

/** The place of a part of the checked value: the JSON pointer from the root, empty at the root. */
export type Pointed = string;

/** Checks whether a number of the checked value keeps a rule. */
export interface NumberRule {
  /** The demand of the rule, to which messages add the limit: `at least`. */
  readonly words: string;
  /** Returns the check whether a number keeps the rule with this limit, a numeral. */
  readonly within: (limit: string) => (number: number, at: Pointed) => boolean;
}

/**
 * Compiles a user's schema, in which `COUNTED` marks each part, and limits of numbers are numerals; formats count. The check counts its steps, and without `all` it ends at
 * the first problem. Throws an Error when the schema cannot be compiled.
 */
export type CompileUser = (schema: object, rules: UserRules, all: boolean) => SchemaCheck;

/** Returns what is wrong with a user's schema. */
export type CheckUser = (schema: object) => readonly CompilerFault[];

// A user's schema is known only in a run, so `dist/` loads this compiler only when a run has one.
/** Compiles a user's schema with the rules that bound and count its check. */
export const compileUser: CompileUser = (schema, rules, all) => {
  const { matcher, spend } = rules;
  const own = new Ajv2020({
    allErrors: all,
    verbose: true,
    strict: false,
    meta: false,
    validateSchema: false,
    logger: false,
    // A schema that is referred to often would be compiled as often.
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

/** The keywords that compare numbers, or values that may hold some. The compiler's own see none as it is. */
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
    // The compiler's own rule also compares each item with every other one.
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

/** Counts the steps of one part of a schema before it is checked: those of its own keywords, and those of the value by its length. */
function countingSteps(spend: Spend): CodeKeywordDefinition {
  const counted = (value: unknown, errors: number, own: number, perKey: number): void =>
    spend(own + stepsOfValue(value, perKey) + (errors > MANY_ERRORS ? STEPS_OF_ONE_MORE : 0));
  // Following a reference copies the problems found so far.
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

// The steps of everything that is compared, required or named in it. Parts that are schemas count their own again, which is harmless.
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

// Some formats take time as the square of the text's length, and no format needs a long text.
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

// Formats of numbers take no time.
function fitsOf(format: Ajv2020["formats"][string]): ((text: string) => boolean) | undefined {
  if (format instanceof RegExp) return (text) => format.test(text);
  if (typeof format === "function") return format;
  if (typeof format !== "object" || format.type === "number" || format.async === true) return undefined;
  const { validate } = format;
  if (validate instanceof RegExp) return (text) => validate.test(text);
  const judge = typeof validate === "function" ? (validate as (text: string) => unknown) : undefined;
  return judge === undefined ? undefined : (text) => judge(text) === true;
}

// The schema of schemas is large: it is compiled once, and only when a user has written a schema.
let schemas: Ajv2020 | undefined;

/** Checks a user's schema against the schema of schemas. */
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
