import type { Decimal } from "./decimal.ts";
import { mapStrings } from "./json.ts";

/**
 * A value that must never be printed or stored. It shows itself as `${{ secrets.NAME }}` wherever it is turned into text;
 * only the transport reveals it, when it writes the header.
 */
export class Secret {
  readonly name: string;
  /** The environment variable that holds it, where one does. */
  readonly variable: string | undefined;
  readonly #value: string;

  constructor(name: string, value: string, variable?: string) {
    this.name = name;
    this.#value = value;
    this.variable = variable;
  }

  reveal(): string {
    return this.#value;
  }
  toString(): string {
    return `\${{ secrets.${this.name} }}`;
  }
  toJSON(): string {
    return this.toString();
  }
}

/** Replaces each known secret, in any spelling it may travel in, by its name. */
export type Redact = (text: string) => string;

const IS_MASK = /^\$\{\{ secrets\.\w+ \}\}$/;

/** The same value with its texts masked, keys included, and the numbers that are a secret, whole. */
export function masked(value: unknown, redact: Redact): unknown {
  const number = (exact: Decimal): unknown => (IS_MASK.test(redact(exact.text)) ? redact(exact.text) : exact);
  return mapStrings(value, redact, number);
}

/** A redactor for these secrets: plain, JSON-escaped, percent-encoded, form-encoded and base64 spellings. */
export function redactor(secrets: readonly Secret[]): Redact {
  const spellings = secrets.flatMap((secret) => spell(secret));
  return (text) => {
    if (!spellings.some(({ from }) => text.includes(from))) return text;
    const found = spellings.flatMap((spelling) => findAll(text, spelling)).toSorted((a, b) => a.start - b.start || b.end - a.end);
    return mask(text, found);
  };
}

interface Found {
  readonly start: number;
  readonly end: number;
  readonly name: string;
}

function findAll(text: string, { from, to }: { readonly from: string; readonly to: string }): Found[] {
  const found: Found[] = [];
  for (let at = text.indexOf(from); at >= 0; at = text.indexOf(from, at + 1))
    found.push({ start: at, end: at + from.length, name: to });
  return found;
}

// Where secrets overlap, nothing of either is left: the first one's name stands for the whole stretch.
function mask(text: string, found: readonly Found[]): string {
  let clean = "";
  let done = 0;
  for (const { start, end, name } of found) {
    if (start >= done) clean += text.slice(done, start) + name;
    done = Math.max(done, end);
  }
  return clean + text.slice(done);
}

function spell(secret: Secret): { from: string; to: string }[] {
  const value = secret.reveal();
  if (value === "") return [];
  const percent = encodeURIComponent(value);
  const form = new URLSearchParams([["", value]]).toString().slice(1);
  const json = JSON.stringify(value).slice(1, -1);
  const base64 = Buffer.from(value).toString("base64").replaceAll("=", "");
  const encoded = [percent, percent.replaceAll("%20", "+"), form, form.replaceAll("+", "%20")];
  const forms = new Set([
    value,
    json,
    json.replaceAll("/", "\\/"),
    JSON.stringify(json).slice(1, -1), // a body of JSON that is told inside of another
    ...encoded,
    ...encoded.map((text) => text.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())),
    base64,
    base64.replaceAll("+", "-").replaceAll("/", "_"),
  ]);
  return [...forms].map((from) => ({ from, to: String(secret) }));
}
