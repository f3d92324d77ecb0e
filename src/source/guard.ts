import { LIMITS } from "../base/limits.ts";
import { FOREIGN_SPACE, hexCode } from "../base/text/text.ts";
import type { Finding } from "./diagnostic.ts";
import { lineStart } from "./file.ts";
import { EVENT, type Event, type ScalarEvent, STYLE } from "./yaml.ts";

/** How many characters of a text are shown in a message. */
export const SHOWN_CHARS = 40;

/** Why a text cannot be read, and where. */
export interface RefusedText extends Finding {
  /** The offset of the place in the text. */
  readonly offset: number;
}

/** Returns the finding for a text that is not even parsed, because it is too large or has control characters. */
export function refusedText(text: string): RefusedText | undefined {
  return tooLarge(text) ?? controlCharacter(text);
}

function tooLarge(text: string): RefusedText | undefined {
  if (text.length <= LIMITS.sourceBytes) return undefined;
  return {
    code: "source.too-large",
    message: `the file has ${text.length} characters; the limit is ${LIMITS.sourceBytes}`,
    suggestion: "split it, or move data into a file of its own",
    offset: 0,
  };
}

function controlCharacter(text: string): RefusedText | undefined {
  // oxlint-disable-next-line no-control-regex -- finding control characters is the point
  const found = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]|(?<=[^])\ufeff/.exec(text);
  if (found === null) return undefined;
  const code = hexCode(found[0]);
  return {
    code: "source.control-character",
    message: `the control character U+${code.toUpperCase()} is not allowed`,
    suggestion: `delete it, or write it as "\\u${code}" in double quotes`,
    offset: found.index,
  };
}

/**
 * Returns the first part of a parsed text that is valid YAML but not allowed in our files: a directive, a tag, an alias, or a space that
 * YAML does not treat as one.
 */
export function refusedPart(text: string, events: readonly Event[]): RefusedText | undefined {
  const directive = directiveIn(text);
  if (directive !== undefined) return directive;
  const spaces = ANY_FOREIGN.test(text);
  if (!spaces && !text.includes("*") && !text.includes("!")) return undefined;
  for (const event of events) {
    if (event.type === EVENT.ALIAS) return notAllowed("alias", text, event.anchorStart - 1);
    if ("tagStart" in event && event.tagStart >= 0) return notAllowed("tag", text, event.tagStart);
    const space = spaces && event.type === EVENT.SCALAR ? foreignSpaceIn(text, event) : undefined;
    if (space !== undefined) return space;
  }
  return undefined;
}

const ANY_FOREIGN = new RegExp(FOREIGN_SPACE);
/** Matches such a space at an end of an unquoted text, or where it should separate a key or a dash from the following text. */
const FOREIGN_IN_PLAIN = new RegExp(`(?<=^(?:-|[\\w.-]+:)?)${FOREIGN_SPACE}|${FOREIGN_SPACE}$`);
const FOREIGN_ON_LINE = new RegExp(`${FOREIGN_SPACE}(?<=(?:^|[-:,[\\]{}"'])[ \\t]*.)`);

function foreignSpaceIn(text: string, { style, valueStart, valueEnd }: ScalarEvent): RefusedText | undefined {
  if (style !== STYLE.PLAIN || valueStart < 0) return undefined;
  const found = FOREIGN_IN_PLAIN.exec(text.slice(valueStart, valueEnd));
  return found === null ? undefined : foreignSpace(found[0], valueStart + found.index);
}

/** Returns the finding for such a space in a line that cannot be parsed. */
export function foreignSpaceOnLine(text: string, offset: number): RefusedText | undefined {
  const start = lineStart(text, offset);
  const [line = ""] = text.slice(start).split("\n", 1);
  const found = FOREIGN_ON_LINE.exec(line);
  return found === null ? undefined : foreignSpace(found[0], start + found.index);
}

function foreignSpace(found: string, offset: number): RefusedText {
  return {
    code: "source.space",
    message: `the character U+${hexCode(found).toUpperCase()} is here: it may look like a space, but YAML reads it as part of the text`,
    suggestion: "replace all of them with spaces; quote a text that must begin or end with it",
    offset,
  };
}

/** Finds a directive, which only comments and other directives may precede. */
export function directiveIn(text: string): RefusedText | undefined {
  const found = /^\ufeff?(?:[ \t]*(?:#.*)?\r?\n)*%/.exec(text);
  return found === null ? undefined : notAllowed("directive", text, found[0].length - 1);
}

const NOT_ALLOWED = {
  directive: { why: "files are always read as YAML 1.2", suggestion: "delete the line" },
  tag: { why: "a value is what it looks like", suggestion: "delete the tag; quote it if it is a text" },
  alias: {
    why: "aliases can make a small file expand to gigabytes",
    suggestion: "write the value out, or make it an input; quote it if it is a text",
  },
} as const;

/** Returns the finding for a part that our files must not use, at an offset. */
export function notAllowed(part: keyof typeof NOT_ALLOWED, text: string, offset: number): RefusedText {
  return {
    code: `source.${part}`,
    message: `the ${part} ${wordAt(text, offset)} is not allowed`,
    ...NOT_ALLOWED[part],
    offset,
  };
}

/** Returns the finding for a text that is nested too deeply, at an offset. */
export function tooDeep(offset: number): RefusedText {
  return {
    code: "source.too-deep",
    message: `nested deeper than ${LIMITS.textDepth} levels`,
    why: "a text this deep can exhaust the parser, so it is not read to its end",
    offset,
  };
}

function wordAt(text: string, offset: number): string {
  return text
    .slice(offset, offset + SHOWN_CHARS)
    .split(/[\s,[\]{}]/, 1)
    .join("");
}
