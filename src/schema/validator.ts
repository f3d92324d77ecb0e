import { Ajv2020, type ErrorObject, type Options, type ValidateFunction } from "ajv/dist/2020.js";
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

/**
 * A family of schemas that may refer to one another by `$id`. Each is compiled when it is first used, and first for a plain yes or
 * no, which is quick to compile and to run; what names every problem is compiled when the answer was no.
 */
export class SchemaSet {
  readonly #shared: readonly object[];
  readonly #quick: Ajv2020;
  #thorough: Ajv2020 | undefined;
  readonly #validators = new Map<object, Validate>();

  constructor(shared: readonly object[] = []) {
    this.#shared = shared;
    this.#quick = newAjv(shared, {});
  }

  validator(schema: object): Validate {
    let validate = this.#validators.get(schema);
    if (validate === undefined) {
      validate = this.#validate(schema);
      this.#validators.set(schema, validate);
    }
    return validate;
  }

  #validate(schema: object): Validate {
    const fits = this.#quick.compile(schema);
    let find: ValidateFunction | undefined;
    return (value) => {
      const plain = plainView(value);
      if (fits(plain)) return [];
      this.#thorough ??= newAjv(this.#shared, { allErrors: true, verbose: true });
      find ??= this.#thorough.compile(schema);
      find(plain);
      return (find.errors ?? []).filter(isWhole).map(asProblem);
    };
  }
}

function newAjv(shared: readonly object[], options: Options): Ajv2020 {
  const ajv = new Ajv2020({
    ...options,
    strict: false,
    discriminator: true,
    // Our schemas are checked by tests, not at each start; nor does optimised code earn back what it costs to make.
    meta: false,
    validateSchema: false,
    code: { optimize: false },
    addUsedSchema: false,
  });
  for (const schema of shared) ajv.addSchema(schema);
  return ajv;
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
