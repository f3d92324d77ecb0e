import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
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
    path: error.instancePath.split("/").slice(1).map(unescapePointer),
    keyword: error.keyword,
    message: error.message ?? error.keyword,
    params: error.params,
    schema: error.parentSchema ?? {},
  };
}

function unescapePointer(token: string): string {
  return token.replaceAll("~1", "/").replaceAll("~0", "~");
}
