import { ENTITIES } from "./entities.ts";
import { LIMITS } from "../limits.ts";
import { percentDecoded } from "./percent.ts";

// The escapes for characters in JSON, JavaScript, URLs, HTML and XML.
const ESCAPE =
  /(?:\\\\)+|\\(?:u[\da-fA-F]{4}|u\{[\da-fA-F]{1,6}\}|x[\da-fA-F]{2}|["'/bfnrt])|%(?:[0-7][\da-fA-F]|[cdCD][\da-fA-F]%[89abAB][\da-fA-F]|[eE][\da-fA-F](?:%[89abAB][\da-fA-F]){2}|[fF][0-7](?:%[89abAB][\da-fA-F]){3})|&(?:#\d{1,8}|#[xX][\da-fA-F]{1,8}|[A-Za-z][A-Za-z\d]{1,7});/g;
// Characters that wrapping and indenting add, the `+` for a blank in forms, and backslashes that remain from nested escapes.
const LOOSE = /[\s+\\]+/g;

/** A part of a text, by offsets. */
export interface Stretch {
  /** The offset of its first character, from 0. */
  readonly start: number;
  /** The offset after its last character. */
  readonly end: number;
}

/** A reading of a text, and where each part of it was in the previous reading. The given text has no previous one. */
interface TextReading {
  /** The text after the escapes were replaced so far. */
  readonly text: string;
  /** Returns the places in the previous text from which parts of this text come. The meaning of an escape comes from all its characters. */
  readonly sourcesOf: (parts: readonly Stretch[]) => readonly Stretch[];
}

/**
 * Returns the readings of a text: the text itself; then the text with its escapes replaced, repeatedly until none is left or the limit is
 * reached; at last the text without blanks and backslashes. So all spellings of a text end in the same text.
 */
export function readingsOf(given: string): readonly TextReading[] {
  const readings: TextReading[] = [{ text: given, sourcesOf: (parts) => parts }];
  let text = given;
  for (let level = 0; level < LIMITS.escapeLevels && text.search(ESCAPE) >= 0; level++) {
    const before = text;
    text = before.replaceAll(ESCAPE, meaningOf);
    if (text === before) break;
    readings.push({ text, sourcesOf: (parts) => placed(parts, escapesIn(before, ESCAPE, meaningOf)) });
  }
  const before = text;
  readings.push({
    text: bare(before),
    sourcesOf: (parts) =>
      placed(
        parts,
        escapesIn(before, LOOSE, () => ""),
      ),
  });
  return readings;
}

/** Returns a text without blanks, the `+` for a blank in forms, and backslashes. */
function bare(text: string): string {
  return text.replaceAll(LOOSE, "");
}

const SHORT: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

/** Returns a pattern for what a text must contain if one of its readings holds one of these texts, but the text itself does not. */
export function escapesOf(texts: readonly string[]): RegExp {
  const inert = ['"', "b", "f", "t"].filter((kind) => !texts.some((text) => text.includes(SHORT[kind] ?? kind)));
  const loose = texts.some((text) => /\s/.test(text)) ? String.raw`\n\r+` : String.raw`\n\r`;
  return new RegExp(String.raw`\\[^${inert.join("")}]|%[\da-fA-F]{2}|&(?:#|[A-Za-z][A-Za-z\d]{1,7};)|[${loose}]`);
}

/** One escape: its place in the text, and the place of its meaning in the unescaped text. */
interface Escape {
  readonly source: Stretch;
  readonly meaning: Stretch;
}

function escapesIn(text: string, escaped: RegExp, meaning: (escape: string) => string): readonly Escape[] {
  const escapes: Escape[] = [];
  let removed = 0;
  for (const { 0: escape, index } of text.matchAll(escaped)) {
    const { length } = meaning(escape);
    const start = index - removed;
    escapes.push({ source: { start: index, end: index + escape.length }, meaning: { start, end: start + length } });
    removed += escape.length - length;
  }
  return escapes;
}

function placed(parts: readonly Stretch[], escapes: readonly Escape[]): readonly Stretch[] {
  const placeOf = (offset: number, edge: "start" | "end"): number => {
    const before = escapes[countBegun(escapes, offset, edge) - 1];
    if (before === undefined) return offset;
    const beyond = offset - before.meaning.end;
    return beyond < 0 ? before.source[edge] : before.source.end + beyond;
  };
  return parts.map(({ start, end }) => ({ start: placeOf(start, "start"), end: placeOf(end, "end") }));
}

// Returns how many meaningful escapes begin before an offset; for a start, an escape at the offset counts too.
function countBegun(escapes: readonly Escape[], offset: number, edge: "start" | "end"): number {
  let [low, high] = [0, escapes.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const start = escapes[middle]?.meaning.start ?? 0;
    if (start < offset || (start === offset && edge === "start")) low = middle + 1;
    else high = middle;
  }
  return low;
}

const HIGHEST_CODE = 0x10ffff;

/** Returns the meaning of an escape, or the escape itself if it has none. */
function meaningOf(escape: string): string {
  switch (escape[0]) {
    case "\\":
      return afterBackslash(escape);
    case "%":
      return percentDecoded(escape); // an escape that is invalid UTF-8, or longer than necessary, stays
    default:
      return entityMeaning(escape);
  }
}

function afterBackslash(escape: string): string {
  const kind = escape[1] ?? "";
  if (kind === "\\") return escape.slice(escape.length / 2);
  if (kind !== "u" && kind !== "x") return SHORT[kind] ?? kind;
  return characterOf(Number.parseInt(escape.slice(2).replace("{", ""), 16)) ?? escape;
}

function entityMeaning(escape: string): string {
  const name = escape.slice(1, -1);
  if (!name.startsWith("#")) return ENTITIES.get(name) ?? escape;
  const digits = name.slice(1);
  return characterOf(/^[xX]/.test(digits) ? Number.parseInt(digits.slice(1), 16) : Number(digits)) ?? escape;
}

function characterOf(code: number): string | undefined {
  return code <= HIGHEST_CODE ? String.fromCodePoint(code) : undefined;
}
