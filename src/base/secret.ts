import type { Decimal } from "./numbers/decimal.ts";
import { Finder, type FoundText, type SoughtText } from "./text/finder.ts";
import { mapStrings, parseJson, writeJson } from "./json/json.ts";
import { LIMITS } from "./limits.ts";
import { escapesOf, readingsOf } from "./text/unescape.ts";

/** The pattern of a reference to a secret. The secret itself is never written in its place. */
export const SECRET_REFERENCE = "^(env:[A-Za-z_][A-Za-z0-9_]*|file:.+)$";

const REFERENCE = new RegExp(SECRET_REFERENCE);

/** Returns whether a text is a reference to a secret, and not the secret itself. */
export function isReference(text: string): boolean {
  return REFERENCE.test(text);
}

/**
 * A value that must never be printed or stored. Wherever it is converted to text, it appears as `${{ secrets.NAME }}`. Only the transport
 * reveals it, when it writes the header.
 */
export class Secret {
  /** The name by which it is shown: the NAME of `${{ secrets.NAME }}`. */
  readonly name: string;
  /** The environment variable that holds it, if one does. */
  readonly variable: string | undefined;
  readonly #value: string;

  constructor(name: string, value: string, variable?: string) {
    this.name = name;
    this.#value = value;
    this.variable = variable;
  }

  /** Returns the value itself. */
  reveal(): string {
    return this.#value;
  }
  /** Returns `${{ secrets.NAME }}`, never the value. */
  toString(): string {
    return `\${{ secrets.${this.name} }}`;
  }
  /** Returns `${{ secrets.NAME }}`, never the value. */
  toJSON(): string {
    return this.toString();
  }
}

/** Replaces each known secret in a text by its name, in every encoding in which it may appear. */
export type Redact = (text: string) => string;

const IS_MASK = /^\$\{\{ secrets\.\w+ \}\}$/;
const HAS_MASK = /\$\{\{ secrets\.\w+ \}\}/;

/** Returns whether a value is a text that holds the mask of a secret. */
export function isMasked(value: unknown): boolean {
  return typeof value === "string" && HAS_MASK.test(value);
}

/** Returns the same value with secrets masked in all texts, including keys, and with each number masked that is itself a secret. */
export function masked(value: unknown, redact: Redact): unknown {
  const number = (exact: Decimal): unknown => (IS_MASK.test(redact(exact.text)) ? redact(exact.text) : exact);
  return mapStrings(value, redact, number);
}

/** Returns a foreign text with its secrets masked. JSON stays JSON: a number that is a secret becomes a text. */
export function maskedText(text: string, redact: Redact): string {
  if (redact(text) === text) return text;
  try {
    return redact(writeJson(masked(parseJson(text), redact)));
  } catch {
    return redact(text);
  }
}

/**
 * Returns a redactor for these secrets and, if they are addresses, for their parts. It finds them in every mixture of plain and escaped
 * characters, in small letters or in capitals, in base64 with any surrounding text, and in hexadecimal digits.
 */
export function redactor(secrets: readonly Secret[]): Redact {
  const wanted = secrets.flatMap(wantedOf);
  if (wanted.length === 0) return (text) => text;
  const finder = new Finder(wanted);
  const escapes = escapesOf(wanted.map(({ text }) => text));
  return (text) => mask(text, escapes.test(text) ? findInReadings(text, finder) : finder.find(text));
}

// A secret that is found after unescaping is masked in the original text.
function findInReadings(text: string, finder: Finder): readonly FoundText[] {
  return readingsOf(text).reduceRight<readonly FoundText[]>((later, reading) => {
    const found = [...later, ...finder.find(reading.text)];
    return found.length === 0
      ? found
      : reading.sourcesOf(found).map((source, at) => ({ ...source, name: found[at]?.name ?? "" }));
  }, []);
}

