import type { Finding } from "./diagnostic.ts";
import { lineStart } from "./file.ts";
import { directiveIn, foreignSpaceOnLine, notAllowed, type RefusedText, SHOWN_CHARS, tooDeep } from "./guard.ts";
import { openedBefore } from "./opened.ts";
import type { SyntaxFault } from "./yaml.ts";

/** Explains why the parser failed at an offset, in the words of people who write playbooks. */
export function faultOf(text: string, { message: reason, offset }: SyntaxFault): RefusedText {
  if (reason.startsWith("nesting exceeded")) return tooDeep(offset);
  if (reason.includes("directive")) return directiveIn(text) ?? { code: "source.syntax", message: reason, offset };
  if (reason.includes("tag ")) return notAllowed("tag", text, wordBefore(text, offset));
  if (reason.includes("alias ")) return notAllowed("alias", text, wordBefore(text, offset));
  const fault = unclosed(text, reason, offset) ?? { code: "source.syntax", ...syntax(text, reason, offset) };
  return foreignSpaceOnLine(text, fault.offset) ?? fault;
}

// Returns where the word before an offset begins.
function wordBefore(text: string, offset: number): number {
  const from = Math.max(0, offset - SHOWN_CHARS);
  return from + text.slice(from, offset + 1).search(/\S+\s?$/);
}

/** Returns the finding for a key that is a list or a map, usually an expression without quotes. */
export function nonTextKey(text: string, start: number): Finding {
  const finding = text.startsWith("{{", start - 1) ? UNQUOTED : { message: "a key must be text" };
  return { code: "source.syntax", ...finding };
}

const UNQUOTED = {
  message: "outside quotes, YAML reads the { of an expression as its own",
  suggestion: 'quote the expression: "${{ … }}"',
};

// If a quote or a bracket is not closed, the faults after it are consequences.
function unclosed(text: string, reason: string, offset: number): RefusedText | undefined {
  const ended = reason.startsWith("unexpected end") || (reason === "deficient indentation" && text.charAt(offset - 1) !== "\t");
  const opened = ended ? openedBefore(text, offset) : undefined;
  if (opened === undefined) return undefined;
  const tab = text.slice(lineStart(text, opened.offset), opened.offset).search(/\t[ \t]*$/);
  // For the parser, a bracket after a tab is less indented than its key.
  if (tab >= 0 && "[{".includes(opened.mark))
    return { code: "source.syntax", ...TAB, offset: lineStart(text, opened.offset) + tab };
  const closing = { "[": "]", "{": "}" }[opened.mark] ?? opened.mark;
  return {
    code: "source.unclosed",
    message: `this ${opened.mark} is not closed`,
    suggestion:
      closing === opened.mark
        ? `write another ${closing} where the text ends`
        : `close it with ${closing}, and indent its content`,
    offset: opened.offset,
  };
}

type FaultWords = Pick<RefusedText, "message" | "suggestion" | "offset">;

function syntax(text: string, reason: string, offset: number): FaultWords {
  if (text.startsWith("${{", offset - 1) || text.startsWith("{{", offset - 1)) return { ...UNQUOTED, offset };
  const line = lineStart(text, offset);
  const before = text.slice(line, offset);
  const tab = tabIn(before, text.charAt(offset));
  if (tab !== undefined) return { ...TAB, offset: line + tab };
  switch (reason) {
    case "bad indentation of a mapping entry":
    case "bad indentation of a sequence entry":
    case "end of the stream or a document separator is expected":
      return noBeginning(text, before, offset) ?? (before.trim() === "" ? crooked(offset) : unexpected(text, line, offset));
    case "missed comma between flow collection entries":
      return noBeginning(text, before, offset) ?? noComma(text, before, offset);
    case "expected the node content, but found ','":
      return { message: "nothing is before this comma", suggestion: "delete it, or quote the text it is in", offset };
    case "expected ':' after a mapping key":
      return { ...KEY_ALONE, offset: line + before.search(/\S/) };
    case "can not read a block mapping entry; a multiline key may not be an implicit key":
      return { ...KEY_ALONE, offset: aboveWithout(text, line) };
    case "unknown escape sequence":
      return { message: `\\${text.charAt(offset)} is no escape`, ...BACKSLASH, offset: offset - 1 };
    case "expected hexadecimal character":
      return shortEscape(text, offset);
    case "a line break is expected":
      return { message: "outside quotes, | and > begin a text on the lines below", ...QUOTE, offset };
    case "name of an anchor node must contain at least one character":
      return { message: "outside quotes, no text begins with &", ...QUOTE, offset: text.lastIndexOf("&", offset) };
    default:
      return { message: reason, offset };
  }
}

