import type { ErrorObject } from "ajv/dist/2020.js";
import { plainView } from "../base/json.ts";
import { type Check, type Compile, compile } from "./compile.ts";
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
  return (value) => (check(plainView(value)) ? [] : (check.errors ?? []).filter(isWhole).map((error) => asProblem(error, whole)));
}

// What is wrong with a key is told once more, by the `propertyNames` that names the key.
function isWhole(error: ErrorObject): boolean {
  return error.propertyName === undefined;
}

function asProblem(error: ErrorObject, whole: Whole): Problem {
  return {
    path: error.instancePath.split("/").slice(1).map(unescapePointer),
    keyword: error.keyword,
    message: error.message ?? error.keyword,
    params: error.params,
    schema: schemaAround(error.schemaPath, whole),
  };
}

function unescapePointer(token: string): string {
  return token.replaceAll("~1", "/").replaceAll("~0", "~");
}
