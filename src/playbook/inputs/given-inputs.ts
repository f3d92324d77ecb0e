import { Failure, messageOf } from "../../base/failure.ts";
import { canonicalJson, isObject, type Json, type JsonObject, parseJson, RepeatedName, writeJson } from "../../base/json/json.ts";
import { mapValues, ownValue } from "../../base/maps.ts";
import { count, didYouMean } from "../../base/text/text.ts";
import { type ContentProblem, firstProblems, placeOfTwice, readContent } from "./file-content.ts";
import type { NamedFiles } from "../check-context.ts";
import type { FileReader } from "../playbook-files.ts";
import type { Playbook } from "../model.ts";
import type { FileRule, InputDeclaration, InputType } from "../declarations.ts";
import { isQuotable, refusalOf } from "../file-placement.ts";
import { coerce, shapeProblems, spellPath, withOrganization } from "./value-shape.ts";

/** Values for a run: text from the command line, or JSON from a file. The value of a file input is its path. */
export type GivenInputs = Readonly<Record<string, Json>>;

/** Returns where a part of the given values is written; undefined if there is no place to show. `path` begins with the name of the input. */
export type PlaceOfInput = (path: readonly string[]) => string | undefined;

/** A value, or its problems. */
type TakenValue = { readonly value: Json } | { readonly problems: readonly string[] };

/**
 * Returns the value of every input, given or default. Throws a Failure that names each missing, unknown or wrong input, with at most
 * `LIMITS.inputProblems` problems for each input.
 */
export function resolveInputs(
  playbook: Playbook,
  given: GivenInputs,
  files?: FileReader,
  placeOf: PlaceOfInput = () => undefined,
): JsonObject {
  const wrong = unknownInputs(playbook, given, placeOf);
  const from = { files, named: playbook.file, placeOf };
  const values: [string, Json][] = [];
  for (const declaration of playbook.inputs) {
    const { name } = declaration;
    const taken = take(declaration, ownValue(given, name), from);
    if ("value" in taken) values.push([name, taken.value]);
    else wrong.push(taken.problems.join("\n"));
  }
  if (wrong.length === 0) return Object.fromEntries(values);
  const all = wrong.some((problem) => problem.includes("\n")) ? `\n${wrong.join("\n")}` : ` ${wrong.join("; ")}`;
  const isInFile = Object.keys(given).some((name) => placeOf([name]) !== undefined);
  const how = isInFile ? "correct each in its file, or give it as" : "give each as";
  throw new Failure({
    code: "input.invalid",
    message: `${playbook.file}: ${count(wrong.length, "input")} cannot be used:${all}`,
    next:
      playbook.inputs.length === 0
        ? "leave it out, or declare it under inputs: of the playbook"
        : `${how} --input NAME=VALUE; this playbook takes: ${playbook.inputs.map(({ name, type }) => `${name} (${type})`).join(", ")}`,
  });
}

/**
 * Returns one text for each given value, whatever the spelling of its number, entity or JSON. An edit of the input's type does not change this
 * text, unless the value is then spelled differently too.
 */
export function spelledInputs(playbook: Playbook, given: GivenInputs): Readonly<Record<string, string>> {
  return spellings(playbook, given, spelled);
}

/** Returns the texts by which earlier versions identified the same values: with entities as written, and with everything as written. */
export function formerSpellings(playbook: Playbook, given: GivenInputs): readonly JsonObject[] {
  return [spellings(playbook, given, spelledAsJson), given];
}

type SpellInput = (declaration: InputDeclaration | undefined, given: Json) => string;

function spellings({ inputs }: Playbook, given: GivenInputs, spell: SpellInput): Readonly<Record<string, string>> {
  const declared = new Map(inputs.map((input) => [input.name, input]));
  return mapValues(given, (value, name) => spell(declared.get(name), value));
}

function spelled(declaration: InputDeclaration | undefined, given: Json): string {
  const value = typed(declaration, given);
  const [[attribute, text] = [], ...more] = declaration?.type === "entity" && isObject(value) ? Object.entries(value) : [];
  return typeof text === "string" && more.length === 0 ? `${attribute}:${text}` : spelledAsJson(declaration, given);
}

function spelledAsJson(declaration: InputDeclaration | undefined, given: Json): string {
  const value = typed(declaration, given);
  return typeof value === "string" ? value : canonicalJson(value);
}

// An entity that is written as a text stays a text.
function typed(declaration: InputDeclaration | undefined, given: Json): Json {
  const read = declaration !== undefined && typeof given === "string" ? readText(declaration, given) : { value: given };
  const value = "problems" in read ? given : read.value;
  const isPlain = typeof value === "string" && declaration?.type !== "decimal" && declaration?.type !== "integer";
  return isPlain || declaration === undefined ? value : coerce(declaration.shape, value);
}

/** Returns the inputs of an included playbook. A given value is used unchanged; for a file, it is the content. Throws a Failure. */
export function includedInputs(playbook: Playbook, given: GivenInputs): JsonObject {
  const wrong: string[] = [];
  const values = playbook.inputs.map((declaration): [string, Json] => {
    const { name, shape } = declaration;
    const value = givenOrDefault(declaration, given);
    wrong.push(...(value === undefined ? [`"${name}" must be given`] : givenProblems(declaration, value)));
    return [name, value === undefined ? null : coerce(shape, value)];
  });
  if (wrong.length === 0) return Object.fromEntries(values);
  throw new Failure({ code: "input.invalid", message: `${playbook.file}: ${wrong.join("; ")}` });
}

