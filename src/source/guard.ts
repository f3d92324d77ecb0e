import { LIMITS } from "../base/limits.ts";
import type { Finding } from "./diagnostic.ts";

/** What keeps a text from being parsed at all, and where. */
export interface Refusal extends Finding {
  readonly offset: number;
}

/**
 * Looks at a YAML text before the parser does: a deeply nested one would exhaust its stack, and that kills the process where
 * nothing can catch it. `lexemes` are those that the parser is to see, so that a bracket in a quote or a comment counts for it
 * and for us alike; and a line may be indented only so far.
 */
export function guard(text: string, lexemes: Iterable<string>): Refusal | undefined {
  return controlCharacter(text) ?? deepIndentation(text) ?? badLexeme(lexemes);
}

/** What is said of a file that is too large even to be looked at. */
export function tooLarge(text: string): Refusal | undefined {
  if (text.length <= LIMITS.sourceBytes) return undefined;
  return {
    code: "source.too-large",
    message: `the file has ${text.length} characters; the limit is ${LIMITS.sourceBytes}`,
    suggestion: "split it, or move data into a file of its own",
    offset: 0,
  };
}

// Beside being unfit for text, they are what the lexer marks its own lexemes with.
function controlCharacter(text: string): Refusal | undefined {
  // oxlint-disable-next-line no-control-regex -- finding control characters is the point
  const found = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]|(?<=[^])\ufeff/.exec(text);
  if (found === null) return undefined;
  const code = found[0].charCodeAt(0).toString(16).padStart(4, "0");
  return {
    code: "source.control-character",
    message: `the control character U+${code.toUpperCase()} is not allowed`,
    suggestion: `delete it, or write it as "\\u${code}" in double quotes`,
    offset: found.index,
  };
}

function deepIndentation(text: string): Refusal | undefined {
  const margin = new RegExp(`^(?:[ ]|[-?:] ){${LIMITS.textDepth * 4}}`, "m");
  const found = margin.exec(text);
  return found === null ? undefined : tooDeep(found.index + found[0].length);
}

// Lexemes that stand for nothing in the text: a document begins, a plain scalar follows, a flow has ended too early.
const DOCUMENT = "\u0002";
const SCALAR = "\u001f";
const FLOW_ERROR = "\u0018";

/** A lexeme that is no plain scalar, and where it stands. */
interface PlacedLexeme {
  readonly lexeme: string;
  readonly offset: number;
}

/** The lexemes in order with their offsets; plain scalars, which may look like anything, are left out. */
export function* placedLexemes(lexemes: Iterable<string>): Generator<PlacedLexeme> {
  let offset = 0;
  let scalar = false;
  for (const lexeme of lexemes) {
    if (!scalar) yield { lexeme, offset };
    scalar = lexeme === SCALAR;
    if (!scalar && lexeme !== DOCUMENT && lexeme !== FLOW_ERROR) offset += lexeme.length;
  }
}

function badLexeme(lexemes: Iterable<string>): Refusal | undefined {
  const open: Opened[] = [];
  for (const { lexeme, offset } of placedLexemes(lexemes)) {
    const refused = refusedAt(lexeme, offset) ?? bracket(lexeme, offset, open);
    if (refused !== undefined) return refused;
  }
  return unclosed(open.at(-1));
}

interface Opened {
  readonly bracket: string;
  readonly offset: number;
}

function bracket(lexeme: string, offset: number, open: Opened[]): Refusal | undefined {
  if (lexeme === "]" || lexeme === "}") open.pop();
  if (lexeme === FLOW_ERROR) return unclosed(open.at(-1));
  if (lexeme !== "[" && lexeme !== "{") return undefined;
  open.push({ bracket: lexeme, offset });
  return open.length > LIMITS.textDepth ? tooDeep(offset) : undefined;
}

function unclosed(opened: Opened | undefined): Refusal | undefined {
  if (opened === undefined) return undefined;
  const { bracket: shown, offset } = opened;
  const closing = shown === "[" ? "]" : "}";
  return {
    code: "source.unclosed",
    message: `this ${shown} is not closed`,
    suggestion: `close it with ${closing}, and indent what stands inside`,
    offset,
  };
}

function tooDeep(offset: number): Refusal {
  return {
    code: "source.too-deep",
    message: `nested deeper than ${LIMITS.textDepth} levels`,
    why: "a text this deep can exhaust the parser, so it is refused before it is read",
    offset,
  };
}

function refusedAt(lexeme: string, offset: number): Refusal | undefined {
  switch (lexeme[0]) {
    case "%":
      return {
        code: "source.directive",
        message: `the directive ${wordOf(lexeme)} is not allowed`,
        why: "files are always read as YAML 1.2",
        suggestion: "delete the line",
        offset,
      };
    case "!":
      return {
        code: "source.tag",
        message: `the tag ${wordOf(lexeme)} is not allowed`,
        why: "a value is what it looks like",
        suggestion: "delete the tag; quote what is to be text",
        offset,
      };
    case "*":
      return {
        code: "source.alias",
        message: `the alias ${wordOf(lexeme)} is not allowed`,
        why: "aliases can make a small file expand to gigabytes",
        suggestion: "write the value out, or make it an input",
        offset,
      };
    case '"':
    case "'":
      return lexeme.length > 1 && lexeme.endsWith(lexeme[0])
        ? undefined
        : { code: "source.unclosed", message: `this ${lexeme[0]} is not closed`, offset };
    default:
      return undefined;
  }
}

function wordOf(lexeme: string): string {
  return lexeme.split(/\s/, 1).join("");
}
