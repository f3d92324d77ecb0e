import { Decimal } from "../base/decimal.ts";
import { plainView } from "../base/json.ts";
import { checkUser, compileUser, type Fault, type NumberRule, type UserRules } from "./compile.ts";
import { isWhole, pathOf, type Problem, type Validate } from "./validator.ts";

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
export function userValidator(schema: object, matcher: UserRules["matcher"]): Validate {
  const written = plainView(schema) as object;
  const problems = checkUser(written).filter(isWhole).map(asProblem);
  if (problems.length > 0) throw new SchemaFault(problems);
  const exact = new WeakMap<object, unknown>();
  const check = compileUser(written, { matcher, numbers: exactRules(exact) });
  return (value) => {
    const plain = plainView(value);
    if (plain !== null && typeof plain === "object") exact.set(plain, value);
    return check(plain) ? [] : (check.errors ?? []).filter(isWhole).map(asProblem);
  };
}

function asProblem({ instancePath, keyword, message, params, parentSchema }: Fault): Problem {
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

// The compiler sees plain numbers; `exact` knows the value that each plain view was made of.
function exactRules(exact: WeakMap<object, unknown>): Readonly<Record<string, NumberRule>> {
  const rules = Object.entries(EXACT_RULES).map(([keyword, { words, holds }]): [string, NumberRule] => [
    keyword,
    {
      words,
      holds: ({ root, pointer, number }, limit) => {
        const given = typeof root === "object" && root !== null ? exact.get(root) : undefined;
        const value = given === undefined ? undefined : valueAt(given, pathOf(pointer));
        return holds(value instanceof Decimal ? value : exactly(number), exactly(limit));
      },
    },
  ]);
  return Object.fromEntries(rules);
}

function exactly(number: number): Decimal {
  return Decimal.fromJsonSource(String(number));
}

function valueAt(root: unknown, path: readonly string[]): unknown {
  let at = root;
  for (const key of path) at = (at as Readonly<Record<string, unknown>>)[key];
  return at;
}
