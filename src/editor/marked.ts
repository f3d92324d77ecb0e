import { lineStart } from "../source/file.ts";
import type { ScalarNode, SourceNode } from "../source/node.ts";
import { type Parsed, parseYaml } from "../source/parse.ts";
import { type TextFile, wordAt } from "./document.ts";

// We find the cursor by a mark that is inserted before the document is parsed. However the value around the cursor is quoted, folded or escaped, it contains
// the mark. A document is often broken while somebody types, so it is repaired for this parse only (decision 9).

/** The character that marks the cursor. It is from the private use area, so no text uses it with a meaning. */
export const MARK = "\uE000";

/** The value of a playbook that contains the cursor. */
export interface MarkedValue {
  /** The document with the mark, without the lines that cannot be parsed. */
  readonly document: TextFile;
  /** The document with the mark, parsed. */
  readonly parsed: Parsed & { readonly root: SourceNode };
  /** The node of the value, with the mark in it. */
  readonly scalar: ScalarNode;
  /** The keys and indexes that lead to the value. */
  readonly path: readonly string[];
  /** The value without the mark. */
  readonly value: string;
  /** The cursor's place in the value, from 0. */
  readonly at: number;
}

/** Returns the value at the cursor; `undefined` if there is none, as in a key or a comment. */
export function markedValue({ path, text }: TextFile, offset: number): MarkedValue | undefined {
  for (const candidate of candidates(text, offset)) {
    const read = readRepaired(path, candidate);
    if (read === undefined) continue;
    const found = scalarWithMark(read.parsed.root, []);
    if (found !== undefined) return { ...read, ...found };
  }
  return undefined;
}

function scalarWithMark(
  node: SourceNode,
  path: readonly string[],
): Pick<MarkedValue, "scalar" | "path" | "value" | "at"> | undefined {
  if (node.kind === "scalar") {
    if (typeof node.value !== "string" || !node.value.includes(MARK)) return undefined;
    return { scalar: node, path, ...unmarked(node.value) };
  }
  const children: readonly (readonly [string, SourceNode])[] =
    node.kind === "list"
      ? node.items.map((item, at) => [String(at), item])
      : [...node.entries].map(([key, { value }]) => [key, value]);
  for (const [key, inner] of children) {
    const found = scalarWithMark(inner, [...path, key]);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns a text without the mark, and the place of the mark. */
export function unmarked(text: string): { readonly value: string; readonly at: number } {
  return { value: text.replace(MARK, ""), at: text.indexOf(MARK) };
}

// Yields the document with the mark in several variants of its line. The first variant that can be parsed is taken.
function* candidates(text: string, offset: number): Generator<string> {
  const start = lineStart(text, offset);
  const newline = text.indexOf("\n", offset);
  const lineEnd = newline < 0 ? text.length : newline;
  const [before, after] = [text.slice(start, offset), text.slice(offset, lineEnd).trimEnd()];
  const write = (line: string): string => text.slice(0, start) + line + text.slice(lineEnd);
  const { quote, brackets } = stateAfter(before);
  const expression = openExpression(before);
  if (expression === undefined) yield write(before + MARK + after);
  else yield* closed({ before, after, quote, brackets, expression }).map(write);
  yield write(before + MARK + (expression === undefined ? "" : " }}") + quote + brackets);
}

interface OpenLine {
  readonly before: string;
  readonly after: string;
  /** The quote that is open at the cursor, if any. */
  readonly quote: string;
  /** The closing brackets for the YAML brackets that are open at the cursor. */
  readonly brackets: string;
  /** The start of the expression. */
  readonly expression: number;
}

function closed({ before, after, quote, brackets, expression }: OpenLine): readonly string[] {
  const quoted = quote === "" ? after.length : endOfText(after, quote);
  const close = after.slice(0, quoted < 0 ? after.length : quoted).indexOf("}}");
  const next = after.indexOf("${{");
  const isClosed = close >= 0 && (next < 0 || close < next);
  const word = wordAt(after, 0).end;
  if (quote === "" && brackets !== "") {
    const end = isClosed ? close : word;
    const rest = after.slice(isClosed ? close + 2 : word);
    const inner = `${before.slice(expression)}${MARK}${after.slice(0, end)} }}`.replaceAll("'", "''");
    return [rest, brackets].map((tail) => `${before.slice(0, expression)}'${inner}'${tail}`);
  }
  if (isClosed) return [before + MARK + after];
  const end = quoted < 0 ? word : quoted;
  const ending = quoted < 0 ? quote : "";
  return [`${before}${MARK}${after.slice(0, end)} }}${ending}${after.slice(end)}`];
}

function endOfText(text: string, quote: string): number {
  for (let at = 0; at < text.length; at++) {
    if (quote === '"' && text[at] === "\\") at++;
    else if (text[at] === quote) return at;
  }
  return -1;
}

// Returns the start of the expression that is still open at the end of a line.
function openExpression(line: string): number | undefined {
  const start = line.lastIndexOf("${{");
  return start < 0 || line.includes("}}", start) ? undefined : start;
}

// In YAML, a quote only has a meaning at the start of a value.
function stateAfter(line: string): { readonly quote: string; readonly brackets: string } {
  let [quote, brackets, fresh] = ["", "", true];
  for (let at = 0; at < line.length; at++) {
    const char = line.charAt(at);
    if (quote !== "") {
      if (quote === '"' && char === "\\") at++;
      else if (char === quote) quote = "";
      continue;
    }
    if (fresh && (char === '"' || char === "'")) quote = char;
    else if (line.startsWith("${{", at)) at = Math.max(at + 2, line.indexOf("}}", at) + 1);
    else if (char === "[") brackets = `]${brackets}`;
    else if (char === "{") brackets = `}${brackets}`;
    else if (char === brackets.charAt(0)) brackets = brackets.slice(1);
    if (char !== " ") fresh = "[{,:-".includes(char);
  }
  return { quote, brackets };
}

const MOST_LEFT_OUT = 8;

// Removes lines that cannot be parsed, but never the line with the mark. If the error is reported there, the lines before it are at fault.
function readRepaired(path: string, text: string): Pick<MarkedValue, "document" | "parsed"> | undefined {
  const lines = text.split("\n");
  const marked = lines.findIndex((line) => line.includes(MARK));
  for (let tries = 0; tries <= MOST_LEFT_OUT; tries++) {
    const document = { path, text: lines.join("\n") };
    const parsed = parseYaml(path, document.text);
    const { root } = parsed;
    if (root !== undefined) return { document, parsed: { ...parsed, root } };
    const line = (parsed.diagnostics[0]?.line ?? 0) - 1;
    const fault = line === marked || isBlank(lines[line]) ? lastWritten(lines, Math.min(line, marked)) : line;
    if (fault < 0) return undefined;
    lines[fault] = " ".repeat(lines[fault]?.length ?? 0);
  }
  return undefined;
}

function lastWritten(lines: readonly string[], before: number): number {
  return lines.findLastIndex((line, at) => at < before && !isBlank(line));
}

function isBlank(line: string | undefined): boolean {
  return line === undefined || /^\s*(?:#.*)?$/.test(line);
}