/** Returns some inputs of an included playbook: those that are given or have a default. */
export function someInputs(playbook: Playbook, given: GivenInputs, names: ReadonlySet<string>): JsonObject {
  const known = playbook.inputs.flatMap((declaration) => {
    const { name, shape } = declaration;
    const value = names.has(name) ? givenOrDefault(declaration, given) : undefined;
    return value === undefined ? [] : [[name, coerce(shape, value)] as const];
  });
  return Object.fromEntries(known);
}

// null is a value, and usually a wrong one. The default applies only to inputs that are not given.
function givenOrDefault({ name, default: otherwise }: InputDeclaration, given: GivenInputs): Json | undefined {
  return Object.hasOwn(given, name) ? given[name] : otherwise;
}

/** Returns at most `LIMITS.inputProblems` problems of a value for an included playbook. For a file input, the value is the content. */
export function givenProblems({ name, shape, file }: InputDeclaration, given: Json): readonly string[] {
  const value = coerce(shape, given);
  const own = firstProblems(shapeProblems(shape, value), (path) => `"${spellPath(name, path)}"`).map(withFix);
  if (own.length > 0 || file?.validate === undefined) return own;
  return file.validate(value).map(({ path, message }) => `"${spellPath(name, path)}" ${message}`);
}

/** Returns the values with the environment's organization in their entities, like the entities of `actors`. */
export function inOrganization(playbook: Playbook, values: JsonObject, orgId: string | undefined): JsonObject {
  if (orgId === undefined) return values;
  const placed = playbook.inputs.map(({ name, shape }) => [name, withOrganization(shape, values[name] ?? null, orgId)] as const);
  return Object.fromEntries(placed);
}

function unknownInputs(playbook: Playbook, given: GivenInputs, placeOf: PlaceOfInput): string[] {
  const names = playbook.inputs.map(({ name }) => name);
  return Object.keys(given)
    .filter((name) => !names.includes(name))
    .map((name) => {
      const near = didYouMean(name, names);
      return `${called(placeOf, [name])} is not an input${near === undefined ? "" : `; did you mean "${near}"?`}`;
    });
}

// Returns the name of a part of an input, with its place.
function called(placeOf: PlaceOfInput, [name = "", ...path]: readonly string[]): string {
  const place = placeOf([name, ...path]);
  return `"${spellPath(name, path)}"${place === undefined ? "" : ` (${place})`}`;
}

type PlacedFiles = NamedFiles & { readonly placeOf: PlaceOfInput };

function take(declaration: InputDeclaration, given: Json | undefined, from: PlacedFiles): TakenValue {
  const { name, file, shape } = declaration;
  if (given === undefined && declaration.default !== undefined) return { value: declaration.default };
  if (file !== undefined) return takeFile(declaration, given, { ...from, rule: file });
  if (given === undefined) return { problems: [`"${name}" must be given`] };
  const locate = (path: readonly string[]): string => called(from.placeOf, [name, ...path]);
  const read = typeof given === "string" ? readText(declaration, given, locate([])) : { value: given };
  if ("problems" in read) return read;
  const value = coerce(shape, read.value, true);
  const problems = firstProblems(shapeProblems(shape, value), locate).map(withFix);
  return problems.length === 0 ? { value } : { problems };
}

function takeFile(
  { name, shape }: InputDeclaration,
  given: Json | undefined,
  { files, named, rule, placeOf }: PlacedFiles & { readonly rule: FileRule },
): TakenValue {
  const path = given ?? rule.path;
  if (path === undefined) return { problems: [`"${name}" must be given, as the path of a file`] };
  const input = called(placeOf, [name]);
  if (typeof path !== "string")
    return { problems: [`${input} must be the path of a file, and is ${writeJson(path).slice(0, 80)}`] };
  const isGiven = given !== undefined && files?.isGivenByPerson === true;
  const wanted = { path, use: isGiven ? "given" : "data", named } as const;
  const refusal = files === undefined ? undefined : refusalOf(files, wanted);
  if (refusal !== undefined)
    return { problems: [`${input}: ${withFix({ message: `${path} ${refusal.message}`, fix: refusal.suggestion })}`] };
  const text = files?.read(path);
  if (files === undefined || text === undefined) return { problems: [`${input}: there is no file ${path}`] };
  const content = readContent({ path, text, shape, rule, isQuoted: isQuotable(files, wanted) });
  if ("value" in content) return content;
  return {
    problems: content.problems.map((problem) => `"${name}": ${withFix(problem)}`),
  };
}

function withFix({ message, fix }: ContentProblem): string {
  return fix === undefined ? message : `${message} (${fix})`;
}

const JSON_EXAMPLES: Readonly<Partial<Record<InputType, string>>> = {
  list: '["a", 1]',
  object: '{"a": 1}',
  entity: '{"userId": "alice"}',
};

// The command line gives text; the declaration says which type it is.
function readText({ name, type }: InputDeclaration, text: string, input = `"${name}"`): TakenValue {
  if (type !== "list" && type !== "object" && !(type === "entity" && text.startsWith("{"))) return { value: text };
  try {
    return { value: parseJson(text) };
  } catch (error) {
    if (error instanceof RepeatedName) {
      const { message } = placeOfTwice({ path: name, text });
      return { problems: [withFix({ message: `${input}: ${message}`, fix: "keep one of the two" })] };
    }
    const given = JSON.stringify(text).slice(0, 80);
    const message = `${input} must be of type ${type}, and is ${given}, which is not valid JSON: ${messageOf(error)}`;
    return { problems: [withFix({ message, fix: `write it as ${JSON_EXAMPLES[type]}` })] };
  }
}
