import { extname } from "node:path";
import { messageOf } from "../../base/failure.ts";
import { isObject, type Json, parseJson, RepeatedName, writeJson } from "../../base/json/json.ts";
import { partAt } from "../../base/json/parts.ts";
import { LIMITS } from "../../base/limits.ts";
import { count, didYouMeanOr } from "../../base/text/text.ts";
import type { SchemaViolation } from "../../schema/validator.ts";
import { CsvFault, type CsvRow, readCsv } from "../../source/csv.ts";
import { nodeAt, type SourceNode, toJson } from "../../source/node.ts";
import { essential, restOfSentence } from "../../source/problems.ts";
import type { SourceFile } from "../../source/file.ts";
import { parseYaml } from "../../source/parse.ts";
import type { FileFormat, FileRule, ValueShape } from "../declarations.ts";
import { coerce, shapeProblems, type ShapeProblem, spellPath, problemSentence } from "./value-shape.ts";

/** One problem in a data file: its place, what is wrong, and how to fix it. */
export interface ContentProblem {
  /** What is wrong and where, in one sentence. */
  readonly message: string;
  /** How to fix it; left out if this is unknown. */
  readonly fix?: string | undefined;
}

/** The content of a data file, or why it cannot be used. */
export type Content = { readonly value: Json } | { readonly problems: readonly ContentProblem[] };

/** The data file to read, and its required content. */
export interface ContentSource {
  /** The path of the file; messages name it. */
  readonly path: string;
  /** The content of the file, not parsed yet. */
  readonly text: string;
  /** The required shape of the content. */
  readonly shape: ValueShape;
  /** The rules of the input, such as the format. */
  readonly rule: FileRule;
  /** Whether messages may quote its content. */
  readonly isQuoted: boolean;
}

const FORMATS: Readonly<Record<string, FileFormat>> = { ".json": "json", ".yaml": "yaml", ".yml": "yaml", ".csv": "csv" };

/** Returns the format of a file by its extension. */
export function formatOfPath(path: string): FileFormat | undefined {
  return FORMATS[extname(path).toLowerCase()];
}

/** Reads a data file and checks it. Never throws because of the text. */
export function readContent(source: ContentSource): Content {
  const content = contentOf(source);
  return source.isQuoted || "value" in content
    ? content
    : { problems: content.problems.map((each) => unquoted(each, source.path)) };
}

// The rest of the message is cut off, because it may quote the file.
function unquoted({ message }: ContentProblem, path: string): ContentProblem {
  const [line = ""] = message.startsWith(path) ? (/^:\d+(?::\d+)?/.exec(message.slice(path.length)) ?? []) : [];
  return {
    message: `${path}${line} does not hold what the playbook declares`,
    fix: "its content is not shown, because the file lies outside of the project or is hidden: copy it into the project to see more",
  };
}

function contentOf(source: ContentSource): Content {
  const { path, rule } = source;
  const text = source.text.replace(/^\uFEFF/, "");
  const format = rule.format ?? formatOfPath(path);
  switch (format) {
    case undefined:
      return refused(`${path} has no extension of a known format`, "name it in the playbook: format: json, yaml or csv");
    case "csv":
      return readTable({ ...source, text });
    case "yaml":
      return readYaml({ ...source, text });
    case "json":
      return readJson({ ...source, text });
  }
}

function refused(message: string, fix?: string): Content {
  return { problems: [{ message, fix }] };
}

/** Describes the place of a part of the content. */
type Locate = (path: readonly string[]) => string;

function judged({ shape, rule }: ContentSource, value: Json, locate: Locate): Content {
  const problems =
    rule.validate === undefined ? shapeProblems(shape, value) : schemaProblems(essential(rule.validate(value)), value);
  const shown = firstProblems(problems, locate);
  return shown.length === 0 ? { value } : { problems: shown };
}

/** Describes the first problems of a value, and counts the others. */
export function firstProblems(problems: Iterable<ShapeProblem>, locate: Locate): readonly ContentProblem[] {
  const shown: ContentProblem[] = [];
  let omitted = 0;
  for (const problem of problems) {
    if (shown.length < LIMITS.inputProblems) shown.push({ message: problemSentence(problem, locate), fix: problem.fix });
    else omitted++;
  }
  return omitted === 0 ? shown : [...shown, { message: `and ${count(omitted, "problem")} more` }];
}

function* schemaProblems(problems: readonly SchemaViolation[], root: Json): Generator<ShapeProblem> {
  for (const problem of problems) {
    const value = partAt(root, problem.path);
    const { message, fix } = restOfSentence(problem, typeof value === "string" ? value : undefined);
    const given = value !== undefined && !Array.isArray(value) && !isObject(value);
    yield { path: problem.path, message: given ? `${message}, and is ${writeJson(value).slice(0, SHOWN_CHARS)}` : message, fix };
  }
}

const SHOWN_CHARS = 80;

function readYaml(source: ContentSource): Content {
  const { file, root, diagnostics } = parseYaml(source.path, source.text);
  if (root === undefined) {
    return {
      problems: diagnostics.map(({ line, column, message, suggestion }) => ({
        message: `${source.path}:${line}:${column}: ${message}`,
        fix: suggestion,
      })),
    };
  }
  return judged(source, ours(source, toJson(root)), (path) => locateIn(file, root, path));
}

// In a JSON Schema, a quoted number is a text.
function ours({ shape, rule }: ContentSource, value: Json): Json {
  return rule.validate === undefined ? coerce(shape, value) : value;
}

