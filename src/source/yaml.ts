import {
  Composer,
  type Document,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type ParsedNode,
  Parser,
  Scalar,
  stringify,
  type YAMLMap,
} from "yaml";
import { CATALOGUE } from "../base/catalogue/catalogue.ts";
import { Decimal } from "../base/decimal.ts";
import { isForbiddenKey } from "../base/json.ts";
import { LIMITS } from "../base/limits.ts";
import { codeFrame, type Diagnostic, type Finding, FRAME_LINES, type Place } from "./diagnostic.ts";
import { guard, placedLexemes, tooLarge } from "./guard.ts";
import type { MapEntry, Range, SourceNode } from "./node.ts";

/** A text with its line ends, so that an offset can be told as line and column. */
export class SourceFile {
  readonly path: string;
  readonly text: string;
  readonly #lines: LineCounter;
  /** What frames show of the text. */
  #shown: string;

  constructor(path: string, text: string) {
    this.path = path;
    this.text = text;
    this.#shown = text;
    this.#lines = new LineCounter();
    this.#lines.addNewLine(0);
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) this.#lines.addNewLine(at + 1);
  }

  /** The line, from 1, on which an offset stands. */
  lineOf(offset: number): number {
    return this.#lines.linePos(offset).line;
  }

  /** The column, from 1, at which an offset stands. */
  columnOf(offset: number): number {
    return this.#lines.linePos(offset).col;
  }

  /** Line and column, both from 1, of an offset. */
  positionOf(offset: number): { readonly line: number; readonly column: number } {
    const { line, col } = this.#lines.linePos(offset);
    return { line, column: col };
  }

  /** Makes a finding a diagnostic: with line, column and frame. */
  diagnose(finding: Finding, range: Range): Diagnostic {
    const start = this.#lines.linePos(range.start);
    const end = this.#lines.linePos(Math.max(range.end, range.start + 1));
    const place = { file: this.path, line: start.line, column: start.col, endLine: end.line, endColumn: end.col };
    return {
      code: finding.code,
      severity: CATALOGUE[finding.code].severity,
      message: finding.message,
      ...(finding.why === undefined ? {} : { why: finding.why }),
      ...(finding.suggestion === undefined ? {} : { suggestion: finding.suggestion }),
      ...place,
      frame: this.#frame(place),
    };
  }

  /** Shows no character of this range in any frame that is made from now on. */
  conceal({ start, end }: Range): void {
    const hidden = this.text.slice(start, end).replaceAll(/[^\r\n]/g, "*");
    this.#shown = this.#shown.slice(0, start) + hidden + this.#shown.slice(end);
  }

  // Only the lines that are shown are looked at: a file with many faults has many frames.
  #frame(place: Place): string {
    const first = Math.max(1, place.line - FRAME_LINES.above);
    const { lineStarts } = this.#lines;
    const shown = this.#shown.slice(lineStarts[first - 1], lineStarts[place.line + FRAME_LINES.below]);
    return codeFrame(shown.split(/\r?\n/), first, place);
  }
}

/** A parsed file, or what keeps it from being read. */
export interface Parsed {
  readonly file: SourceFile;
  readonly root: SourceNode | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/** Reads one YAML 1.2 document: no aliases, no tags, no directives, unique keys, exact numbers, bounded depth. */
export function parseYaml(path: string, text: string): Parsed {
  const file = new SourceFile(path, text);
  const large = tooLarge(text);
  const lexemes = large === undefined ? [...new Lexer().lex(text)] : [];
  const refused = large ?? guard(text, lexemes);
  if (refused !== undefined) {
    return { file, root: undefined, diagnostics: [file.diagnose(refused, { start: refused.offset, end: refused.offset + 1 })] };
  }
  const composer = new Composer({ version: "1.2", uniqueKeys: false, stringKeys: true });
  return new Reader(file).read([...composer.compose(tokensOf(lexemes))]);
}

/** A mark that is no part of the data, and where it begins. */
export interface Mark {
  readonly text: string;
  readonly offset: number;
}

/** What a text holds beside its data: comments, and anchors, which nothing may refer to. */
export function marksIn(text: string): { readonly comments: readonly Mark[]; readonly anchors: readonly Mark[] } {
  const marks = [...placedLexemes(new Lexer().lex(text))].map(({ lexeme, offset }) => ({ text: lexeme.trimEnd(), offset }));
  return {
    comments: marks.filter((mark) => mark.text.startsWith("#")),
    anchors: marks.filter((mark) => mark.text.startsWith("&")),
  };
}

function* tokensOf(lexemes: readonly string[]): ReturnType<Parser["next"]> {
  const parser = new Parser();
  for (const lexeme of lexemes) yield* parser.next(lexeme);
  yield* parser.end();
}

const SHOWN_CHARS = 40;

type Documents = readonly Document.Parsed[];

class Reader {
  readonly #file: SourceFile;
  readonly #diagnostics: Diagnostic[] = [];

