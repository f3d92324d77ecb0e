import { Failure } from "../base/failure.ts";
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

type Path = readonly (string | number)[];

const schemas = new SchemaSet();

/** Throws the failure that names every wrong place of a value. */
export function demandShape(value: unknown, shape: DocumentShape): void {
  const problems = schemas.validator(shape.schema)(value);
  const [first, ...others] = reportedOf(problems);
  if (first === undefined) return;
  const more = others.slice(0, SANDBOX_LIMITS.problemsShown - 1).map(({ path, message }) => `${spell(path)} ${message}`);
  throw wrongAt(shape, first.path, first.message, more.length === 0 ? undefined : `also: ${more.join("; ")}`);
}

/** The failure about one wrong place. */
export function wrongAt({ name, code }: DocumentShape, path: Path, message: string, why?: string): Failure {
  const where = path.length === 0 ? "" : ` at ${spell(path)}`;
  return new Failure({ code, message: `${name} is wrong${where}: ${message}`, ...(why === undefined ? {} : { why }) });
}

const IMPLIED_BY_CHOICE: ReadonlySet<string> = new Set(["required", "const", "minimum", "maximum"]);

// A choice reports first that none of its branches fits, and then the reason for each branch.
function reportedOf(problems: readonly SchemaViolation[]): readonly { readonly path: Path; readonly message: string }[] {
  const choices = problems.filter(({ keyword }) => keyword === "oneOf").map(({ path }) => spell(path));
  return problems
    .filter(({ keyword, path }) => keyword !== "if" && !(IMPLIED_BY_CHOICE.has(keyword) && choices.includes(spell(path))))
    .map((problem) => ({ path: problem.path, message: messageOf(problem) }));
}

function messageOf({ keyword, message, params, schema }: SchemaViolation): string {
  if (keyword === "additionalProperties") return `has no property ${String(params["additionalProperty"])}`;
  if (keyword === "oneOf" && typeof schema["$comment"] === "string") return schema["$comment"];
  if (keyword === "enum") return `${message}: ${(params["allowedValues"] as readonly unknown[]).join(", ")}`;
  return message;
}

function spell(path: Path): string {
  return path.map((part, at) => (/^\d+$/.test(String(part)) ? `[${part}]` : at === 0 ? part : `.${part}`)).join("");
}
