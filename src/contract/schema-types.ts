/** The part of JSON Schema 2020-12 that the contract uses; a test asserts that it uses no more. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly title?: string;
  readonly description?: string;
  readonly type?: JsonSchemaType | readonly JsonSchemaType[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly items?: JsonSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly enum?: readonly (string | number | boolean)[];
  readonly const?: string | number | boolean;
  readonly oneOf?: readonly JsonSchema[];
  readonly anyOf?: readonly JsonSchema[];
  readonly format?: string;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  /** The kind of thing that a string identifies (`token`, `vault`, …): two kinds never mix. */
  readonly "x-id"?: string;
  /** It holds a word of a list that the service may add to: that of this setting of the profile, or what was seen before (`seen`). */
  readonly "x-words"?: string;
  /** The key under `ledger.fields` of the profile that holds the names of its fields on the wire. */
  readonly "x-profile"?: string;
}

/** The types of a JSON value in a schema. */
export type JsonSchemaType = "string" | "number" | "integer" | "boolean" | "object" | "array" | "null";
