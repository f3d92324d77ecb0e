import { createRequire } from "node:module";
import type * as Re2js from "re2js";
import { messageOf } from "../base/failure.ts";
import { LIMITS } from "../base/limits.ts";
import { Recent } from "../base/recent.ts";

// Loaded by the first pattern, because its Unicode tables would take a tenth of each start.
const load = createRequire(import.meta.url);
const re2js = (): typeof Re2js => load("re2js") as typeof Re2js;

/** A pattern in RE2's syntax. Matching takes time in proportion to the length of the text, whatever the pattern. */
export interface Pattern {
  /** Returns whether the pattern is found anywhere in the text. */
  readonly foundIn: (text: string) => boolean;
  /** Returns how many steps a search in a text of this length takes. */
  readonly stepsFor: (chars: number) => number;
}

const REMEMBERED = 1_000;
const PARTS_A_STEP = 16;

const compiled = new Recent((source): Pattern => {
  const parts = partsOf(source);
  if (parts > LIMITS.patternParts)
    throw new RangeError(`it has ${parts} parts with its repetitions written out; the limit is ${LIMITS.patternParts}`);
  const program = re2js().RE2JS.compile(source);
  const stepsAChar = 1 + program.programSize() / PARTS_A_STEP;
  return { foundIn: (text) => program.matcher(text).find(), stepsFor: (chars) => (1 + chars) * stepsAChar };
}, REMEMBERED);

/** Returns a compiled pattern, from the cache if possible. Throws an Error that says what is wrong with it. */
export function patternOf(source: string): Pattern {
  return compiled.of(source);
}

// Matches a class, an escape, a repetition, the beginning of a group, or one character.
const PART = /\[\^?\]?(?:\\[^]|\[:\^?\w+:\]|[^\]\\])*\]?|\\[pP]\{[^}]*\}?|\\[^]|\{(\d+)(?:,(\d*))?\}|\(\?[^:)(]*:?|[^]/gy;

// A repetition is compiled as if it were written out, so a short pattern may become large. The library decides whether it is valid.
function partsOf(source: string): number {
  const open: number[] = [];
  let [parts, last] = [0, 0];
  for (const { 0: part, 1: least, 2: most } of source.matchAll(PART)) {
    if (least !== undefined) {
      const times = Math.max(1, Number(least), Number(most ?? ""));
      parts += last * (times - 1);
      last *= times;
    } else if (part.startsWith("(")) {
      open.push(parts);
      last = 0;
    } else if (part === ")") {
      last = parts - (open.pop() ?? 0);
    } else if (!"*+?|".includes(part)) {
      parts += 1;
      last = 1;
    }
  }
  return parts;
}

// Each sign of ASCII by itself, letters of elsewhere, all of them in one text, and nothing at all. None has a line break, for ^.*$ excludes nothing else.
const SIGNS = Array.from({ length: 95 }, (_, at) => String.fromCharCode(32 + at));
const TEXTS = ["", ...SIGNS, "\u00e9", "\u{1f600}", SIGNS.join("").repeat(50)];

/** Returns whether a pattern is found in every text, as far as texts of every kind show it. */
export function isFoundInAll(pattern: Pattern): boolean {
  return TEXTS.every((text) => pattern.foundIn(text));
}

/** Returns why a text is not a pattern, if it is not. */
export function patternProblem(source: string): string | undefined {
  try {
    patternOf(source);
    return undefined;
  } catch (error) {
    return `${JSON.stringify(source)} is no pattern: ${messageOf(error)}`;
  }
}
