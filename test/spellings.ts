// The ways in which software writes a text. The attacks on masking use them, so they share no code with the part that masks secrets.
import * as fc from "fast-check";

/** Writes a text in one of these ways. */
export type Spell = (text: string) => string;

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, "0");
}

const jsonText: Spell = (text) => JSON.stringify(text).slice(1, -1);
const eachUnit = (text: string, write: (unit: string, code: number) => string): string =>
  text
    .split("")
    .map((unit) => write(unit, unit.charCodeAt(0)))
    .join("");
const eachPoint = (text: string, write: (point: string, code: number) => string): string =>
  Array.from(text, (point) => write(point, point.codePointAt(0) ?? 0)).join("");

/** Escapes as .NET's System.Text.Json does by default. */
const dotnetJson: Spell = (text) =>
  eachUnit(jsonText(text).replaceAll(String.raw`\"`, String.raw`\u0022`), (unit, code) =>
    /[&'+<>`]/.test(unit) || code > 126 ? `\\u${hex(code, 4).toUpperCase()}` : unit,
  );
const goJson: Spell = (text) => eachUnit(jsonText(text), (unit, code) => (/[<>&]/.test(unit) ? `\\u${hex(code, 4)}` : unit));
const allPercent: Spell = (text) => Array.from(Buffer.from(text), (byte) => `%${hex(byte, 2)}`).join("");
const htmlMinimal: Spell = (text) =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
const NAMES: Readonly<Record<string, string>> = {
  "+": "plus",
  "/": "sol",
  "=": "equals",
  "&": "amp",
  '"': "quot",
  ü: "uuml",
  "\\": "bsol",
};
const htmlNamed: Spell = (text) => eachPoint(text, (point) => (NAMES[point] === undefined ? point : `&${NAMES[point]};`));
const base64: Spell = (text) => Buffer.from(text).toString("base64");

/** Ways that write one character after the other. The receiver can decode them into the text again. */
export const SPELLINGS: Readonly<Record<string, Spell>> = {
  plain: (text) => text,
  JSON: jsonText,
  "JSON of .NET": dotnetJson,
  "JSON of Go": goJson,
  "JSON with escaped slashes": (text) => jsonText(text).replaceAll("/", String.raw`\/`),
  "JSON, each character by its number": (text) => eachUnit(text, (_, code) => `\\u${hex(code, 4)}`),
  "JSON, each character by its number in capitals": (text) => eachUnit(text, (_, code) => `\\u${hex(code, 4).toUpperCase()}`),
  "JavaScript, each character by its number": (text) => eachPoint(text, (_, code) => `\\u{${hex(code, 1)}}`),
  "JSON in JSON": (text) => jsonText(jsonText(text)),
  "JSON of .NET in JSON of .NET": (text) => dotnetJson(dotnetJson(text)),
  "a URL": encodeURIComponent,
  "a URL in small letters": (text) => encodeURIComponent(text).replaceAll(/%../g, (code) => code.toLowerCase()),
  "a URL, each byte": allPercent,
  "a segment of a path": (text) => encodeURI(text).replaceAll("/", "%2F").replaceAll("?", "%3F").replaceAll("#", "%23"),
  "a URL in a URL": (text) => encodeURIComponent(encodeURIComponent(text)),
  "a form": (text) => new URLSearchParams({ x: text }).toString().slice(2),
  HTML: htmlMinimal,
  "HTML with names": htmlNamed,
  "HTML by decimal numbers": (text) => eachPoint(text, (_, code) => `&#${code};`),
  "HTML by hexadecimal numbers": (text) => eachPoint(text, (_, code) => `&#x${hex(code, 1)};`),
  "HTML by padded numbers": (text) => eachPoint(text, (_, code) => `&#X${hex(code, 6).toUpperCase()};`),
  "HTML in JSON of .NET": (text) => dotnetJson(htmlMinimal(text)),
  "HTML in HTML": (text) => htmlMinimal(htmlMinimal(text)),
  "JSON in HTML": (text) => htmlMinimal(jsonText(text)),
  "a URL in JSON": (text) => jsonText(encodeURIComponent(text)),
};

/** Ways that encode the text as a whole, so that no single character can be recognized. */
const ENCODINGS: Readonly<Record<string, Spell>> = {
  "hexadecimal digits": (text) => Buffer.from(text).toString("hex"),
  "hexadecimal digits in capitals": (text) => Buffer.from(text).toString("hex").toUpperCase(),
  base64: base64,
  "base64 behind one byte": (text) => base64(`:${text}`),
  "base64 behind two bytes": (text) => base64(`u:${text}`),
  "base64 of a login": (text) => base64(`user:${text}`),
  "base64 before others": (text) => base64(`${text}, and more`),
  "base64 between others": (text) => base64(`u:${text}:and more`),
  "base64 for URLs": (text) => Buffer.from(`u:${text};`).toString("base64url"),
  "base64 of JSON": (text) => base64(JSON.stringify({ key: text })),
  "base64 in lines": (text) => base64(`u:${text}${" and more".repeat(8)}`).replaceAll(/.{20}/g, "$&\r\n"),
  "base64 in lines in JSON": (text) => jsonText(base64(`u:${text}${" and more".repeat(8)}`).replaceAll(/.{20}/g, "$&\r\n")),
  "base64 in a URL": (text) => encodeURIComponent(base64(`:${text}:`)),
  "base64 in JSON of .NET": (text) => dotnetJson(base64(`:${text}:`)),
};

/** Every way to write a text, by its name. */
export const WRITTEN: readonly (readonly [string, Spell])[] = Object.entries({ ...SPELLINGS, ...ENCODINGS });

const READABLE_CHARS = 8;

/**
 * Returns the forms in which an output shows a text, or a part from which somebody could guess the text. In base64 the text may be encoded
 * together with other text, so we search for the characters that hold only its own bits.
 */
export function shownOf(output: string, secret: string): readonly string[] {
  const joined = output.replaceAll(/\r?\n[ \t]*/g, "");
  const shows = (written: string): boolean => output.includes(written) || joined.includes(written.replaceAll(/\r?\n/g, ""));
  return WRITTEN.filter(([name, spell]) => {
    const written = spell(secret);
    if (!name.startsWith("base64")) return shows(written);
    const own = base64(`:${secret}`).slice(4, 4 + READABLE_CHARS);
    return (
      shows(written) ||
      [own, base64(secret).slice(4, 4 + READABLE_CHARS), base64(`u:${secret}`).slice(4, 4 + READABLE_CHARS)].some(shows)
    );
  }).map(([name]) => name);
}

/** Generates secrets of at least twelve characters, of kinds that some format must escape. */
export const hostileSecret: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom(..."abcxyzABC0189".split("")) },
      { weight: 3, arbitrary: fc.constantFrom(..."+&/ \"'\\%<>=?#;:@{}$`~_-.,!\n\t".split("")) },
      { weight: 1, arbitrary: fc.constantFrom("ü", "é", "€", "漢", "😀", "%2B", "&amp;", "\\n", "\\u0041") },
    ),
    { minLength: 12, maxLength: 40 },
  )
  // tokenbook trims the keys that it reads, so a secret must not begin or end with blanks.
  .map((parts) => `k${parts.join("")}z`);

/** Generates a chain of writers. The last writer is the outermost. */
export const chainOfSpellings: fc.Arbitrary<readonly string[]> = fc.array(fc.constantFrom(...Object.keys(SPELLINGS)), {
  minLength: 1,
  maxLength: 3,
});

/** Writes a text by each writer of a chain in turn. */
export function spelt(chain: readonly string[], text: string): string {
  return chain.reduce((written, name) => SPELLINGS[name]?.(written) ?? written, text);
}

const OF_CHARACTER: readonly Spell[] = [
  (point) => point,
  (point) => eachUnit(point, (_, code) => `\\u${hex(code, 4)}`),
  allPercent,
  (point) => `&#${point.codePointAt(0)};`,
  (point) => `&#x${hex(point.codePointAt(0) ?? 0, 2)};`,
  (point) => allPercent(point).replaceAll("%", "%25"),
];

/** Writes each character of a text in its own way. The text must have no backslash, because that would escape the next character. */
export function mixed(text: string, choices: readonly number[]): string {
  return Array.from(
    text,
    (point, at) => OF_CHARACTER[(choices[at % choices.length] ?? 0) % OF_CHARACTER.length]?.(point) ?? point,
  ).join("");
}
