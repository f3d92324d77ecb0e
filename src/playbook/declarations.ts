import type { Json } from "../base/json/json.ts";
import type { Validate } from "../schema/validator.ts";

/** A text from a variable of the process or, without it, from the playbook. */
export interface VariableDeclaration {
  /** Its name in expressions: `env.NAME`. */
  readonly name: string;
  /** Its default; if left out, the variable must be set. */
  readonly default: string | undefined;
  /** Its line in the file, from 1. */
  readonly line: number;
}

/** Where a secret is. */
export interface SecretDeclaration {
  /** Its name in expressions: `secrets.NAME`. */
  readonly name: string;
  /** Whether the secret is in a variable of the process or in a file. */
  readonly from: "variable" | "file";
  /** The name of the variable, or the path of the file from the playbook's folder. */
  readonly place: string;
  /** Its line in the file, from 1. */
  readonly line: number;
  /** How the playbook writes it, for messages: `secrets.PIN`, or `http: env:REGISTER`. */
  readonly written: string;
  /** Whether it is the address of rows, which is kept secret too. */
  readonly isAddress: boolean;
}

/** The types that an input can have. */
export type InputType = "string" | "integer" | "decimal" | "boolean" | "date" | "entity" | "list" | "object" | "file";

/** The type of a value, and its rules; `any` if only a JSON Schema describes it. */
export interface ValueShape {
  readonly type: Exclude<InputType, "file"> | "any";
  /** A regular expression (RE2) that must be found in the text. */
  readonly pattern?: string | undefined;
  /** The allowed values. */
  readonly enum?: readonly Json[] | undefined;
  /** The least number or the earliest date, as it was written. */
  readonly minimum?: string | undefined;
  /** The greatest number or the latest date, as it was written. */
  readonly maximum?: string | undefined;
  /** The type of each item of a list. */
  readonly items?: ValueShape | undefined;
  /** The least number of items in a list. */
  readonly minItems?: number | undefined;
  /** The greatest number of items in a list. */
  readonly maxItems?: number | undefined;
  /** Whether all items must differ; with the name of a field, they must differ in this field. */
  readonly unique?: true | string | undefined;
  /** The fields of an object. It may have others only if it is `open`. */
  readonly properties?: ReadonlyMap<string, ValueShape> | undefined;
  /** The shape of every field of an object, whatever its name. */
  readonly values?: ValueShape | undefined;
  /** The names of the fields that an object must have. */
  readonly required?: ReadonlySet<string> | undefined;
  /** Whether there may be other fields, and null, as in JSON Schema. */
  readonly open?: boolean | undefined;
  /** Whether the value may be null too. */
  readonly nullable?: boolean | undefined;
}

/** One of the `inputs`: its type, its rules and its default. */
export interface InputDeclaration {
  /** Its name in expressions: `inputs.NAME`. */
  readonly name: string;
  /** The type that was declared. */
  readonly type: InputType;
  /** What people should know about it, if anything. */
  readonly description: string | undefined;
  /** The shape of the value; for a file, of its content. */
  readonly shape: ValueShape;
  /** The value if none is given; for a file, its content; `undefined` without a default. */
  readonly default: Json | undefined;
  /** How a file is read. */
  readonly file: FileRule | undefined;
}

/** The formats of a data file. */
export type FileFormat = "json" | "yaml" | "csv";

/** The rules of an input of type `file`. */
export interface FileRule {
  /** The format; `undefined` to choose it by the file's extension. */
  readonly format: FileFormat | undefined;
  /** The resolved path of the default file. */
  readonly path: string | undefined;
  /** Validates the content against the JSON Schema; `undefined` if there is none. */
  readonly validate: Validate | undefined;
}