// Overlapping secrets are masked together, under the name of the first.
function mask(text: string, found: readonly FoundText[]): string {
  if (found.length === 0) return text;
  let clean = "";
  let done = 0;
  for (const { start, end, name } of found.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    if (start >= done) clean += text.slice(done, start) + name;
    done = Math.max(done, end);
  }
  return clean + text.slice(done);
}

function wantedOf(secret: Secret): readonly SoughtText[] {
  const name = String(secret);
  const value = secret.reveal();
  if (value === "") return [];
  const parts = [value, ...partsOfAddress(value)];
  const inOtherCases = parts.flatMap(casesOf).filter((form) => !isWords(form));
  const plain = new Set([...parts.flatMap((part) => [part, ...hexOf(part)]), ...inOtherCases]);
  const encoded = [...Array.from(plain, (text) => ({ text, shares: NOTHING })), ...parts.flatMap(base64Of)];
  const wanted = encoded.flatMap(({ text, shares }) =>
    formsOf(text).map((form) => [form, { text: form, name, shares }] as const),
  );
  return [...new Map(wanted.toReversed()).values()];
}

const NOTHING = { before: false, behind: false };

// A form shorter than the shortest allowed secret would mask other words too.
function formsOf(text: string): readonly string[] {
  const [, ...forms] = readingsOf(text).map((reading) => reading.text);
  return [text, ...forms.filter(({ length }) => length >= LIMITS.secretLeastChars)];
}

// Services and programs write keys, such as UUIDs, in the case that they prefer, and names of headers in small letters.
function casesOf(text: string): readonly string[] {
  return [text.toLowerCase(), text.toUpperCase()];
}

function hexOf(text: string): readonly string[] {
  const hex = Buffer.from(text).toString("hex");
  return [hex, hex.toUpperCase()];
}

const BYTES_OF_GROUP = 3;
const BITS_OF_BYTE = 8;
const BITS_OF_CHARACTER = 6;

// A text has three forms in base64, depending on whether none, one or two bytes precede it in its group of three. Characters that share
// bits with other bytes are left out.
function base64Of(text: string): readonly Omit<SoughtText, "name">[] {
  const all = [text, JSON.stringify(text).slice(1, -1)].flatMap((inner) =>
    [0, 1, 2].flatMap((before) => {
      const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(inner), Buffer.alloc(BYTES_OF_GROUP)]);
      const first = (before * BITS_OF_BYTE) / BITS_OF_CHARACTER;
      const last = ((bytes.length - BYTES_OF_GROUP) * BITS_OF_BYTE) / BITS_OF_CHARACTER;
      const own = [Math.ceil(first), Math.floor(last)] as const;
      const shares = { before: own[0] !== first, behind: own[1] !== last };
      return (["base64", "base64url"] as const).map((alphabet) => ({ text: bytes.toString(alphabet).slice(...own), shares }));
    }),
  );
  return all.filter((each) => each.text.length >= LIMITS.secretLeastChars);
}

const IS_ADDRESS = /^[a-z][a-z\d+.-]*:\/\//i;
/** A common word in an address. If it were masked by itself, it would be missing in other texts. */
const IS_WORD = /^(?:[a-z]{0,15}|v\d{1,3})$/;

/** Returns the parts of an address other than its host: user, password, path and query, whole and split. */
function partsOfAddress(value: string): readonly string[] {
  const address = IS_ADDRESS.test(value) ? URL.parse(value) : null;
  if (address === null) return [];
  const { username, password, pathname, search, hash } = address;
  const pieces = [username, ...pathname.split("/"), ...search.slice(1).split(/[&=]/), hash.slice(1)];
  const parts = [...pieces, pathname, `${pathname}${search}`, search.slice(1)].filter((part) => !isWords(part));
  const all = [password, `${username}:${password}`, ...parts].flatMap(formsOf);
  return all.filter(({ length }) => length >= LIMITS.secretLeastChars);
}

function isWords(part: string): boolean {
  return part.split("/").every((piece) => IS_WORD.test(piece));
}
