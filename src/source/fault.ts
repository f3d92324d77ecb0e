import type { Finding } from "./diagnostic.ts";
import { lineStart } from "./file.ts";
import { directiveIn, notAllowed, type Refusal, SHOWN_CHARS, tooDeep } from "./guard.ts";
import { openedBefore } from "./opened.ts";
import type { SyntaxFault } from "./yaml.ts";

/** What is wrong at the offset where the parser gave up, and why it says so, in the words of someone who writes playbooks. */
export function faultOf(text: string, { message: reason, offset }: SyntaxFault): Refusal {
  if (reason.startsWith("nesting exceeded")) return tooDeep(offset);
  if (reason.includes("directive")) return directiveIn(text) ?? { code: "source.syntax", message: reason, offset };
  if (reason.includes("tag ")) return notAllowed("tag", text, wordBefore(text, offset));
  if (reason.includes("alias ")) return notAllowed("alias", text, wordBefore(text, offset));
  return unclosed(text, reason, offset) ?? { code: "source.syntax", ...syntax(text, reason, offset) };
}

// Where the characters begin that stand right before an offset without a space.
function wordBefore(text: string, offset: number): number {
  const from = Math.max(0, offset - SHOWN_CHARS);
  return from + text.slice(from, offset + 1).search(/\S+\s?$/);
}

/** A key that is a list or a map: mostly an expression without quotes. */
export function nonTextKey(text: string, start: number): Finding {
  const finding = text.startsWith("{{", start - 1) ? UNQUOTED : { message: "a key must be text" };
  return { code: "source.syntax", ...finding };
}

const UNQUOTED = {
  message: "outside quotes, YAML reads the { of an expression as its own",
  suggestion: 'quote the expression: "${{ … }}"',
};

// Where a quote or a bracket is open, what is found wrong behind it follows from that.
function unclosed(text: string, reason: string, offset: number): Refusal | undefined {
  const ended = reason.startsWith("unexpected end") || (reason === "deficient indentation" && text.charAt(offset - 1) !== "\t");
  const opened = ended ? openedBefore(text, offset) : undefined;
  if (opened === undefined) return undefined;
  const closing = { "[": "]", "{": "}" }[opened.mark];
  return {
    code: "source.unclosed",
    message: `this ${opened.mark} is not closed`,
    ...(closing === undefined ? {} : { suggestion: `close it with ${closing}, and indent what stands inside` }),
    offset: opened.offset,
  };
}

type Said = Pick<Refusal, "message" | "suggestion" | "offset">;

function syntax(text: string, reason: string, offset: number): Said {
  if (text.startsWith("${{", offset - 1) || text.startsWith("{{", offset - 1)) return { ...UNQUOTED, offset };
  const line = lineStart(text, offset);
  const before = text.slice(line, offset);
  const tab = text.slice(line, offset + 1).indexOf("\t");
  if (tab >= 0) return { message: "a tab stands here", suggestion: "use spaces", offset: line + tab };
  switch (reason) {
    case "bad indentation of a mapping entry":
    case "bad indentation of a sequence entry":
    case "end of the stream or a document separator is expected":
      return before.trim() === "" ? crooked(offset) : unexpected(text, line, offset);
    case "missed comma between flow collection entries":
      if (text.charAt(offset) === ":") return { ...SECOND_COLON, offset };
      return { message: "a comma is missing before this, or the bracket above it is not closed", offset };
    case "expected ':' after a mapping key":
      return { ...KEY_ALONE, offset: line + before.search(/\S/) };
    case "can not read a block mapping entry; a multiline key may not be an implicit key":
      return { ...KEY_ALONE, offset: aboveWithout(text, line) };
    case "unknown escape sequence":
      return {
        message: `\\${text.charAt(offset)} is no escape`,
        suggestion: "write \\\\ for a backslash, or use single quotes",
        offset: offset - 1,
      };
    default:
      return { message: reason, offset };
  }
}

const KEY_ALONE = {
  message: "this is neither a key with a : behind it nor part of a value",
  suggestion: "write key: value, or indent it below its key",
};

const SECOND_COLON = {
  message: "outside quotes, a : with a space behind it makes a key of what is before it",
  suggestion: "quote the text, or part the two keys",
};

function crooked(offset: number): Said {
  return {
    message: "this line is indented like no key or item above it",
    suggestion: "begin it in the column of those it belongs to",
    offset,
  };
}

function unexpected(text: string, line: number, offset: number): Said {
  const found = text.charAt(offset);
  if ("]}".includes(found)) {
    return { message: `this ${found} closes nothing`, suggestion: "delete it, or quote the text it is in", offset };
  }
  if (found !== ":") {
    return { message: "the value has ended before this", suggestion: "quote the whole text, or begin a new line", offset };
  }
  if (!/:\s/.test(text.slice(line, offset))) return { ...KEY_ALONE, offset: aboveWithout(text, line) };
  return { ...SECOND_COLON, offset };
}

// The first of the lines above one that have no colon: the parser took them all for one key.
function aboveWithout(text: string, line: number): number {
  let found = line;
  for (let start = line; start > 0;) {
    const above = lineStart(text, start - 1);
    const written = text.slice(above, start);
    if (/:\s/.test(written)) break;
    if (written.trim() !== "") found = above;
    start = above;
  }
  return found + text.slice(found).search(/\S/);
}
