/** The part of JSON Schema 2020-12 that the contract uses. A test checks that it uses no other part. */
export interface JsonSchema {
  /** The schema that this one refers to: `contract#/$defs/NAME`. */
  readonly $ref?: string;
  /** A short name of the value. */
  readonly title?: string;
  /** What the value is for. */
  readonly description?: string;
  /** The type of the value, or the types that it may have. */
  readonly type?: JsonSchemaType | readonly JsonSchemaType[];
  /** The fields of an object, by name. */
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  /** The fields that an object must have. */
  readonly required?: readonly string[];
  /** Whether an object may have other fields, or the schema of their values. */
  readonly additionalProperties?: boolean | JsonSchema;
  /** The schema of each item of a list. */
  readonly items?: JsonSchema;
  /** The least number of items of a list. */
  readonly minItems?: number;
  /** The greatest number of items of a list. */
  readonly maxItems?: number;
  /** The least number of characters of a text. */
  readonly minLength?: number;
  /** The regular expression that a text must match somewhere. */
  readonly pattern?: string;
  /** The least number that is allowed. */
  readonly minimum?: number;
  /** The greatest number that is allowed. */
  readonly maximum?: number;
  /** The values that are allowed. */
  readonly enum?: readonly (string | number | boolean)[];
  /** The only value that is allowed. */
  readonly const?: string | number | boolean;
  /** The value must fit exactly one of these schemas. */
  readonly oneOf?: readonly JsonSchema[];
  /** The value must fit at least one of these schemas. */
  readonly anyOf?: readonly JsonSchema[];
  /** The name of the text's format. */
  readonly format?: string;
  /** The value if none is given. */
  readonly default?: unknown;
  /** Values that fit the schema. */
  readonly examples?: readonly unknown[];
  /** The kind of thing that a text identifies (`token`, `vault`, …). Ids of two kinds are never the same. */
  readonly "x-id"?: string;
  /** Set for a word from a list that the service may extend: the list in this setting of the profile, or the words seen before (`seen`). */
  readonly "x-words"?: string;
  /** The key under `ledger.fields` of the profile with the real names of its fields. */
  readonly "x-profile"?: string;
}

/** The types of a JSON value in a schema. */
type JsonSchemaType = "string" | "number" | "integer" | "boolean" | "object" | "array" | "null";