function locateIn(file: SourceFile, root: SourceNode, path: readonly string[]): string {
  return `${positionIn(file, root, path)}${path.length === 0 ? "" : ` (${spellPath("", path)})`}`;
}

/** Returns where a part of a file's content is: `file:line:column`. */
export function positionIn(file: SourceFile, root: SourceNode, path: readonly string[]): string {
  const { line, column } = file.positionOf(nodeAt(root, path).range.start);
  return `${file.path}:${line}:${column}`;
}

function readJson(source: ContentSource): Content {
  let value: Json;
  try {
    value = parseJson(source.text);
  } catch (error) {
    if (error instanceof RepeatedName) {
      const { at, message } = placeOfTwice(source);
      return refused(`${at}: ${message}`, "keep one of the two");
    }
    const { line, column, message } = placeInJson(messageOf(error), source.text);
    const place = line === undefined ? source.path : `${source.path}:${line}:${column}`;
    return refused(`${place}: this is not valid JSON: ${message}`);
  }
  return judged(source, ours(source, value), locatorOf(source));
}

/** Returns where a JSON text has the same key twice in one object, in the words of a YAML finding. */
export function placeOfTwice({ path, text }: Pick<ContentSource, "path" | "text">): {
  readonly at: string;
  readonly message: string;
} {
  const found = parseYaml(path, text).diagnostics.find(({ code }) => code === "source.duplicate-key");
  if (found === undefined) return { at: path, message: "a key occurs twice in an object" };
  return { at: `${path}:${found.line}:${found.column}`, message: found.message };
}

interface JsonFault {
  readonly message: string;
  readonly line?: string;
  readonly column?: string;
}

function placeInJson(said: string, text: string): JsonFault {
  const [, message, line, column] = /^(.*?)(?: in JSON)? at position \d+ \(line (\d+) column (\d+)\)$/s.exec(said) ?? [];
  if (message !== undefined && line !== undefined && column !== undefined) return { message, line, column };
  const [token] = /^Unexpected token '.*?'(?=, )/s.exec(said) ?? [];
  if (token === undefined) return { message: said };
  if (text.length > LIMITS.locatedChars) return { message: token };
  const before = text.slice(0, offsetOfToken(text)).split("\n");
  return { message: token, line: String(before.length), column: String((before.at(-1) ?? "").length + 1) };
}

// The parser does not give the place. The token ends where the shortest text in which the parser finds it ends.
function offsetOfToken(text: string): number {
  let [without, within] = [0, text.length];
  while (within - without > 1) {
    const middle = Math.floor((without + within) / 2);
    if (hasWrongToken(text.slice(0, middle))) within = middle;
    else without = middle;
  }
  return without;
}

function hasWrongToken(text: string): boolean {
  try {
    JSON.parse(text);
    return false;
  } catch (error) {
    return messageOf(error).startsWith("Unexpected token");
  }
}

// JSON is parsed without positions, which would cost most of the time and memory. If a position is needed, it is parsed again as YAML.
function locatorOf({ path: file, text }: ContentSource): Locate {
  let parsed: ReturnType<typeof parseYaml> | undefined;
  return (path) => {
    parsed ??= parseYaml(file, text);
    const { root } = parsed;
    if (root !== undefined) return locateIn(parsed.file, root, path);
    return path.length === 0 ? file : `${file} (${spellPath("", path)})`;
  };
}

function readTable(source: ContentSource): Content {
  const { path: file, text, shape } = source;
  const row: ValueShape = shape.items ?? { type: "any" };
  try {
    const { header, rows, lines } = readCsv(text, (cells) => typedRow(row, cells));
    const wrong = headerProblems(header, row).map(({ message, fix }) => ({ message: `${file}:1 ${message}`, fix }));
    if (wrong.length > 0) return { problems: wrong };
    return judged(source, rows, ([at, column]) => {
      if (at === undefined) return file;
      const cell = column === undefined ? "" : `, column "${column}"`;
      return `${file}:${lines[Number(at)]} (row ${Number(at) + 1}${cell})`;
    });
  } catch (error) {
    if (!(error instanceof CsvFault)) throw error;
    return refused(`${file}:${error.line}: ${error.message}`, error.fix);
  }
}

// A wrong column is one problem, not one for each of its cells.
function headerProblems(header: readonly string[], { properties, required, open }: ValueShape): readonly ContentProblem[] {
  if (properties === undefined) return [];
  const names = [...properties.keys()];
  const unknown = open === true ? [] : header.filter((column) => !properties.has(column));
  const missing = [...(required ?? [])].filter((name) => !header.includes(name));
  return [
    ...unknown.slice(0, LIMITS.inputProblems).map((column) => ({
      message: `has an unknown column "${column}"`,
      fix: didYouMeanOr(column, names, `known columns: ${names.join(", ")}`),
    })),
    ...missing.map((name) => ({ message: `lacks the column "${name}"`, fix: `the columns are: ${header.join(", ")}` })),
  ].slice(0, LIMITS.inputProblems);
}

// An empty cell means no value if the field is not required, or null if that is allowed.
function typedRow({ properties, required }: ValueShape, cells: CsvRow): Json {
  const fields: [string, Json][] = [];
  for (const [column, cell] of Object.entries(cells)) {
    const property = properties?.get(column);
    if (property === undefined) fields.push([column, cell]);
    else if (cell !== "") fields.push([column, coerce(property, cell, true)]);
    else if (property.nullable === true) fields.push([column, null]);
    else if (required?.has(column) === true) fields.push([column, cell]);
  }
  return Object.fromEntries(fields);
}
