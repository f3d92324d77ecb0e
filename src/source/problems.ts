import type { Code } from "../base/catalogue/catalogue.ts";
import { invariant } from "../base/failure.ts";
import { DECIMAL_FORM, INTEGER_FORM } from "../base/numbers/decimal.ts";
import { didYouMean, didYouMeanOr } from "../base/text/text.ts";
import { demandOf } from "../schema/demand.ts";
import type { SchemaViolation } from "../schema/validator.ts";
import type { Finding } from "./diagnostic.ts";
import { meantBy, ruleOf } from "./pattern-rules.ts";
import { nodeAt, type Range, type SourceNode, startOf } from "./node.ts";

/** A finding of a schema check, with its place in the text. */
export interface PlacedFinding {
  /** What is wrong, and how to fix it. */
  readonly finding: Finding;
  /** Where the wrong key or value is in the text. */
  readonly range: Range;
}

/**
 * Returns the useful problems of a schema check. A choice reports every branch that does not fit. This becomes the problems in the branch
 * for the given kind of value or, if there is none, one problem that names everything that is allowed.
 */
export function essential(problems: readonly SchemaViolation[]): readonly SchemaViolation[] {
  if (problems.length === 0) return problems;
  const kept: SchemaViolation[] = [];
  for (const problem of problems) {
    if (problem.keyword === "anyOf" || problem.keyword === "oneOf") kept.push(...settle(problem, takeWithin(problem.path, kept)));
    else if (problem.keyword !== "if") kept.push(problem);
  }
  const lacking = new Set(kept.filter(({ keyword }) => keyword === "required").map(({ path }) => path.join("/")));
  const misspelt = new Set(kept.map(fieldMeant));
  return kept.filter(({ keyword, path, params }) => {
    if (keyword === "required") return !misspelt.has([...path, params["missingProperty"]].join("/"));
    return keyword !== "minProperties" || !lacking.has(path.join("/"));
  });
}

// A misspelt field is not also reported as missing.
function fieldMeant(problem: SchemaViolation): string | undefined {
  const { additionalProperty } = problem.params;
  const near = typeof additionalProperty === "string" ? meantField(additionalProperty, knownFields(problem)) : undefined;
  return near === undefined ? undefined : [...problem.path, near].join("/");
}

function knownFields({ schema }: SchemaViolation): readonly string[] {
  return Object.keys((schema["properties"] as object | undefined) ?? {});
}

// The validator reports the branches directly before the choice.
function takeWithin(path: readonly string[], problems: SchemaViolation[]): readonly SchemaViolation[] {
  const outside = problems.findLastIndex((problem) => !path.every((key, at) => problem.path[at] === key));
  return problems.splice(outside + 1);
}

const MISFITS: ReadonlySet<string> = new Set(["type", "const", "enum"]);

function settle(choice: SchemaViolation, branches: readonly SchemaViolation[]): readonly SchemaViolation[] {
  const misfits = branches.filter(({ keyword, path }) => path.length === choice.path.length && MISFITS.has(keyword));
  const details = branches.filter((problem) => !misfits.includes(problem));
  return details.length > 0 ? details : [{ ...choice, params: { misfits } }];
}

/** Turns the useful problems of a schema check into findings at the wrong keys or values. */
export function placeEssential(problems: readonly SchemaViolation[], root: SourceNode): readonly PlacedFinding[] {
  return essential(problems).map((problem) => placeProblem(problem, root));
}

/** Turns a problem of a schema check into a finding at the wrong key or value. */
export function placeProblem(problem: SchemaViolation, root: SourceNode): PlacedFinding {
  const node = nodeAt(root, problem.path);
  const { additionalProperty, propertyName } = problem.params;
  const key = additionalProperty ?? propertyName;
  if (typeof key === "string") {
    const entry = node.kind === "map" ? node.entries.get(key) : undefined;
    return {
      finding: additionalProperty === undefined ? badName(problem, key) : unknownField(problem, key),
      range: entry?.key ?? startOf(node),
    };
  }
  return { finding: describe(problem, node), range: startOf(node) };
}

/** Returns a problem of a schema check as the rest of a sentence about the value. `text` is the value if it is a text. */
export function restOfSentence(
  problem: SchemaViolation,
  text?: string,
): { readonly message: string; readonly fix: string | undefined } {
  const { additionalProperty, propertyName, missingProperty, allowedValues } = problem.params;
  if (typeof additionalProperty === "string") {
    const { message, suggestion } = unknownField(problem, additionalProperty);
    return { message: `has an ${message}`, fix: suggestion };
  }
  if (typeof propertyName === "string")
    return { message: `has a field "${propertyName}", which cannot be a name here`, fix: undefined };
  if (problem.keyword === "required") return { message: `lacks the field "${String(missingProperty)}"`, fix: undefined };
  return { message: demandOf(problem), fix: nearest(allowedValues, text) };
}