const TAB = { message: "there is a tab here", suggestion: "use spaces" };
const QUOTE = { suggestion: "quote the text" };
const BACKSLASH = { suggestion: "write \\\\ for a backslash, or use single quotes" };

// Tabs are allowed inside a text, and before a comment.
function tabIn(before: string, found: string): number | undefined {
  const indentation = /^\s*/.exec(before)?.[0] ?? "";
  const tab = indentation.indexOf("\t");
  if (tab >= 0) return tab;
  if (found === "\t") return before.length;
  return before.endsWith("\t") ? before.length - 1 : undefined;
}

// A text needs quotes if another sign is in the place where a value may begin.
function noBeginning(text: string, before: string, offset: number): FaultWords | undefined {
  const found = text.charAt(offset);
  const possible = before.trim() === "" ? "@`%" : "@`%-?";
  if (!/(?:^|[-:?[{,])\s*$/.test(before) || !possible.includes(found)) return undefined;
  const suggestion = found === "-" ? "quote the text, or begin the list on the next line" : QUOTE.suggestion;
  return { message: `outside quotes, no text begins with ${found}`, suggestion, offset };
}

function noComma(text: string, before: string, offset: number): FaultWords {
  if (text.charAt(offset) === ":") {
    return { ...SECOND_COLON, suggestion: "quote the text, or put a comma between the two entries", offset };
  }
  const message = "a comma is missing before this, or the bracket above it is not closed";
  const suggestion = /["']\s*$/.test(before) ? otherQuotes(before) : "close the bracket, or quote the text that this is in";
  return { message, suggestion, offset };
}

function otherQuotes(before: string): string {
  return before.trimEnd().endsWith('"')
    ? 'quote the whole text with \', or write \\" for each " in it'
    : "quote the whole text with \", or write '' for each ' in it";
}

function shortEscape(text: string, offset: number): FaultWords {
  const start = text.lastIndexOf("\\", offset);
  const escape = text.charAt(start + 1);
  const digits = { x: 2, u: 4 }[escape] ?? 8;
  return { message: `\\${escape} is an escape only with ${digits} hexadecimal digits`, ...BACKSLASH, offset: start };
}

const KEY_ALONE = {
  message: "this is neither a key with a : after it nor part of a value",
  suggestion: "write key: value, or indent it below its key",
};

const SECOND_COLON = {
  message: "outside quotes, a : with a space after it makes a key of the text before it",
  suggestion: "quote the text, or begin the second key on the next line",
};

function crooked(offset: number): FaultWords {
  return {
    message: "no key or item above has the indentation of this line",
    suggestion: "begin it in the column of the keys or items it belongs to",
    offset,
  };
}

function unexpected(text: string, line: number, offset: number): FaultWords {
  const found = text.charAt(offset);
  if ("]}".includes(found)) {
    return { message: `this ${found} closes nothing`, suggestion: "delete it, or quote the text it is in", offset };
  }
  if (found !== ":") {
    const before = text.slice(line, offset);
    const suggestion = /["']\s*$/.test(before) ? otherQuotes(before) : "quote the whole text, or begin a new line";
    return { message: "the value has ended before this", suggestion, offset };
  }
  if (!/:[ \t]/.test(text.slice(line, offset))) return keyAlone(text, line);
  return { ...SECOND_COLON, offset };
}

// A line that is indented below a key with a value continues that value, and a value has no keys.
function keyAlone(text: string, line: number): FaultWords {
  const offset = aboveWithout(text, line);
  if (offset < line) return { ...KEY_ALONE, offset };
  return {
    message: "this line is indented more than the key above it, which has a value already",
    suggestion: "begin it in the column of that key; if it continues the value, quote the whole value",
    offset,
  };
}

// Returns the first of the preceding lines without a colon: the parser took all of them for one key.
function aboveWithout(text: string, line: number): number {
  let found = line;
  for (let start = line; start > 0;) {
    const above = lineStart(text, start - 1);
    const written = text.slice(above, start);
    if (/:[ \t\r\n]/.test(written)) break;
    if (written.trim() !== "") found = above;
    start = above;
  }
  return found + text.slice(found).search(/\S/);
}
