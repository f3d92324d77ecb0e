import { Decimal } from "../base/decimal.ts";
import { Failure, messageOf } from "../base/failure.ts";
import { isObject, type Json, type JsonObject, jsonEquals, parseJson, writeJson } from "../base/json.ts";
import { count, didYouMean } from "../base/text.ts";
import { patternOf } from "../expression/pattern.ts";
import type { InputDeclaration, Playbook } from "./model.ts";

/** Values given for a run: from the command line as text, or from a file as JSON. */
export type GivenInputs = Readonly<Record<string, Json>>;

/** The value of every input, given or default. Throws a Failure that names each input that is missing, unknown or wrong. */
export function resolveInputs(playbook: Playbook, given: GivenInputs): JsonObject {
  const problems: string[] = unknownInputs(playbook, given);
  const values = playbook.inputs.map((declaration) => {
    const value = valueOf(declaration, Object.hasOwn(given, declaration.name) ? given[declaration.name] : undefined);
    if (value === undefined) problems.push(`"${declaration.name}" must be given`);
    const problem = value === undefined ? undefined : inputProblem(declaration, value);
    if (problem !== undefined) problems.push(`"${declaration.name}" ${problem}`);
    return [declaration.name, value ?? null] as const;
  });
  if (problems.length === 0) return Object.fromEntries(values);
  throw new Failure({
    code: "input.invalid",
    message: `${playbook.file}: ${count(problems.length, "input")} cannot be used: ${problems.join("; ")}`,
    next: `give each as --input NAME=VALUE; this playbook takes: ${playbook.inputs.map(({ name, type }) => `${name} (${type})`).join(", ") || "none"}`,
  });
}

function unknownInputs(playbook: Playbook, given: GivenInputs): string[] {
  const names = playbook.inputs.map(({ name }) => name);
  return Object.keys(given)
    .filter((name) => !names.includes(name))
    .map((name) => {
      const near = didYouMean(name, names);
      return `"${name}" is no input${near === undefined ? "" : `; did you mean "${near}"?`}`;
    });
}

function valueOf(declaration: InputDeclaration, given: Json | undefined): Json | undefined {
  if (given === undefined) return declaration.default;
  if (typeof given !== "string") return given;
  return readText(declaration, given);
}

// The command line gives text; the declaration says what it is.
function readText({ type }: InputDeclaration, text: string): Json {
  if (type === "decimal" || type === "integer") return Decimal.parse(text) ?? text;
  if (type === "boolean") return text === "true" ? true : text === "false" ? false : text;
  if (type === "string") return text;
  try {
    return parseJson(text);
  } catch (error) {
    throw new Failure({ code: "input.invalid", message: `${JSON.stringify(text)} is no JSON ${type}: ${messageOf(error)}` });
  }
}

/** What is wrong with a value of an input, as the rest of a sentence; `undefined` when nothing is. */
export function inputProblem(declaration: InputDeclaration, value: Json): string | undefined {
  return typeProblem(declaration, value) ?? rangeProblem(declaration, value) ?? choiceProblem(declaration, value);
}

function typeProblem({ type }: InputDeclaration, value: Json): string | undefined {
  const fits: Record<InputDeclaration["type"], () => boolean> = {
    string: () => typeof value === "string",
    boolean: () => typeof value === "boolean",
    decimal: () => value instanceof Decimal,
    integer: () => value instanceof Decimal && value.isInteger(),
    list: () => Array.isArray(value),
    object: () => isObject(value),
  };
  return fits[type]() ? undefined : `must be of type ${type}, and is ${writeJson(value).slice(0, 80)}`;
}

function rangeProblem({ minimum, maximum }: InputDeclaration, value: Json): string | undefined {
  if (!(value instanceof Decimal)) return undefined;
  const least = minimum === undefined ? undefined : Decimal.parse(minimum);
  const most = maximum === undefined ? undefined : Decimal.parse(maximum);
  if (least !== undefined && value.compare(least) < 0) return `is ${value.text}, which is less than ${least.text}`;
  if (most !== undefined && value.compare(most) > 0) return `is ${value.text}, which is more than ${most.text}`;
  return undefined;
}

function choiceProblem({ pattern, enum: choices }: InputDeclaration, value: Json): string | undefined {
  if (pattern !== undefined && typeof value === "string" && !patternOf(pattern).foundIn(value)) {
    return `is ${JSON.stringify(value)}, which does not match ${pattern}`;
  }
  if (choices !== undefined && !choices.some((choice) => jsonEquals(choice, value))) {
    return `must be one of ${choices.map((choice) => writeJson(choice)).join(", ")}`;
  }
  return undefined;
}
