import { count } from "../base/text/text.ts";
import type { SchemaViolation } from "./validator.ts";

/** Returns what a schema requires of a value, as the rest of a sentence: `must be a whole number`. */
export function demandOf(problem: SchemaViolation): string {
  const { keyword, params } = problem;
  switch (keyword) {
    case "required":
    case "dependentRequired":
      return `must have the field ${JSON.stringify(params["missingProperty"])}`;
    case "additionalProperties":
      return `must not have the field ${JSON.stringify(params["additionalProperty"])}`;
    case "type":
    case "const":
    case "enum":
      return `must be ${allowedBy(problem)}`;
    case "anyOf":
    case "oneOf":
      return "misfits" in params
        ? `must be ${(params["misfits"] as readonly SchemaViolation[]).map(allowedBy).join(", or ")}`
        : problem.message;
    case "pattern":
      return `must match ${String(params["pattern"])}`;
    case "uniqueItems":
      return "must hold each item once";
    case "format":
      return `must be a valid ${String(params["format"])}`;
    case "not":
      return "is excluded by the schema";
    case "false schema":
      return "cannot be here, beside the other fields";
    default:
      return limitDemand(problem);
  }
}

/** Returns the same with its place, as a sentence: `with.id must be text`. `root` is what the whole value is called. */
export function demandAt(root: string, problem: SchemaViolation): string {
  return `${[root, ...problem.path].join(".")} ${demandOf(problem)}`;
}

function allowedBy({ keyword, params }: SchemaViolation): string {
  if (keyword === "type") return article(params["type"]);
  if (keyword === "const") return JSON.stringify(params["allowedValue"]);
  return `one of: ${(params["allowedValues"] as readonly unknown[]).map(String).join(", ")}`;
}

const BOUNDS: Readonly<Record<string, string>> = { min: "at least", max: "at most" };
const SIZES: Readonly<Record<string, string>> = { Items: "item", Properties: "field", Length: "character" };

// The limit of a number in a user's schema has no parameter. Its message already has these words.
function limitDemand({ keyword, params: { limit }, message }: SchemaViolation): string {
  const [bound, noun] = [BOUNDS[keyword.slice(0, 3)], SIZES[keyword.slice(3)]];
  if (bound === undefined || limit === undefined) return message;
  return noun === undefined ? `must be ${bound} ${Number(limit)}` : `must have ${bound} ${count(Number(limit), noun)}`;
}

function article(type: unknown): string {
  const names = (Array.isArray(type) ? type : [type]).map((name) => TYPE_WORDS[String(name)] ?? String(name));
  return names.join(" or ");
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  integer: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "a map of fields",
  null: "null",
};
