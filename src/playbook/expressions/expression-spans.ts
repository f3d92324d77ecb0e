import type { Stretch } from "../../base/text/unescape.ts";

const OPENING = "${{";
const CLOSING = "}}";

/** An expression inside a text: its own text, and the offsets of the whole `${{ … }}`. */
export interface Span extends Stretch {
  /** Its own text, between `${{` and `}}`. */
  readonly text: string;
  /** The offset at which its own text begins. */
  readonly from: number;
}

/** Returns whether a text holds an expression, whose value is known only in a run. */
export function holdsExpression(text: string): boolean {
  return text.includes(OPENING);
}

/** Returns the place of an opening `${{` without an end. */
export function openingIn(text: string): { readonly start: number; readonly end: number } | undefined {
  const start = text.indexOf(OPENING);
  return start < 0 ? undefined : { start, end: start + OPENING.length };
}

/**
 * Returns the expressions in a text. The end of an expression is found behind the quoted texts and braces in it. If these do not close, the
 * nearest `}}` counts as the end, so that the fault in the expression can be reported.
 */
export function* spansIn(text: string): Generator<Span> {
  let closes = true; // after an unclosed text, the rest is not read again for each expression
  let start = text.indexOf(OPENING);
  while (start >= 0) {
    const from = start + OPENING.length;
    const proper: number | undefined = closes ? closingAfter(text, from) : undefined;
    closes = proper !== undefined;
    const close = proper ?? text.indexOf(CLOSING, from);
    if (close < 0) return;
    const end = close + CLOSING.length;
    yield { text: text.slice(from, close), from, start, end };
    start = text.indexOf(OPENING, end);
  }
}

/** Returns the expression that makes up a whole text. With a space or a line break around it, an expression is only a part of a text. */
export function wholeExpression(text: string): Span | undefined {
  if (!holdsExpression(text)) return undefined;
  const [span] = spansIn(text);
  return span !== undefined && span.end - span.start === text.length ? span : undefined;
}

/** Returns how to fix a text that would be one expression without the spaces around it; `undefined` for any other text. */
export function adviceOnSpaces(text: string): string | undefined {
  return wholeExpression(text) === undefined && wholeExpression(text.trim()) !== undefined
    ? "remove the spaces and line breaks around ${{ }}; in place of > or |, write >- or |-"
    : undefined;
}

// The tokens that matter are braces and the delimiters of quoted texts, raw or not, long or short. PLAIN matches what is between them.
const TOKEN = /r?"""|r?'''|r?"|r?'|\{|\}\}|\}/giy;
const PLAIN = /(?:(?!r["'])[^"'{}])+/giy;

function closingAfter(text: string, from: number): number | undefined {
  let depth = 0;
  let at = from;
  while (at < text.length) {
    at = skip(PLAIN, text, at);
    TOKEN.lastIndex = at;
    const [token] = TOKEN.exec(text) ?? [];
    if (token === undefined) return undefined;
    if (token === CLOSING && depth === 0) return at;
    if (token === "{") depth += 1;
    else if (token.startsWith("}")) depth -= 1;
    const next = /["']/.test(token) ? afterText(text, at, token) : at + (token.startsWith("}") ? 1 : token.length);
    if (next === undefined || depth < 0) return undefined;
    at = next;
  }
  return undefined;
}

function skip(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

function afterText(text: string, start: number, opening: string): number | undefined {
  const raw = /^r/i.test(opening);
  const quote = raw ? opening.slice(1) : opening;
  for (let at = start + opening.length; at < text.length; at++) {
    if (text[at] === "\\" && !raw) at += 1;
    else if (text.startsWith(quote, at)) return at + quote.length;
  }
  return undefined;
}
