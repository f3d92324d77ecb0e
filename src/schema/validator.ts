import { getOrInsert } from "../base/maps.ts";
import { lookPlainly } from "../base/json/json.ts";
import { type SchemaCheck, type Compile, compile, type CompilerFault } from "./compile.ts";
import { schemaAround, type Whole } from "./reference.ts";
import { pathOf } from "./pointer.ts";

/** One way in which a value breaks its schema. */
export interface SchemaViolation {
  /** Keys and indexes from the root to the wrong value. */
  readonly path: readonly string[];
  /** The JSON Schema keyword that it breaks. */
  readonly keyword: string;
  /** What is wrong, as the rest of a sentence: `must be number`. */
  readonly message: string;
  /** What the keyword requires or what breaks it, under the compiler's names, such as `missingProperty`. `misfits` are the problems of a choice. */
  readonly params: Readonly<Record<string, unknown>>;
  /** The schema with the keyword. */
  readonly schema: Readonly<Record<string, unknown>>;
}

/** Returns every problem of a value. */
export type Validate = (value: unknown) => readonly SchemaViolation[];

interface Validators {
  readonly exact: Validate;
  readonly plain: Validate;
}

/** A family of schemas that may refer to one another by `$id`. Each is compiled at its first use. */
export class SchemaSet {
  readonly #shared: ReadonlyMap<string, object>;
  readonly #compile: Compile;
  readonly #compiled = new Map<object, Validators>();

  constructor(shared: Readonly<Record<string, object>> = {}, compiler: Compile = compile) {
    this.#shared = new Map(Object.entries(shared));
    this.#compile = compiler;
  }

  /** Returns the check for values with exact numbers. */
  validator(schema: object): Validate {
    return this.#validators(schema).exact;
  }

  /** Returns the check for values with JavaScript numbers. */
  plainValidator(schema: object): Validate {
    return this.#validators(schema).plain;
  }

  #validators(schema: object): Validators {
    return getOrInsert(this.#compiled, schema, () => {
      const whole = { root: schema, shared: this.#shared };
      return validatorsBy(this.#compile(whole), whole);
    });
  }
}

const NO_PROBLEMS: readonly SchemaViolation[] = [];

function validatorsBy(check: SchemaCheck, whole: Whole): Validators {
  const problems = (): readonly SchemaViolation[] => (check.errors ?? []).filter(isWhole).map((error) => asProblem(error, whole));
  return {
    exact: (value) => (lookPlainly(value, check) ? NO_PROBLEMS : problems()),
    plain: (value) => (check(value) ? NO_PROBLEMS : problems()),
  };
}

/** Returns whether a problem is complete. The problems inside a key are repeated by the `propertyNames` problem that names the key. */
export function isWhole(error: CompilerFault): boolean {
  return error.propertyName === undefined;
}

function asProblem(error: CompilerFault, whole: Whole): SchemaViolation {
  return {
    path: pathOf(error.instancePath),
    keyword: error.keyword,
    message: error.message ?? error.keyword,
    params: error.params,
    // Computed on demand, because most callers need only the path.
    get schema() {
      return schemaAround(error.schemaPath, whole);
    },
  };
}
