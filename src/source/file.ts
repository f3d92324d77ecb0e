import { CATALOGUE } from "../base/catalogue/catalogue.ts";
import { codeFrame, type Diagnostic, type Finding, FRAME_LINES, type SourcePlace } from "./diagnostic.ts";
import type { Range } from "./node.ts";

/** A text with its line ends, so that an offset can be told as line and column. */
export class SourceFile {
  readonly path: string;
  readonly text: string;
  /** The offset at which each line begins. */
  readonly #lineStarts: number[] = [0];
  /** What frames show of the text. */
  #shown: string;

  constructor(path: string, text: string) {
    this.path = path;
    this.text = text;
    this.#shown = text;
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) this.#lineStarts.push(at + 1);
  }

  /** The line, from 1, on which an offset stands. */
  lineOf(offset: number): number {
    let [first, behind] = [0, this.#lineStarts.length];
    while (behind - first > 1) {
      const middle = (first + behind) >>> 1;
      if ((this.#lineStarts[middle] ?? 0) <= offset) first = middle;
      else behind = middle;
    }
    return first + 1;
  }

  /** The column, from 1, at which an offset stands. */
  columnOf(offset: number): number {
    return this.positionOf(offset).column;
  }

  /** Line and column, both from 1, of an offset. */
  positionOf(offset: number): { readonly line: number; readonly column: number } {
    const line = this.lineOf(offset);
    return { line, column: offset - (this.#lineStarts[line - 1] ?? 0) + 1 };
  }

  /** The offset at which a line and a column stand, both from 1. */
  offsetAt({ line, column }: { readonly line: number; readonly column: number }): number {
    return (this.#lineStarts[line - 1] ?? 0) + column - 1;
  }

  /** Makes a finding a diagnostic: with line, column and frame. */
  diagnose(finding: Finding, range: Range): Diagnostic {
    const start = this.positionOf(range.start);
    const end = this.positionOf(Math.max(range.end, range.start + 1));
    const place = { file: this.path, line: start.line, column: start.column, endLine: end.line, endColumn: end.column };
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
  #frame(place: SourcePlace): string {
    const first = Math.max(1, place.line - FRAME_LINES.above);
    const shown = this.#shown.slice(this.#lineStarts[first - 1], this.#lineStarts[place.line + FRAME_LINES.below]);
    return codeFrame(shown.split(/\r?\n/), first, place);
  }
}

/** The offset at which the line begins that an offset stands on. */
export function lineStart(text: string, offset: number): number {
  // Before the first character `lastIndexOf` would find one that is a line end itself.
  return offset === 0 ? 0 : text.lastIndexOf("\n", offset - 1) + 1;
}
