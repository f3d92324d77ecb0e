import type { Code } from "../base/catalogue/catalogue.ts";
import { Failure } from "../base/failure.ts";
import { didYouMeanOr } from "../base/text/text.ts";
import { demandOf } from "../schema/demand.ts";
import { SchemaSet, type SchemaViolation } from "../schema/validator.ts";
import { SANDBOX_LIMITS } from "./limits.ts";

/** The documents that a sandbox is given. The build compiles the check of each, and does not compile itself while one is missing there. */
export type SandboxDocument = "the seed" | "the fault plan" | "the dialect";

/** A document from a user: its name in messages, the code of the failure about it, and its schema. */
export interface DocumentShape {
  /** What messages call it. */
  readonly name: SandboxDocument;
  /** The code of the failure, such as `sandbox.faults-invalid`. */
  readonly code: string;
  /** The JSON Schema that it must match. */
  readonly schema: object;
}

/** Where something is in a document: keys, and places in lists. */
export type DocumentPath = readonly (string | number)[];

/** One wrong place of a document. */
export interface WrongPlace {
  /** What kind of mistake it is. */
  readonly code: Code;
  /** The value that is wrong, or the map whose `key` is. */
  readonly path: DocumentPath;
  /** The key that is wrong; left out where the value is. */
  readonly key?: string;
  /** What is wrong. */
  readonly message: string;
  /** What to write instead. */
  readonly fix?: string | undefined;
}

/** The failure of a document that is wrong. Whoever has the text of the document can show its places. */
export class WrongDocument extends Failure {
  /** Which document it is. */
  readonly document: SandboxDocument;
  /** All that is shown of what is wrong. */
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

/** Throws the failure that names the wrong places of a value. */
export function demandShape(value: unknown, shape: DocumentShape): void {
  const problems = schemas.validator(shape.schema)(value);
  const [first, ...others] = reportedOf(problems);
  if (first !== undefined) throw new WrongDocument(shape, [first, ...others.slice(0, SANDBOX_LIMITS.problemsShown - 1)]);
}

/** The failure about one wrong value. */
export function wrongAt(shape: DocumentShape, path: DocumentPath, message: string, fix?: string): WrongDocument {
  return new WrongDocument(shape, [{ code: "schema.value", path, message, fix }]);
}

const IMPLIED_BY_CHOICE: ReadonlySet<string> = new Set(["required", "const", "minimum", "maximum"]);

// A choice reports first that none of its branches fits, and then the reason for each branch.
function reportedOf(problems: readonly SchemaViolation[]): readonly WrongPlace[] {
  const choices = problems.filter(({ keyword }) => keyword === "oneOf").map(({ path }) => spell(path));
  return problems
    .filter(({ keyword, path }) => keyword !== "if" && !(IMPLIED_BY_CHOICE.has(keyword) && choices.includes(spell(path))))
    .map(placeOf);
}

function placeOf(problem: SchemaViolation): WrongPlace {
  const { keyword, path, params, schema } = problem;
  const { additionalProperty: key, missingProperty: missing } = params;
  if (typeof missing === "string") return { code: "schema.missing-field", path, message: `the field "${missing}" is missing` };
  if (keyword !== "additionalProperties" || typeof key !== "string")
    return { code: "schema.value", path, message: messageOf(problem) };
  const known = Object.keys((schema["properties"] as object | undefined) ?? {});
  const fix = didYouMeanOr(key, known, `known fields: ${known.join(", ")}`);
  return { code: "schema.unknown-field", path, key, message: `unknown field "${key}"`, fix };
}

// A choice of fields has its words in its schema.
function messageOf(problem: SchemaViolation): string {
  const { keyword, schema } = problem;
  return keyword === "oneOf" ? String(schema["$comment"]) : demandOf(problem);
}

function spell(path: DocumentPath): string {
  return path.map((part, at) => (/^\d+$/.test(String(part)) ? `[${part}]` : at === 0 ? part : `.${part}`)).join("");
}
