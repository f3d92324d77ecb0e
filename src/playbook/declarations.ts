import type { Json } from "../base/json/json.ts";
import type { Validate } from "../schema/validator.ts";

/** A text that the process gives, or else the playbook. */
export interface VariableDeclaration {
  /** Its name in expressions: `env.NAME`. */
  readonly name: string;
  /** Left out, the variable must be set. */
  readonly default: string | undefined;
  /** Its line in the file, from 1. */
  readonly line: number;
}

/** Where a secret is. */
export interface SecretDeclaration {
  /** Its name in expressions: `secrets.NAME`. */
  readonly name: string;
  /** Whether a variable of the process or a file holds it. */
  readonly from: "variable" | "file";
  /** The name of the variable, or the path of the file from the playbook's folder. */
  readonly place: string;
  /** Its line in the file, from 1. */
  readonly line: number;
}

/** The types that an input can have. */
export type InputType = "string" | "integer" | "decimal" | "boolean" | "date" | "entity" | "list" | "object" | "file";

/** What a value must be; `any` where only a JSON Schema knows. */
export interface ValueShape {
  readonly type: Exclude<InputType, "file"> | "any";
  /** A regular expression (RE2) that is found in the text. */
  readonly pattern?: string | undefined;
  /** The values allowed. */
  readonly enum?: readonly Json[] | undefined;
  /** A number or a date, as it was written. */
  readonly minimum?: string | undefined;
  /** The greatest number or the latest date, as it was written. */
  readonly maximum?: string | undefined;
  /** The type of each item of a list. */
  readonly items?: ValueShape | undefined;
  /** How many items a list must have. */
  readonly minItems?: number | undefined;
  /** How many items a list may have. */
  readonly maxItems?: number | undefined;
  /** No two items are the same; or, with the name of a field, have the same there. */
  readonly unique?: true | string | undefined;
  /** The fields of an object, which has no others unless it is `open`. */
  readonly properties?: ReadonlyMap<string, ValueShape> | undefined;
  /** What every field of an object is, whatever its name. */
  readonly values?: ValueShape | undefined;
  /** The names of the fields that an object must have. */
  readonly required?: ReadonlySet<string> | undefined;
  /** As a JSON Schema has it: there may be other fields, and null. */
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
  /** What people should know about it; `undefined` without one. */
  readonly description: string | undefined;
  /** What the value is; of a file, its content. */
  readonly shape: ValueShape;
  /** The value when none is given, and of a file its content; `undefined` without one. */
  readonly default: Json | undefined;
  /** How a file is read. */
  readonly file: FileRule | undefined;
}

/** The formats of a data file. */
export type FileFormat = "json" | "yaml" | "csv";

/** The rules of an input of type `file`. */
export interface FileRule {
  /** By default, by the file's extension. */
  readonly format: FileFormat | undefined;
  /** The path of the default, resolved. */
  readonly path: string | undefined;
  /** What the JSON Schema of the content finds; `undefined` without one. */
  readonly validate: Validate | undefined;
}