  constructor(file: SourceFile) {
    this.#file = file;
  }

  read(documents: Documents): Parsed {
    const [document, second] = documents;
    const [error] = [...(document?.errors ?? []), ...(document?.warnings ?? [])];
    const contents = document?.contents ?? undefined;
    let root: SourceNode | undefined;
    if (error !== undefined) this.#refuseSyntax(error);
    else if (second !== undefined) this.#refuseSecond(second, document?.range[1] ?? 0);
    else if (contents === undefined) this.#report({ code: "source.empty", message: "the file is empty" }, { start: 0, end: 1 });
    else root = this.#node(contents, 0);
    return { file: this.#file, root: this.#diagnostics.length === 0 ? root : undefined, diagnostics: this.#diagnostics };
  }

  // The first error only: those behind it mostly follow from it.
  #refuseSyntax({ code, message, pos: [start, end] }: Documents[number]["errors"][number]): void {
    const { text } = this.#file;
    const expression = text.startsWith("${{", start - 1) || text.startsWith("{{", start - 1);
    const finding = expression
      ? {
          message: "outside quotes, YAML reads the { of an expression as its own",
          suggestion: 'quote the expression: "${{ … }}"',
        }
      : { message: code === "NON_STRING_KEY" ? "a key must be text" : message };
    this.#report({ code: "source.syntax", ...finding }, { start, end });
  }

