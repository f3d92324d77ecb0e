import { didYouMean } from "../base/text/text.ts";
import type { SchemaProblem } from "./walk.ts";

const KEYWORDS: ReadonlySet<string> = new Set(
  [
    ["$id", "$schema", "$ref", "$anchor", "$dynamicRef", "$dynamicAnchor", "$vocabulary", "$comment", "$defs", "definitions"],
    ["prefixItems", "items", "contains", "properties", "patternProperties", "additionalProperties", "propertyNames"],
    ["unevaluatedItems", "unevaluatedProperties", "dependentSchemas", "dependencies", "dependentRequired", "required"],
    ["if", "then", "else", "allOf", "anyOf", "oneOf", "not", "type", "const", "enum", "format", "pattern"],
    ["multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength", "uniqueItems"],
    ["minItems", "maxItems", "minContains", "maxContains", "minProperties", "maxProperties"],
    ["title", "description", "default", "deprecated", "readOnly", "writeOnly", "examples"],
    ["contentEncoding", "contentMediaType", "contentSchema"],
  ].flat(),
);

/** The formats that are checked. A value of any other format would pass unchecked. */
export const FORMATS: ReadonlySet<string> = new Set(
  [
    ["date", "time", "date-time", "iso-time", "iso-date-time", "duration", "uri", "uri-reference", "uri-template", "url"],
    ["email", "hostname", "ipv4", "ipv6", "regex", "uuid", "byte"],
    ["json-pointer", "json-pointer-uri-fragment", "relative-json-pointer"],
    ["int32", "int64", "float", "double", "password", "binary"],
  ].flat(),
);

// Words that people know from elsewhere, with their names here.
const MEANT: ReadonlyMap<string, string> = new Map([
  ["additionalItems", "items"],
  ["nullable", 'type: [string, "null"]'],
  ["example", "examples"],
  ["id", "$id"],
]);

/** Returns the first unknown keyword or format in a part of a schema, because it would not be checked. */
export function unknownIn(part: object, path: readonly string[]): SchemaProblem | undefined {
  for (const [key, value] of Object.entries(part)) {
    if (!KEYWORDS.has(key) && !key.startsWith("x-")) {
      const meant = MEANT.get(key) ?? didYouMean(key, [...KEYWORDS]);
      const fix = meant === undefined ? "a keyword of your own begins with x-" : `did you mean ${meant}?`;
      return { path: [...path, key], message: `is no keyword of JSON Schema 2020-12: ${fix}` };
    }
    if (key === "format" && typeof value === "string" && !FORMATS.has(value)) {
      const meant = didYouMean(value, [...FORMATS]);
      const fix = meant === undefined ? `the formats are ${[...FORMATS].join(", ")}` : `did you mean ${meant}?`;
      return { path: [...path, key], message: `is no format that is checked here: ${fix}` };
    }
  }
  return undefined;
}
