import { lineStart } from "../source/file.ts";
import type { ScalarNode, SourceNode } from "../source/node.ts";
import { type Parsed, parseYaml } from "../source/parse.ts";
import { type TextFile, wordAt } from "./document.ts";

// A cursor is found in a document by a mark that is put there before the document is read: however the value around it is quoted,
// folded or escaped, it holds the mark. What is being typed leaves documents broken, so they are repaired for this one look
// (decision 9).

/** A character that marks the cursor: private use, so that no text means anything by it. */
export const MARK = "\uE000";

/** The value of a playbook with the cursor in it. */
export interface MarkedValue {
  /** The document with the mark, and with what keeps it from being read left out. */
  readonly document: TextFile;
  /** The document with the mark, as it was read. */
  readonly parsed: Parsed & { readonly root: SourceNode };
  /** The node of the value, with the mark in it. */
  readonly scalar: ScalarNode;
  /** The keys and indexes that lead to the value. */
  readonly path: readonly string[];
  /** The value without the mark, and the cursor's place in it. */
  readonly value: string;
  /** The cursor's place in the value, from 0 on. */
  readonly at: number;
}

/** The value that the cursor is in; `undefined` where there is none, as in a key or a comment. */
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

/** A text without the mark, and where it was. */
export function unmarked(text: string): { readonly value: string; readonly at: number } {
  return { value: text.replace(MARK, ""), at: text.indexOf(MARK) };
}

// The document with the mark, as likely to be readable as its line allows; the first that can be read is taken.
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
  /** The quote that is open at the cursor, if one is. */
  readonly quote: string;
  /** What would close the brackets of YAML that are open there. */
  readonly brackets: string;
  /** Where the expression begins. */
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

// Where the expression begins that is open at the end of a line.
function openExpression(line: string): number | undefined {
  const start = line.lastIndexOf("${{");
  return start < 0 || line.includes("}}", start) ? undefined : start;
}

// A quote means something to YAML only where a value begins.
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

// Lines that cannot be read are left out, but for the one with the mark: then it is those before it that are at fault.
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
