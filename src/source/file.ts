import { CATALOGUE } from "../base/catalogue/catalogue.ts";
import { present } from "../base/present.ts";
import { codeFrame, type Diagnostic, type Finding, FRAME_LINES, type SourcePlace } from "./diagnostic.ts";
import type { Range } from "./node.ts";

/** A text with its line starts, which converts offsets to lines and columns. */
export class SourceFile {
  /** The path of the file, as it was named. */
  readonly path: string;
  /** The whole text, as it was read. */
  readonly text: string;
  /** The offset at which each line begins. */
  readonly #lineStarts: number[] = [0];
  /** The text that frames show; `undefined` to show no frames. */
  #shown: string | undefined;

  constructor(path: string, text: string) {
    this.path = path;
    this.text = text;
    this.#shown = text;
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) this.#lineStarts.push(at + 1);
  }

  /** Returns the line of an offset, from 1. */
  lineOf(offset: number): number {
    let [first, behind] = [0, this.#lineStarts.length];
    while (behind - first > 1) {
      const middle = (first + behind) >>> 1;
      if ((this.#lineStarts[middle] ?? 0) <= offset) first = middle;
      else behind = middle;
    }
    return first + 1;
  }

  /** Returns the column of an offset, from 1. */
  columnOf(offset: number): number {
    return this.positionOf(offset).column;
  }

  /** Returns the line and the column of an offset, both from 1. */
  positionOf(offset: number): { readonly line: number; readonly column: number } {
    const line = this.lineOf(offset);
    return { line, column: offset - (this.#lineStarts[line - 1] ?? 0) + 1 };
  }

  /** Returns the offset of a line and a column, both from 1. */
  offsetAt({ line, column }: { readonly line: number; readonly column: number }): number {
    return (this.#lineStarts[line - 1] ?? 0) + column - 1;
  }

  /** Turns a finding into a diagnostic with line, column and frame. */
  diagnose(finding: Finding, range: Range): Diagnostic {
    const start = this.positionOf(range.start);
    const end = this.positionOf(Math.max(range.end, range.start + 1));
    const place = { file: this.path, line: start.line, column: start.column, endLine: end.line, endColumn: end.column };
    return {
      code: finding.code,
      severity: CATALOGUE[finding.code].severity,
      message: finding.message,
      ...present({ why: finding.why, suggestion: finding.suggestion }),
      ...place,
      frame: this.#frame(place),
    };
  }

  /** The text that frames show; empty if they show nothing. */
  get shown(): string {
    return this.#shown ?? "";
  }

  /** Hides every character of these ranges in all later frames. */
  conceal(ranges: readonly Range[]): void {
    if (this.#shown === undefined) return;
    const parts: string[] = [];
    let at = 0;
    for (const { start, end } of ranges.toSorted((one, other) => one.start - other.start)) {
      if (end <= at) continue;
      const from = Math.max(at, start);
      parts.push(this.#shown.slice(at, from), this.#shown.slice(from, end).replaceAll(/[^\r\n]/g, "*"));
      at = end;
    }
    this.#shown = [...parts, this.#shown.slice(at)].join("");
  }

  /** In all later frames, hides everything outside these ranges, including comments, except white space, brackets and colons. */
  showOnly(ranges: readonly Range[]): void {
    if (this.#shown === undefined) return;
    const parts: string[] = [];
    let at = 0;
    for (const { start, end } of ranges.toSorted((one, other) => one.start - other.start)) {
      if (start < at) continue;
      parts.push(hiddenText(this.#shown.slice(at, start)), this.#shown.slice(start, end));
      at = end;
    }
    this.#shown = [...parts, hiddenText(this.#shown.slice(at))].join("");
  }

  /** Removes the frames of all later diagnostics, because any part of the text may be a secret. */
  showNothing(): void {
    this.#shown = undefined;
  }

  // Only the shown lines are read, because a file with many faults has many frames.
  #frame(place: SourcePlace): string {
    if (this.#shown === undefined) return "";
    const first = Math.max(1, place.line - FRAME_LINES.above);
    const shown = this.#shown.slice(this.#lineStarts[first - 1], this.#lineStarts[place.line + FRAME_LINES.below]);
    return codeFrame(shown.split(/\r?\n/), first, place);
  }
}

// A dash that begins a list item stays.
function hiddenText(text: string): string {
  return text.replaceAll(/[^\s{}[\],:-]|(?<=\S)-|-(?=\S)/g, "*");
}

/** Returns the offset where the line of an offset begins. */
export function lineStart(text: string, offset: number): number {
  // At offset 0, `lastIndexOf` would find a line end at the start.
  return offset === 0 ? 0 : text.lastIndexOf("\n", offset - 1) + 1;
}