  #refuseSecond(second: Documents[number], firstEnd: number): void {
    const [from] = second.contents?.range ?? second.range;
    const marker = this.#file.text.lastIndexOf("\n---", from) + 1;
    const start = marker >= firstEnd ? marker : from;
    this.#report(
      {
        code: "source.two-documents",
        message: "a second document begins here",
        suggestion: "one file holds one document: move it to a file of its own",
      },
      { start, end: start + 3 },
    );
  }

  #node(node: ParsedNode, depth: number): SourceNode {
    const range = { start: node.range[0], end: node.range[1] };
    if (depth > LIMITS.textDepth) {
      this.#report(
        { code: "source.too-deep", message: `nested deeper than ${LIMITS.textDepth} levels` },
        { start: range.start, end: range.start + 1 },
      );
      return { kind: "list", items: [], range };
    }
    if (isMap(node)) return this.#map(node, range, depth);
    if (isSeq(node)) return { kind: "list", items: node.items.map((item) => this.#node(item, depth + 1)), range };
    return isScalar(node) ? this.#scalar(node, range) : { kind: "scalar", value: null, range, offsetOf: () => range.start };
  }

  #map(node: YAMLMap.Parsed, range: Range, depth: number): SourceNode {
    const entries = new Map<string, MapEntry>();
    for (const pair of node.items) {
      const key = pair.key;
      const keyRange = { start: key.range[0], end: key.range[1] };
      const name = isScalar(key) ? String(key.value) : "";
      if (isForbiddenKey(name)) {
        this.#report(
          {
            code: "source.forbidden-key",
            message: `the key "${name}" is not allowed`,
            why: "it reaches into the runtime's own objects",
          },
          keyRange,
        );
      }
      const first = entries.get(name);
      if (first !== undefined) {
        const line = this.#file.lineOf(first.key.start);
        this.#report(
          {
            code: "source.duplicate-key",
            message: `the key "${name}" is already on line ${line}`,
            suggestion: "keep one of the two",
          },
          keyRange,
        );
      }
      entries.set(name, { key: keyRange, value: this.#value(pair.value, keyRange, depth) });
    }
    return { kind: "map", entries, range };
  }

  // A value that was left out stands where its key does.
  #value(node: ParsedNode | null, key: Range, depth: number): SourceNode {
    const missing = node === null || (isScalar(node) && node.range[0] === node.range[1]);
    return missing ? { kind: "scalar", value: null, range: key, offsetOf: () => key.start } : this.#node(node, depth + 1);
  }

  #scalar(node: Scalar.Parsed, range: Range): SourceNode {
    if (typeof node.value === "number" || typeof node.value === "bigint") return this.#number(node, range);
    const { type } = node; // and not the node: its document is large, and need not be kept for this
    const value = node.value as null | boolean | string;
    return { kind: "scalar", value, range, offsetOf: (index) => offsetInScalar(this.#file.text, { type, value }, range, index) };
  }

  #number(node: Scalar.Parsed, range: Range): SourceNode {
    const source = node.source;
    const value = Decimal.parse(source);
    if (value === undefined) {
      this.#report(
        {
          code: "source.number",
          message: `${source.slice(0, SHOWN_CHARS)} is not a plain decimal number`,
          why: "numbers here are exact: digits, a point, an exponent, at most 1,000 digits",
          suggestion: `write it out in digits, or quote it if it is text`,
        },
        range,
      );
    }
    return { kind: "scalar", value: value ?? null, range, offsetOf: () => range.start };
  }

  #report(finding: Finding, range: Range): void {
    if (this.#diagnostics.length < LIMITS.diagnostics) this.#diagnostics.push(this.#file.diagnose(finding, range));
  }
}

// A string's characters stand in the text one by one unless escapes or folding came between; then its start must do.
function offsetInScalar(
  text: string,
  node: { readonly type: Scalar.Parsed["type"]; readonly value: unknown },
  range: Range,
  index: number,
): number {
  const raw = text.slice(range.start, range.end);
  switch (node.type) {
    case Scalar.PLAIN:
      return raw.includes("\n") ? range.start : range.start + index;
    case Scalar.QUOTE_DOUBLE:
      return raw.includes("\\") || raw.includes("\n") ? range.start : range.start + 1 + index;
    case Scalar.QUOTE_SINGLE:
      return raw.slice(1, -1).includes("''") || raw.includes("\n") ? range.start : range.start + 1 + index;
    case Scalar.BLOCK_LITERAL:
      return offsetInBlock(text, range, String(node.value), index);
    default:
      return range.start;
  }
}

function offsetInBlock(text: string, range: Range, value: string, index: number): number {
  const from = text.indexOf("\n", range.start) + 1;
  const written = text.slice(from, range.end).split("\n");
  const read = value.split("\n");
  const content = Math.max(
    0,
    read.findIndex((line) => line.trim() !== ""),
  );
  const indent = (written[content] ?? "").trimEnd().length - (read[content] ?? "").trimEnd().length;
  const before = value.slice(0, index).split("\n");
  const above = written.slice(0, before.length - 1).reduce((length, line) => length + line.length + 1, 0);
  return from + above + indent + (before.at(-1) ?? "").length;
}

/** A value as YAML text on one line, with brackets; expressions in quotes. */
export function writeYamlLine(value: unknown): string {
  if (typeof value === "string" && value.startsWith("${{")) return JSON.stringify(value);
  return stringify(value, { lineWidth: 0, collectionStyle: "flow" }).trimEnd();
}

/** A value as YAML text, for examples that people copy. */
export function writeYaml(value: unknown): string {
  return stringify(value, { lineWidth: 120 });
}
