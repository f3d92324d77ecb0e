import type { Code } from "../base/catalogue/catalogue.ts";
import { Failure } from "../base/failure.ts";
import { didYouMeanOr } from "../base/text/text.ts";
import { DURATION_PATTERN, DURATION_RULE, meantDuration } from "../base/time/duration.ts";
import { demandOf } from "../schema/demand.ts";
import { SchemaSet, type SchemaViolation } from "../schema/validator.ts";
import { SANDBOX_LIMITS } from "./limits.ts";

/** The documents that a sandbox can be given. The build compiles a validator for each, and does not compile if one is missing there. */
export type SandboxDocument = "the seed" | "the fault plan" | "the dialect";

/** A document from a user: its name in messages, the code of its failures, and its schema. */
export interface DocumentShape {
  /** Its name in messages. */
  readonly name: SandboxDocument;
  /** The code of the failure, such as `sandbox.faults-invalid`. */
  readonly code: string;
  /** The JSON Schema that it must match. */
  readonly schema: object;
}

/** A place in a document: keys, and indexes of lists. */
export type DocumentPath = readonly (string | number)[];

/** One wrong place of a document. */
interface WrongPlace {
  /** What kind of mistake it is. */
  readonly code: Code;
  /** The wrong value, or the map that contains the wrong `key`. */
  readonly path: DocumentPath;
  /** The wrong key. Left out if the value is wrong. */
  readonly key?: string;
  readonly message: string;
  /** What should be written instead. */
  readonly fix?: string | undefined;
}

/** The failure of a wrong document. Code that has the document's text can show the places. */
export class WrongDocument extends Failure {
  readonly document: SandboxDocument;
  /** The wrong places that are shown. */
  readonly places: readonly WrongPlace[];

  constructor({ name, code }: DocumentShape, [first, ...others]: readonly [WrongPlace, ...WrongPlace[]]) {
    const where = first.path.length === 0 ? "" : ` at ${spell(first.path)}`;
    const more = others.map((place) => `${spell(place.path)} ${sentenceOf(place)}`);
    const why = more.length === 0 ? {} : { why: `also: ${more.join("; ")}` };
    super({ code, message: `${name} is wrong${where}: ${sentenceOf(first)}`, ...why });
    this.document = name;
    this.places = [first, ...others];
  }
}

function sentenceOf({ message, fix }: WrongPlace): string {
  return fix === undefined ? message : `${message}; ${fix}`;
}

const schemas = new SchemaSet();

/** Throws a failure that names the wrong places of a value. */
export function demandShape(value: unknown, shape: DocumentShape): void {
  const problems = schemas.validator(shape.schema)(value);
  const [first, ...others] = reportedOf(problems, value);
  if (first !== undefined) throw new WrongDocument(shape, [first, ...others.slice(0, SANDBOX_LIMITS.problemsShown - 1)]);
}

/** Returns the failure about one wrong value. */
export function wrongAt(shape: DocumentShape, path: DocumentPath, message: string, fix?: string): WrongDocument {
  return new WrongDocument(shape, [{ code: "schema.value", path, message, fix }]);
}

const IMPLIED_BY_CHOICE: ReadonlySet<string> = new Set(["required", "const", "minimum", "maximum"]);

// For a choice, the validator first reports that no branch fits, and then the reason for each branch.
function reportedOf(problems: readonly SchemaViolation[], document: unknown): readonly WrongPlace[] {
  const choices = problems.filter(({ keyword }) => keyword === "oneOf").map(({ path }) => spell(path));
  return problems
    .filter(({ keyword, path }) => keyword !== "if" && !(IMPLIED_BY_CHOICE.has(keyword) && choices.includes(spell(path))))
    .map((problem) => placeOf(problem, valueAt(document, problem.path)));
}

function valueAt(document: unknown, path: DocumentPath): unknown {
  return path.reduce<unknown>((value, key) => (value as Readonly<Record<string | number, unknown>>)[key], document);
}

function placeOf(problem: SchemaViolation, value: unknown): WrongPlace {
  const { keyword, path, params, schema } = problem;
  const { additionalProperty: key, missingProperty: missing } = params;
  if (typeof missing === "string") return { code: "schema.missing-field", path, message: `the field "${missing}" is missing` };
  if (keyword !== "additionalProperties" || typeof key !== "string")
    return { code: "schema.value", path, message: messageOf(problem), fix: fixOf(problem, value) };
  const known = Object.keys((schema["properties"] as object | undefined) ?? {});
  const fix = didYouMeanOr(key, known, `known fields: ${known.join(", ")}`);
  return { code: "schema.unknown-field", path, key, message: `unknown field "${key}"`, fix };
}

// The schema of a choice contains its message.
function messageOf(problem: SchemaViolation): string {
  const { keyword, schema } = problem;
  if (schema["pattern"] === DURATION_PATTERN) return DURATION_RULE;
  return keyword === "oneOf" ? String(schema["$comment"]) : demandOf(problem);
}

function fixOf({ schema, params: { allowedValues } }: SchemaViolation, value: unknown): string | undefined {
  const text = String(value);
  if (Array.isArray(allowedValues)) return didYouMeanOr(text, allowedValues.map(String), undefined);
  const meant = schema["pattern"] === DURATION_PATTERN ? meantDuration(text) : undefined;
  return meant === undefined ? undefined : `try ${meant}`;
}

function spell(path: DocumentPath): string {
  return path.map((part, at) => (/^\d+$/.test(String(part)) ? `[${part}]` : at === 0 ? part : `.${part}`)).join("");
}
