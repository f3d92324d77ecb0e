import { lookPlainly } from "../base/json.ts";
import { type Check, type Compile, compile, type Fault } from "./compile.ts";
import { schemaAround, type Whole } from "./reference.ts";

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
  readonly #shared: ReadonlyMap<string, object>;
  readonly #compile: Compile;
  readonly #compiled = new Map<object, Validate>();

  constructor(shared: Readonly<Record<string, object>> = {}, compiler: Compile = compile) {
    this.#shared = new Map(Object.entries(shared));
    this.#compile = compiler;
  }

  validator(schema: object): Validate {
    let validate = this.#compiled.get(schema);
    if (validate === undefined) {
      const whole = { root: schema, shared: this.#shared };
      validate = asValidate(this.#compile(whole), whole);
      this.#compiled.set(schema, validate);
    }
    return validate;
  }
}

function asValidate(check: Check, whole: Whole): Validate {
  return (value) =>
    lookPlainly(value, check) ? [] : (check.errors ?? []).filter(isWhole).map((error) => asProblem(error, whole));
}

/** What is wrong with a key is told once more, by the `propertyNames` that names the key. */
export function isWhole(error: Fault): boolean {
  return error.propertyName === undefined;
}

function asProblem(error: Fault, whole: Whole): Problem {
  return {
    path: pathOf(error.instancePath),
    keyword: error.keyword,
    message: error.message ?? error.keyword,
    params: error.params,
    schema: schemaAround(error.schemaPath, whole),
  };
}

/** The keys and indexes of a JSON pointer. */
export function pathOf(pointer: string): readonly string[] {
  return pointer.split("/").slice(1).map(unescapePointer);
}

function unescapePointer(token: string): string {
  return token.replaceAll("~1", "/").replaceAll("~0", "~");
}