function unknownField(problem: SchemaViolation, field: string): Finding {
  const known = knownFields(problem);
  const meant = meantField(field, known);
  return {
    code: "schema.unknown-field",
    message: `unknown field "${field}"`,
    suggestion: meant === undefined ? `known fields: ${known.join(", ")}` : `did you mean "${meant}"?`,
  };
}

// Words of other tools, with our keyword for the same thing in a step, a playbook or an environment.
const OTHER_WORDS: readonly (readonly [ours: string, others: readonly string[]])[] = [
  ["expect", ["assert", "asserts", "assertions", "verify", "validate", "match", "response", "successcriteria"]],
  ["if", ["when", "condition"]],
  ["foreach", ["loop", "for", "each", "withitems", "matrix"]],
  ["with", ["params", "parameters", "args", "arguments", "body", "json", "request", "requestbody", "payload"]],
  ["uses", ["action", "call", "operation", "operationid", "task"]],
  ["as", ["user", "actor", "auth", "actas"]],
  ["id", ["register"]],
  ["name", ["title", "summary"]],
  ["until", ["waitfor", "eventually", "poll"]],
  ["retry", ["attempts"]],
  ["rescue", ["catch", "except", "onfailure", "onerror"]],
  ["always", ["finally", "teardown", "cleanup"]],
  ["inputs", ["variables", "vars", "parameters", "args"]],
  ["baseUrl", ["url", "address", "host", "endpoint", "server"]],
  ["apiKey", ["key", "token", "secret"]],
  ["steps", ["tasks", "stages", "scenarios", "testcases", "workflows", "jobs"]],
];

/** Returns the field that a person probably meant by a misspelt name, or by a word of another tool. */
export function meantField(field: string, known: readonly string[]): string | undefined {
  return otherWord(field, known) ?? didYouMean(field, known);
}

function otherWord(field: string, known: readonly string[]): string | undefined {
  const word = field.toLowerCase().replaceAll(/[-_]/g, "");
  return OTHER_WORDS.find(([name, others]) => known.includes(name) && others.includes(word))?.[0];
}

function badName(problem: SchemaViolation, name: string): Finding {
  const rule = problem.schema["propertyNames"] as { readonly pattern?: string; readonly description?: string } | undefined;
  return {
    code: "schema.name",
    message: `"${name}" cannot be a name here`,
    why: rule?.description,
    suggestion: asMeant(name, rule?.pattern),
  };
}

function describe(problem: SchemaViolation, node: SourceNode): Finding {
  const { keyword, params, schema } = problem;
  if (keyword === "required" || keyword === "dependentRequired") {
    const missing = String(params["missingProperty"]);
    const field = (schema["properties"] as Readonly<Record<string, SchemaViolation["schema"]>> | undefined)?.[missing];
    const example = field === undefined ? undefined : exampleIn(field);
    return {
      code: "schema.missing-field",
      message: `the field "${missing}" is missing`,
      why: descriptionOf(field),
      suggestion: example === undefined ? undefined : `write ${missing}: ${example}`,
    };
  }
  // A number or a boolean in the place of a text is converted to that text.
  const text = node.kind === "scalar" && node.value !== null ? String(node.value) : undefined;
  const pattern = typeof schema["pattern"] === "string" ? schema["pattern"] : undefined;
  const rule = pattern === undefined ? undefined : ruleOf(pattern);
  const example = exampleIn(schema);
  const isRule = keyword === "pattern" || (rule !== undefined && isText(params["type"]));
  const message = `${nameOf(problem.path)} ${isRule ? (rule ?? "is not written in the allowed form") : demandOf(problem)}`;
  return {
    code: codeOf(keyword),
    message,
    why: descriptionOf(schema),
    suggestion:
      nearest(allowedIn(problem), text) ??
      unquoted(problem, node) ??
      asMeant(text, pattern) ??
      asTyped(problem, node) ??
      (example === undefined ? undefined : `such as ${example}`),
  };
}

function exampleIn({ examples }: SchemaViolation["schema"]): string | undefined {
  return Array.isArray(examples) ? String(examples[0]) : undefined;
}

