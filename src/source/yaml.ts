import { EVENT_ID, type Event, getScalarValue, parseEvents, SCALAR_STYLE, YAMLException } from "js-yaml";
import { LIMITS } from "../base/limits.ts";
import { lineStart } from "./file.ts";
import type { Stretch } from "../base/text/unescape.ts";

// The door to the YAML library. We read its events and build no documents (decision 10).

export { type Event, EVENT_ID as EVENT, SCALAR_STYLE as STYLE };

/** The place and style of a scalar's content. A negative offset means that it is missing. */
export type ScalarEvent = Extract<Event, { readonly type: typeof EVENT_ID.SCALAR }>;

/** Returns the value of a scalar as a text without quotes and escapes, and with its lines folded. */
export const scalarText: (text: string, scalar: ScalarEvent) => string = getScalarValue;

/** Why a text cannot be parsed, in the library's words, and where the parser failed. */
export class SyntaxFault extends Error {
  /** The offset in the text where the parser failed. */
  readonly offset: number;

  constructor(reason: string, offset: number) {
    super(reason);
    this.offset = offset;
  }
}

/** Returns the parts of a YAML text in order, with their offsets. Throws a {@link SyntaxFault}. */
export function eventsOf(text: string): readonly Event[] {
  const found = parsed(text);
  return found instanceof SyntaxFault ? withBracketsAtMargin(text, found) : found;
}

// A scalar inside the allowed number of collections is one level more.
const MAX_DEPTH = LIMITS.textDepth + 1;

function parsed(text: string): readonly Event[] | SyntaxFault {
  try {
    return parseEvents(text, { maxDepth: MAX_DEPTH });
  } catch (error) {
    if (error instanceof YAMLException) return new SyntaxFault(error.reason, error.mark?.position ?? 0);
    throw error;
  }
}

const GAP_ROUNDS = 8;

/**
 * Parses a text in which a closing bracket may be in the column of its collection's key, as everyone writes it. YAML's grammar and the
 * library require it further in. So the line ends and comments before such a bracket are replaced by spaces, which moves nothing, unless
 * they turn out to be part of a text. Other faults are reported from the attempt in which the parser gets furthest. Throws a {@link
 * SyntaxFault}.
 */
function withBracketsAtMargin(text: string, fault: SyntaxFault): readonly Event[] {
  if (fault.message !== "deficient indentation" || !"]}".includes(text.charAt(fault.offset))) throw fault;
  let gaps = gapsIn(text);
  let furthest = fault;
  for (let round = 0; round < GAP_ROUNDS; round += 1) {
    const found = parsed(spaced(text, gaps));
    const failed = found instanceof SyntaxFault;
    if (failed && found.offset > furthest.offset) furthest = found;
    const wrong = new Set(failed ? gaps.filter(({ start }) => start <= found.offset).slice(-1) : gapsInTexts(found, gaps));
    if (wrong.size === 0 && !failed) return found;
    if (wrong.size === 0) break;
    gaps = gaps.filter((gap) => !wrong.has(gap));
  }
  throw furthest;
}

// Returns the gaps before each bracket that is the first on its line: line ends, comments, and lines without anything else.
function gapsIn(text: string): readonly Stretch[] {
  return Array.from(text.matchAll(/(?<=\n)[ \t]*(?=[\]}])/g), ({ 0: indentation, index }) => {
    return { start: gapStart(text, index), end: index + indentation.length };
  });
}

function gapStart(text: string, line: number): number {
  let start = line;
  while (start > 0) {
    const above = lineStart(text, start - 1);
    const written = text.slice(above, start - 1);
    if (!/^[ \t]*(?:#[^\n]*)?\r?$/.test(written)) {
      return above + written.search(/(?<![ \t])[ \t]*(?:(?<=\s)#[^\n]*)?\r?$/);
    }
    start = above;
  }
  return start;
}

function spaced(text: string, gaps: readonly Stretch[]): string {
  let [written, from] = ["", 0];
  for (const { start, end } of gaps) {
    written += text.slice(from, start) + " ".repeat(end - start);
    from = end;
  }
  return written + text.slice(from);
}

function* gapsInTexts(events: readonly Event[], gaps: readonly Stretch[]): Generator<Stretch> {
  let at = 0;
  for (const event of events) {
    if (event.type !== EVENT_ID.SCALAR) continue;
    while ((gaps[at]?.end ?? Infinity) <= event.valueStart) at += 1;
    for (let gap = gaps[at]; gap !== undefined && gap.start < event.valueEnd; gap = gaps[at]) {
      yield gap;
      at += 1;
    }
  }
}
