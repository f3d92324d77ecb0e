import { OutOfSteps, spend, withinSteps } from "../base/budget.ts";
import { Decimal, stepsOfPair } from "../base/numbers/decimal.ts";
import { canonicalJson, plainView } from "../base/json/json.ts";
import {
  type SchemaCheck,
  checkUser,
  compileUser,
  type CompilerFault,
  type NumberRule,
  type Pointed,
  type UserRules,
} from "./compile.ts";
import { isWhole, type SchemaViolation, type Validate } from "./validator.ts";
import { unknownIn } from "./keywords.ts";
import { COUNTED, SchemaParts, type SchemaProblem } from "./walk.ts";
import { pathOf } from "./pointer.ts";

/** A schema that breaks the rules of JSON Schema. */
export class SchemaFault extends Error {
  override readonly name = "SchemaFault";
  /** The problems that the check against the meta-schema has found. */
  readonly problems: readonly SchemaViolation[];

  constructor(problems: readonly SchemaViolation[]) {
    super("no JSON Schema");
    this.problems = problems;
  }
}

/** A valid schema whose check would take too long, or would never end. */
export class SchemaRefused extends Error {
  override readonly name = "SchemaRefused";
  /** What is refused, and where in the schema. */
  readonly problem: SchemaProblem;

  constructor(problem: SchemaProblem) {
    super(problem.message);
    this.problem = problem;
  }
}

/**
 * Compiles the check of a user's schema. Formats are checked, and numbers are compared digit by digit. Throws a SchemaFault if the schema
 * is invalid, a SchemaRefused if it exceeds a limit or has an unknown keyword, and an Error if it cannot be compiled.
 */
export function userValidator(schema: object, matcher: UserRules["matcher"]): Validate {
  const written = structuredClone(plainView(schema)) as object;
  const parts = new SchemaParts(written);
  const refused = parts.problem();
  if (refused !== undefined) throw new SchemaRefused(refused);
  const problems = checkUser(written).filter(isWhole).map(asProblem);
  if (problems.length > 0) throw new SchemaFault(problems);
  for (const [part, path] of parts.all) {
    const unknown = unknownIn(part, path);
    if (unknown !== undefined) throw new SchemaRefused(unknown);
    makeExact(part as Record<string, unknown>, valueAt(schema, path) as Readonly<Record<string, unknown>>);
  }
  const checked: ValueInCheck = { value: undefined };
  const rules = { matcher, numbers: exactRules(checked), among: amongBy(checked), twice: twiceBy(checked), spend };
  const all = compileUser(written, rules, true);
  let first: SchemaCheck | undefined;
  return (value) => {
    checked.value = value;
    const plain = plainView(value);
    const found = problemsBy(all, plain);
    if (Array.isArray(found)) return found as readonly SchemaViolation[];
    // If finding all problems takes too long, the first problem is enough.
    first ??= compileUser(written, rules, false);
    const one = problemsBy(first, plain);
    return Array.isArray(one) ? (one as readonly SchemaViolation[]) : [unchecked(one as Error)];
  };
}

/** The value that is being checked, with its exact numbers. */
interface ValueInCheck {
  value: unknown;
}

const INT64 = { minimum: "-9223372036854775808", maximum: "9223372036854775807" };

// The compiler's own rules are only used to see whether a number is whole (decision 189). Our rules read limits as numerals, and `const` and `enum` as they are
// written.
function makeExact(part: Record<string, unknown>, written: Readonly<Record<string, unknown>>): void {
  part[COUNTED] = true;
  for (const keyword of Object.keys(EXACT_RULES)) {
    const limit = written[keyword] as Decimal | number | undefined;
    if (limit !== undefined) part[keyword] = String(limit);
  }
  for (const keyword of ["const", "enum"]) if (Object.hasOwn(written, keyword)) part[keyword] = written[keyword];
  if (part["format"] === "int64") part["allOf"] = [...((part["allOf"] as readonly object[] | undefined) ?? []), INT64];
}

/** Returns the problems of a value, or why the check did not finish. */
function problemsBy(check: SchemaCheck, value: unknown): readonly SchemaViolation[] | Error {
  try {
    return withinSteps("validationSteps", () => check(value)) ? [] : problemsOf(check);
  } catch (error) {
    if (isEndless(error)) return error;
    throw error;
  }
}

function problemsOf({ errors }: SchemaCheck): readonly SchemaViolation[] {
  return (errors ?? []).filter(isWhole).map(asProblem);
}

// The stack may be exhausted before the steps are.
function isEndless(error: unknown): error is Error {
  return error instanceof OutOfSteps || (error instanceof RangeError && error.message.includes("call stack"));
}

function unchecked(error: Error): SchemaViolation {
  const why = error instanceof OutOfSteps ? error.message : "the schema is too wide, or refers to itself without end";
  return { path: [], keyword: COUNTED, message: `cannot be checked against the schema: ${why}`, params: {}, schema: {} };
}

function asProblem({ instancePath, keyword, message, params, parentSchema }: CompilerFault): SchemaViolation {
  return { path: pathOf(instancePath), keyword, message: message ?? keyword, params, schema: parentSchema ?? {} };
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

function exactRules(checked: ValueInCheck): UserRules["numbers"] {
  const rules = Object.entries(EXACT_RULES).map(([keyword, { words, holds }]): [string, NumberRule] => [
    keyword,
    {
      words,
      within: (limit) => {
        const bound = Decimal.fromJsonSource(limit);
        return (number, at) => {
          const value = exactAt(checked, at);
          const own = value instanceof Decimal ? value : exactly(number);
          spend(STEPS_OF_A_LOOK + stepsOfPair(own.digits, bound.digits));
          return holds(own, bound);
        };
      },
    },
  ]);
  return Object.fromEntries(rules);
}

// The search for the exact number begins at the root.
const STEPS_OF_A_LOOK = 20;

function exactAt({ value }: ValueInCheck, pointer: Pointed): unknown {
  return valueAt(value, pathOf(pointer));
}

// A text is compared directly. It may also be the name of a field, to which no pointer leads.
function amongBy(checked: ValueInCheck): UserRules["among"] {
  return (choices) => {
    const allowed = new Set(choices.map(canonicalJson));
    return (value, at) => {
      if (value === null || typeof value === "string" || typeof value === "boolean") return allowed.has(canonicalJson(value));
      const text = canonicalJson(exactAt(checked, at));
      spend(STEPS_OF_A_LOOK + text.length);
      return allowed.has(text);
    };
  };
}

// Each value becomes one text, so a list of any length is read only once.
function twiceBy(checked: ValueInCheck): UserRules["twice"] {
  return (at, items) => {
    const given = exactAt(checked, at);
    const first = new Map<string, number>();
    for (const [index, item] of (Array.isArray(given) ? (given as readonly unknown[]) : items).entries()) {
      const text = canonicalJson(item);
      spend(STEPS_OF_AN_ITEM + text.length);
      const before = first.get(text);
      if (before !== undefined) return [before, index];
      first.set(text, index);
    }
    return undefined;
  };
}

const STEPS_OF_AN_ITEM = 10;

function exactly(number: number): Decimal {
  return Decimal.fromJsonSource(String(number));
}

function valueAt(root: unknown, path: readonly string[]): unknown {
  let at = root;
  for (const key of path) at = (at as Readonly<Record<string, unknown>>)[key];
  return at;
}
