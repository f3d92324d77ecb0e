import { distance } from "fastest-levenshtein";
import { LIMITS } from "../limits.ts";

/**
 * Makes foreign text safe for a terminal or a log: control characters, escape sequences, direction overrides and invisible characters are
 * shown as `\\uXXXX`, not executed. In JSON this is the same text. Joiners that a script or an emoji needs are kept.
 */
export function sanitise(text: string): string {
  return text.replaceAll(UNSEEN, (char, at: number) => (isNeeded(text, at) ? char : escapedUnits(char)));
}

const UNSEEN =
  // oxlint-disable-next-line no-control-regex -- finding control characters is the point
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\ufff9-\ufffb\p{Default_Ignorable_Code_Point}]/gu;

const EMOJI = "\\p{Extended_Pictographic}";
// The scripts in which a joiner shapes letters. Between other letters, a joiner would only hide something.
const SHAPED = `(?=[\\p{L}\\p{M}])[${["Arab", "Syrc", "Mong", "Deva", "Beng", "Guru", "Gujr", "Orya", "Taml", "Telu", "Knda", "Mlym", "Sinh"].map((script) => `\\p{scx=${script}}`).join("")}]`;

// A joiner is allowed only alone, and between the characters that it joins. A row of joiners, or one after a digit of an amount, would hide
// data.
const IN_PLACE = new RegExp(
  [
    `(?<=(?:${EMOJI}|\\p{Emoji_Modifier})\\ufe0f?)\\u200d(?=${EMOJI})`,
    `(?<=${EMOJI})[\\ufe0e\\ufe0f]`,
    "(?<=[0-9#*])\\ufe0f(?=\\u20e3)",
    `(?<=${SHAPED})[\\u200c\\u200d](?=${SHAPED})`,
  ].join("|"),
  "uy",
);

function isNeeded(text: string, at: number): boolean {
  IN_PLACE.lastIndex = at;
  return IN_PLACE.test(text);
}

/** Returns a text without the characters that PostgreSQL refuses: NUL and halves of characters are shown as `\\uXXXX`. */
export function storable(text: string): string {
  return text.isWellFormed() && !text.includes("\0") ? text : text.replaceAll(/[\0\p{Surrogate}]/gu, escapedUnits);
}

/** Does the same for each text of a parsed value. It is a reviver for `JSON.parse`. */
export function storableIn(_name: string, value: unknown): unknown {
  return typeof value === "string" ? storable(value) : value;
}

function escapedUnits(char: string): string {
  return char
    .split("")
    .map((unit) => `\\u${hexCode(unit)}`)
    .join("");
}

/** Returns the code of a character, in four hexadecimal digits. */
export function hexCode(character: string): string {
  return character.charCodeAt(0).toString(16).padStart(4, "0");
}

/**
 * A character class of characters that look like a space, or are invisible, but are no spaces in YAML and CEL. They come from texts that
 * were copied from a page or a document.
 */
export const FOREIGN_SPACE = "[\\u00a0\\u1680\\u2000-\\u200b\\u202f\\u205f\\u2060\\u3000]";

const LIKE_SPACES = new RegExp(`[\\t${FOREIGN_SPACE.slice(1)}`, "g");

/**
 * Returns a text that no other text looks like. Foreign spaces and tabs are shown as `\\uXXXX`; in a text that is not composed (NFC), so is everything
 * except ASCII.
 */
export function unmistakable(text: string): string {
  const spaced = text.replaceAll(LIKE_SPACES, escapedUnits);
  return spaced.normalize() === spaced ? spaced : spaced.replaceAll(/[^ -~]/gu, escapedUnits);
}

/** Returns the name that a person probably meant, if one is near enough: at most `edits` away, by default more for longer names. */
export function didYouMean(name: string, names: readonly string[], edits: number = editsAllowed(name)): string | undefined {
  if (names.length === 0 || name.length > LIMITS.nameChars) return undefined;
  const typed = name.toLowerCase();
  const rank = names.map((found) => ({
    found,
    apart: distance(typed, found.toLowerCase()),
    alike: sharedStart(typed, found.toLowerCase()),
  }));
  const [near] = rank.toSorted((a, b) => a.apart - b.apart || b.alike - a.alike);
  return near !== undefined && isNear(typed, near.found.toLowerCase(), edits) ? near.found : undefined;
}

/** Returns a question whether a person meant one of the names, or `otherwise` if none is near enough. */
export function didYouMeanOr<T>(name: string, names: readonly string[], otherwise: T): string | T {
  const near = didYouMean(name, names);
  return near === undefined ? otherwise : `did you mean "${near}"?`;
}

function sharedStart(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
}

// After so many edits of a short name, nothing is similar, unless only the order of the letters differs.
function isNear(name: string, found: string, edits: number): boolean {
  const apart = distance(name, found);
  return apart <= edits && (apart * 2 < Math.max(name.length, found.length) || lettersOf(name) === lettersOf(found));
}

/** Returns the letters of a name in alphabetical order and in lower case. */
export function lettersOf(name: string): string {
  return name.toLowerCase().split("").toSorted().join("");
}

function editsAllowed({ length }: string): number {
  return Math.max(2, Math.floor(length / 3));
}

/** Breaks a text into lines of at most `width` characters; a longer word gets a line of its own. */
export function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/\s+/)) {
    if (line !== "" && line.length + word.length + 1 > width) {
      lines.push(line);
      line = "";
    }
    line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

/** Returns a text whose lines are indented by two spaces, except empty ones. */
export function indentedText(text: string): string {
  return text.replaceAll(/^(?=.)/gm, "  ");
}

/** Returns a count with its noun: `1 step`, `2 steps`. */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

/** Does the same with thousands separators: `1 row`, `3,000 rows`. */
export function countLong(number: number, noun: string): string {
  return count(number, noun).replace(/^\d+/, (digits) => digits.replaceAll(/\B(?=(?:\d{3})+$)/g, ","));
}

/** Returns a text of at most so many characters, with an ellipsis in the place of the rest. By the ellipsis, a secret that is cut there is recognized. */
export function shortened(text: string, chars: number): string {
  return text.length <= chars ? text : `${text.slice(0, chars).toWellFormed()}…`;
}

/** Returns a text without line breaks. Even the name of a file may hold one, and must not begin a line that looks like ours. */
export function onOneLine(text: string): string {
  return text.replaceAll("\n", "\\n");
}

/** Returns at most `most` lines, followed by the number of the others. */
export function firstLines(lines: readonly string[], most: number): readonly string[] {
  return lines.length > most ? [...lines.slice(0, most), `and ${lines.length - most} more`] : lines;
}

/** Returns a word quoted for a shell. */
export function quoted(word: string): string {
  return /^[\w./=:-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
