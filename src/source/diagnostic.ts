import { createRequire } from "node:module";
import type * as Frames from "@babel/code-frame";
import type { Code, Severity } from "../base/catalogue/catalogue.ts";
import { LIMITS } from "../base/limits.ts";
import { countLong, onOneLine, sanitise } from "../base/text/text.ts";

// Loaded by the first finding.
const load = createRequire(import.meta.url);
const frames = (): typeof Frames => load("@babel/code-frame") as typeof Frames;

/** The place of a finding. Lines and columns count from 1; the end is exclusive. */
export interface SourcePlace {
  /** The path as it was given to the check. */
  readonly file: string;
  /** The line where it begins. */
  readonly line: number;
  /** The column where it begins, from 1 on. */
  readonly column: number;
  /** The line where it ends. */
  readonly endLine: number;
  /** The first column after it. */
  readonly endColumn: number;
}

/** A finding of a check: what is wrong in a text, where, why it matters, and how to fix it. */
export interface Diagnostic extends SourcePlace {
  /** A frozen dotted code; programs branch on it. */
  readonly code: Code;
  /** Only an error prevents a run. */
  readonly severity: Severity;
  /** What is wrong, in one sentence. */
  readonly message: string;
  /** The reason, or why it matters. */
  readonly why?: string;
  /** What to write instead. */
  readonly suggestion?: string;
  /** The lines around the place, with the place marked; empty for a file that is not a playbook. */
  readonly frame: string;
}

/** A finding without its place. The catalogue gives its severity; the source file adds the place and the frame. */
export interface Finding {
  /** A frozen dotted code; programs branch on it. */
  readonly code: Code;
  /** What is wrong, in one sentence. */
  readonly message: string;
  /** The reason, or why it matters. */
  readonly why?: string | undefined;
  /** What to write instead. */
  readonly suggestion?: string | undefined;
}

const FRAME_COLUMNS = 160;

/** How many lines a frame shows before and after the place. */
export const FRAME_LINES = { above: 2, below: 1 } as const;

/** Returns the lines around a place. `first` is the number of the first line. Very long lines are cut around the mark. */
export function codeFrame(lines: readonly string[], first: number, place: SourcePlace): string {
  const marked = lines[place.line - first] ?? "";
  if (lines.some((line) => line.length > FRAME_COLUMNS)) return cutFrame(marked, place);
  // A replaced character may become longer.
  const columnOf = (column: number): number => column + sanitise(marked.slice(0, column)).length - marked.slice(0, column).length;
  const start = { line: place.line, column: columnOf(place.column - 1) };
  const end = { line: place.line, column: columnOf(Math.max(place.endColumn - 1, place.column)) };
  return frames().codeFrameColumns(lines.map(sanitise).join("\n"), place.endLine === place.line ? { start, end } : { start }, {
    linesAbove: FRAME_LINES.above,
    linesBelow: FRAME_LINES.below,
    startLine: first,
    highlightCode: false,
  });
}

function cutFrame(line: string, place: SourcePlace): string {
  const from = Math.max(0, place.column - 1 - FRAME_COLUMNS / 4);
  const shown = sanitise(line.slice(from, from + FRAME_COLUMNS / 2));
  return `> ${place.line} | …${shown}…\n${" ".repeat(String(place.line).length + 5 + place.column - 1 - from + 1)}^`;
}

/** Returns `file:line:column`, which terminals and editors turn into a link. */
function formatPlace(place: SourcePlace): string {
  return `${onOneLine(place.file)}:${place.line}:${place.column}`;
}

/** Returns the findings of several checks without repetition: a file that two playbooks include is checked with both. */
export function eachOnce<Checked extends { readonly diagnostics: readonly Diagnostic[] }>(
  checks: readonly Checked[],
): readonly Checked[] {
  const seen = new Set<string>();
  const isNew = (diagnostic: Diagnostic): boolean => {
    const before = seen.size;
    return seen.add(`${formatPlace(diagnostic)} ${diagnostic.code} ${diagnostic.message}`).size > before;
  };
  return checks.map((check) => ({ ...check, diagnostics: check.diagnostics.filter(isNew) }));
}

/** Returns the checks with the findings that are printed, errors before warnings. `more` is a line about the others, which names the command. */
export function withinLimit<Checked extends { readonly diagnostics: readonly Diagnostic[] }>(
  checks: readonly Checked[],
  command: string,
): { readonly checks: readonly Checked[]; readonly more: string | undefined } {
  const each = eachOnce(checks);
  const all = each.flatMap(({ diagnostics }) => diagnostics);
  const more = all.length - LIMITS.diagnosticsAsText;
  if (more <= 0) return { checks: each, more: undefined };
  const bySeverity = (["error", "warning"] as const).flatMap((level) => all.filter(({ severity }) => severity === level));
  const shown = new Set(bySeverity.slice(0, LIMITS.diagnosticsAsText));
  return {
    checks: each.map((check) => ({ ...check, diagnostics: check.diagnostics.filter((diagnostic) => shown.has(diagnostic)) })),
    more: `${countLong(more, "more finding")} not shown; to see all of them: ${command}`,
  };
}

/** Returns a diagnostic as text: headline, frame, why, and what to do. */
export function formatDiagnostic(diagnostic: Diagnostic): string {
  return [
    `${formatPlace(diagnostic)} ${diagnostic.severity} ${diagnostic.code}`,
    indented(sanitise(diagnostic.message)),
    ...(diagnostic.frame === "" ? [] : [indented(diagnostic.frame)]),
    ...(diagnostic.why === undefined ? [] : [indented(`why: ${sanitise(diagnostic.why)}`)]),
    ...(diagnostic.suggestion === undefined ? [] : [indented(`fix: ${sanitise(diagnostic.suggestion)}`)]),
  ].join("\n");
}

// Foreign text never begins a line, because CI servers execute a log line such as `::error::`.
function indented(text: string): string {
  return text.replaceAll(/^/gm, "  ");
}