// Returns the words that are allowed, even if they are only one of several alternatives.
function allowedIn({ params, keyword }: SchemaViolation): readonly unknown[] {
  const { allowedValues, allowedValue, misfits } = params;
  if (Array.isArray(allowedValues)) return allowedValues;
  if (Array.isArray(misfits)) return (misfits as readonly SchemaViolation[]).flatMap(allowedIn);
  return keyword === "const" ? [allowedValue] : [];
}

function asMeant(text: string | undefined, pattern: string | undefined): string | undefined {
  const meant = text === undefined || pattern === undefined ? undefined : meantBy(text, pattern);
  return meant === undefined ? undefined : `try ${meant}`;
}

// The value may be a secret in the wrong place, so it is not repeated.
function asTyped({ keyword, params }: SchemaViolation, node: SourceNode): string | undefined {
  if (keyword !== "type" || node.kind !== "scalar" || node.value === null) return undefined;
  if (params["type"] === "array") return "put it in [ ]";
  if (typeof node.value === "string" && isOfType(node.value, params["type"])) return "write it without quotes";
  if (typeof node.value === "string" && /\d/.test(node.value)) {
    if (params["type"] === "number") return `write ${DECIMAL_FORM}`;
    if (params["type"] === "integer") return `write ${INTEGER_FORM}`;
  }
  if (params["type"] === "boolean") return YES_OR_NO.get(String(node.value).toLowerCase());
  return isText(params["type"]) ? "put it in quotes" : undefined;
}

// Words of YAML 1.1.
const YES_OR_NO: ReadonlyMap<string, string> = new Map([
  ...["yes", "y", "on"].map((word) => [word, "write true"] as const),
  ...["no", "n", "off"].map((word) => [word, "write false"] as const),
]);

function isOfType(text: string, type: unknown): boolean {
  if (type === "boolean") return text === "true" || text === "false";
  return (type === "number" || type === "integer") && NUMBER.test(text);
}

const NUMBER = /^-?\d+(?:\.\d+)?$/;

function isText(type: unknown): boolean {
  return [type].flat().includes("string");
}

// To YAML, an unquoted text that contains a colon is a map, which begins at its first key.
function unquoted({ keyword, params }: SchemaViolation, node: SourceNode): string | undefined {
  if (keyword !== "type" || params["type"] !== "string" || node.kind !== "map") return undefined;
  const [first] = node.entries.values();
  if (first?.key.start !== node.range.start) return undefined;
  return "outside quotes, a : with a space after it makes a map of a text: quote the whole text";
}

/** The code for each keyword of JSON Schema in our schemas. `placeProblem` handles the others. */
export const KEYWORD_CODES: Readonly<Record<string, Code>> = {
  type: "schema.type",
  anyOf: "schema.type",
  oneOf: "schema.type",
  enum: "schema.value",
  const: "schema.value",
  pattern: "schema.pattern",
  minimum: "schema.range",
  maximum: "schema.range",
  minItems: "schema.size",
  maxItems: "schema.size",
  minLength: "schema.size",
  maxLength: "schema.size",
  minProperties: "schema.size",
  maxProperties: "schema.size",
  "false schema": "schema.unknown-field",
};

function codeOf(keyword: string): Code {
  const code = KEYWORD_CODES[keyword];
  invariant(code !== undefined, `a schema uses the keyword "${keyword}", for which no diagnostic has a code`);
  return code;
}

function nameOf(path: readonly string[]): string {
  const last = path.at(-1);
  if (last === undefined) return "the document";
  return /^\d+$/.test(last) ? `item ${Number(last) + 1} of "${path.at(-2) ?? "the list"}"` : `"${last}"`;
}

// Types of other languages, and ours.
const TYPES: ReadonlyMap<string, string> = new Map([
  ...["text", "str"].map((word) => [word, "string"] as const),
  ...["int", "long"].map((word) => [word, "integer"] as const),
  ...["number", "float", "double", "money"].map((word) => [word, "decimal"] as const),
  ["bool", "boolean"],
  ["datetime", "date"],
  ...["array", "set"].map((word) => [word, "list"] as const),
  ...["map", "dict"].map((word) => [word, "object"] as const),
]);

function nearest(allowed: unknown, text: string | undefined): string | undefined {
  if (text === undefined || !Array.isArray(allowed)) return undefined;
  if (allowed.some((each) => typeof each !== "string" && String(each) === text)) return `write ${text} without quotes`;
  const type = TYPES.get(text.toLowerCase());
  if (type !== undefined && allowed.includes(type)) return `did you mean "${type}"?`;
  return didYouMeanOr(text, allowed.map(String), undefined);
}

function descriptionOf(schema: object | undefined): string | undefined {
  const { description } = (schema ?? {}) as { readonly description?: unknown };
  return typeof description === "string" ? description : undefined;
}
