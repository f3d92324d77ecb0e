import { createRequire } from "node:module";
import type * as Re2js from "re2js";
import { messageOf } from "../base/failure.ts";

// Loaded by the first pattern: its tables of letters would be a tenth of each start.
const load = createRequire(import.meta.url);
const re2js = (): typeof Re2js => load("re2js") as typeof Re2js;

/** A pattern in RE2's syntax: matching takes time in proportion to the text, whatever the pattern. */
export interface Pattern {
  /** Whether the pattern is found anywhere in the text. */
  readonly foundIn: (text: string) => boolean;
}

const compiled = new Map<string, Pattern>();
const REMEMBERED = 1_000;

/** Compiles a pattern, or remembers it. Throws an Error that says what is wrong with it. */
export function patternOf(source: string): Pattern {
  let pattern = compiled.get(source);
  if (pattern === undefined) {
    const program = re2js().RE2JS.compile(source);
    pattern = { foundIn: (text) => program.matcher(text).find() };
    if (compiled.size < REMEMBERED) compiled.set(source, pattern);
  }
  return pattern;
}

/** What keeps a text from being a pattern, if anything does. */
export function patternProblem(source: string): string | undefined {
  try {
    patternOf(source);
    return undefined;
  } catch (error) {
    return `${JSON.stringify(source)} is no pattern: ${messageOf(error)}`;
  }
}
