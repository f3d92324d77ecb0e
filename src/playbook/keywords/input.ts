import { DATE_PATTERN } from "../../base/time/date.ts";
import { NUMERAL_PATTERN } from "../../base/numbers/decimal.ts";
import type { InputType } from "../declarations.ts";
import { choice, type PlainKeyword, type Keywords, node, number, text, type Value, type Values } from "./keyword.ts";

// The keywords of an input, and of a part of an input: an item of a list, or a field of an object.

/** The keywords about a value. */
export interface InputPartFields extends Values<
  "type" | "pattern" | "enum" | "minimum" | "maximum" | "items" | "unique" | "properties" | "required"
> {
  /** What people should know about it; `undefined` if there is nothing. */
  readonly description: string | undefined;
  /** The least number of items in a list; `undefined` without a limit. */
  readonly minItems: number | undefined;
  /** The greatest number of items in a list; `undefined` without a limit. */
  readonly maxItems: number | undefined;
}

/** The keywords that only an input has, not a part of it. */
export interface GivenFields extends Values<"default" | "schema"> {
  /** The format of a file; `undefined` to choose it by the file's extension. */
  readonly format: "json" | "yaml" | "csv" | undefined;
}

const VALUE_TYPES: readonly InputType[] = ["string", "integer", "decimal", "boolean", "date", "entity", "list", "object"];
const ANY_MAP = { type: "object" };
const BOUND = { type: ["string", "number"], pattern: `${NUMERAL_PATTERN}|${DATE_PATTERN}` };
const SIZE = { type: "integer", minimum: 0 };
const ordered = { types: ["decimal", "integer", "date"] } as const;
const ofLists = { types: ["list", "file"] } as const;
const ofObjects = { types: ["object", "file"] } as const;
const ofFiles = { types: ["file"] } as const;

function typeRow(types: readonly InputType[], description: string): PlainKeyword<Value> {
  return node({ enum: types }, description, { required: true });
}

/**
 * Returns the keywords of a part of an input. `part` is the schema of its own parts. They are checked one by one, so that a playbook
 * without such inputs does not wait until their schema is compiled.
 */
export function partKeywords(part: object = ANY_MAP): Keywords<InputPartFields> {
  return {
    type: typeRow(VALUE_TYPES, "The type of the value. A decimal is any number, kept exactly."),
    description: text("What people should know about it."),
    pattern: node({ type: "string" }, "A regular expression (RE2) that the text must match.", { types: ["string"] }),
    enum: node({ type: "array", minItems: 1 }, "The values allowed.", { types: VALUE_TYPES }),
    minimum: node(BOUND, "The least number, or the earliest date, allowed.", ordered),
    maximum: node(BOUND, "The greatest number, or the latest date, allowed.", ordered),
    items: node(part, "The type of each item of a list.", ofLists),
    minItems: number(SIZE, "How many items a list must have.", ofLists),
    maxItems: number(SIZE, "How many items a list may have.", ofLists),
    unique: node(
      { type: ["boolean", "string"], not: { const: false } },
      "No item twice: true; or the name of a field in which no two items are the same.",
      ofLists,
    ),
    properties: node(
      { type: "object", minProperties: 1, additionalProperties: part },
      "The fields of an object, which has no others.",
      ofObjects,
    ),
    required: node(
      { type: "array", items: { type: "string" } },
      "The fields that must be there; by default, all of them.",
      ofObjects,
    ),
  };
}

/** The keywords of a part of an input. */
export const PART: Keywords<InputPartFields> = partKeywords();

/** The keywords of an input in addition to those of a part. */
export const GIVEN: Keywords<GivenFields> = {
  default: node(
    {},
    "The value when none is given; for a file, its path from the playbook's folder. Without a default, the input must be given.",
  ),
  format: choice(["json", "yaml", "csv"], "How a file is read; by default, by its extension.", ofFiles),
  schema: node(
    { type: ["string", "object"] },
    "The required content of a file: a JSON Schema (2020-12), or the path of one from the playbook's folder.",
    ofFiles,
  ),
};

/** The keywords of an input whose parts have this schema. */
export function inputKeywords(part?: object): Keywords<InputPartFields & GivenFields> {
  const type = typeRow(
    [...VALUE_TYPES, "file"],
    "The type of the value. A decimal is any number, kept exactly. A file gives its content.",
  );
  return { ...partKeywords(part), type, ...GIVEN };
}

/** The keywords of an input. */
export const INPUT: Keywords<InputPartFields & GivenFields> = inputKeywords();
