import { Decimal } from "../base/numbers/decimal.ts";
import { isForbiddenKey } from "../base/json/json.ts";
import { LIMITS } from "../base/limits.ts";
import type { Diagnostic, Finding } from "./diagnostic.ts";
import { faultOf, nonTextKey } from "./fault.ts";
import { lineStart, SourceFile } from "./file.ts";
import { type RefusedText, refusedPart, refusedText, SHOWN_CHARS } from "./guard.ts";
import type { ListNode, MapEntry, MapNode, Range, ScalarNode, SourceNode } from "./node.ts";
import { EVENT, type Event, eventsOf, scalarText, type ScalarEvent, STYLE, SyntaxFault } from "./yaml.ts";

/** A parsed file, or why it cannot be read. */
export interface Parsed {
  /** The text with its line ends. */
  readonly file: SourceFile;
  /** The value of the document; `undefined` if there are findings. */
  readonly root: SourceNode | undefined;
  /** Why the file cannot be read; empty if it can. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Parses one YAML 1.2 document, without aliases, tags or directives, with unique keys, exact numbers and bounded depth. */
export function parseYaml(path: string, text: string): Parsed {
  const file = new SourceFile(path, text);
  const events = readEvents(text);
  if ("offset" in events) {
    const refused = file.diagnose(events, { start: events.offset, end: events.offset + 1 });
    return { file, root: undefined, diagnostics: [refused] };
  }
  return new TreeBuilder(file, events).read();
}

function readEvents(text: string): readonly Event[] | RefusedText {
  const refused = refusedText(text);
  if (refused !== undefined) return refused;
  try {
    const events = eventsOf(text);
    return refusedPart(text, events) ?? events;
  } catch (error) {
    if (error instanceof SyntaxFault) return faultOf(text, error);
    throw error;
  }
}

/** A comment or an anchor, and where it begins. */
export interface Mark {
  /** The mark as it is written, with its # or &. */
  readonly text: string;
  /** Its offset in the text. */
  readonly offset: number;
}

// A comment ends at a line end in the sense of YAML. It may contain other characters that JavaScript takes for a line end.
const COMMENT = /(?<=^|\s)#[^\r\n]*/g;

/** Returns the parts of a parsed text that are not data: comments, and anchors, to which nothing may refer. */
export function marksIn(text: string): { readonly comments: readonly Mark[]; readonly anchors: readonly Mark[] } {
  const comments: Mark[] = [];
  const anchors: Mark[] = [];
  let from = 0;
  // Comments are between scalars.
  const look = (end: number): void => {
    for (const { 0: comment, index } of text.slice(from, end).matchAll(COMMENT)) {
      comments.push({ text: comment.trimEnd(), offset: from + index });
    }
  };
  for (const event of eventsOf(text)) {
    if ("anchorStart" in event && event.anchorStart >= 0) {
      const offset = event.anchorStart - 1;
      anchors.push({ text: text.slice(offset, event.anchorEnd), offset });
    }
    if (event.type !== EVENT.SCALAR || event.valueStart < 0) continue;
    look(event.valueStart);
    from = event.valueEnd;
  }
  look(text.length);
  return { comments, anchors };
}

// YAML 1.2.2, 10.3.2: unquoted texts of other types.
const WORDS: ReadonlyMap<string, null | boolean> = new Map([
  ...["", "~", "null", "Null", "NULL"].map((word) => [word, null] as const),
  ...["true", "True", "TRUE"].map((word) => [word, true] as const),
  ...["false", "False", "FALSE"].map((word) => [word, false] as const),
]);
const NUMBER =
  /^(?:[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?|0o[0-7]+|0x[\da-fA-F]+|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/;

const ZEROS_IN_FRONT = /^[-+]?0\d/;

// The separators and comments between the last entry of a flow collection and its bracket.
const GAP = /(?:[\s,:?]|(?<=\s)#[^\r\n]*)*/y;
const SPACE = /(?:\s|(?<=\s)#[^\r\n]*)*/y;

/** A scalar that is not a text, or a text with escapes or folded lines. The places of its characters are unknown, so all of them are at its start. */
class Scalar implements ScalarNode {
  readonly kind = "scalar";
  readonly value: ScalarNode["value"];
  readonly range: Range;

  constructor(value: ScalarNode["value"], range: Range) {
    this.value = value;
    this.range = range;
  }

  offsetOf(_index: number): number {
    return this.range.start;
  }
}

/** A text whose characters are in the file one by one. */
class OneToOne extends Scalar {
  readonly #start: number;

  constructor(value: string, range: Range, start: number) {
    super(value, range);
    this.#start = start;
  }

  override offsetOf(index: number): number {
    return this.#start + index;
  }
}

/** A block text whose lines are in the file unchanged, except for their indentation. */
class BlockScalar extends Scalar {
  readonly #file: SourceFile;
  readonly #event: ScalarEvent;
  #lines: SourceFile | undefined;

  constructor(value: string, range: Range, at: { readonly file: SourceFile; readonly event: ScalarEvent }) {
    super(value, range);
    this.#file = at.file;
    this.#event = at.event;
  }

  override offsetOf(index: number): number {
    // Computed once, because each expression in the text needs it.
    this.#lines ??= new SourceFile(this.#file.path, String(this.value));
    const { line, column } = this.#lines.positionOf(index);
    const { valueStart, indent } = this.#event;
    return this.#file.offsetAt({ line: this.#file.lineOf(valueStart) + line - 1, column: column + indent });
  }
}

/** Builds a tree of positioned values from the parser's events. */
class TreeBuilder {
  readonly #file: SourceFile;
  readonly #events: readonly Event[];
  readonly #diagnostics: Diagnostic[] = [];
  /** The keys by their texts, because the same few keys occur again and again. */
  readonly #names = new Map<string, string>();
  /** The next event. */
  #at = 0;
  /** The offset after everything that was read. */
  #end = 0;

  constructor(file: SourceFile, events: readonly Event[]) {
    this.#file = file;
    this.#events = events;
  }

  read(): Parsed {
    const { text } = this.#file;
    const second = this.#events.findIndex(({ type }, at) => at > 0 && type === EVENT.DOCUMENT);
    const [document, content] = this.#events;
    let root: SourceNode | undefined;
    if (second > 0) {
      const start = secondStart(text, this.#events, second);
      this.#report(SECOND_DOCUMENT, { start, end: start + 3 });
    } else if (document === undefined || isLeftOut(content)) {
      this.#report({ code: "source.empty", message: "the file is empty" }, { start: 0, end: 1 });
    } else {
      this.#at = 1;
      root = this.#node(NOWHERE);
    }
    return { file: this.#file, root: this.#diagnostics.length === 0 ? root : undefined, diagnostics: this.#diagnostics };
  }

  #next(): Event | undefined {
    const event = this.#events[this.#at];
    this.#at += 1;
    return event;
  }

  /** Returns the next value; a missing one gets the range `missing`. */
  #node(missing: Range): SourceNode {
    const event = this.#next();
    switch (event?.type) {
      case EVENT.SEQUENCE:
        return this.#list(event.start);
      case EVENT.MAPPING:
        return this.#map(event.start);
      case EVENT.SCALAR:
        return isLeftOut(event) ? nullAt(missing) : this.#scalar(event);
      default:
        return nullAt(missing);
    }
  }

  #list(start: number): ListNode {
    const items: SourceNode[] = [];
    this.#end = start;
    while (!this.#closes()) items.push(this.#node(isLeftOut(this.#events[this.#at]) ? this.#behindDash() : NOWHERE));
    return { kind: "list", items: items.slice(), range: { start, end: this.#close(start) } };
  }

  // Returns the place of a missing item.
  #behindDash(): Range {
    this.#end = behind(GAP, this.#file.text, this.#end) + 1;
    return { start: this.#end, end: this.#end };
  }

  #map(start: number): MapNode {
    const entries = new Map<string, MapEntry>();
    this.#end = start;
    while (!this.#closes()) {
      const { name, range } = this.#key();
      this.#checkKey(name, range, entries.get(name));
      if (isLeftOut(this.#events[this.#at])) this.#checkColon(start, range);
      entries.set(name, { key: range, value: this.#node(range) });
    }
    return { kind: "map", entries, range: { start, end: this.#close(start) } };
  }

  #key(): { readonly name: string; readonly range: Range } {
    const { text } = this.#file;
    const event = this.#events[this.#at];
    if (event?.type === EVENT.SCALAR && !isLeftOut(event)) {
      this.#at += 1;
      const range = rangeOf(text, event);
      this.#end = range.end;
      return { name: this.#named(scalarText(text, event)), range };
    }
    const { kind, range } = this.#node({ start: this.#end, end: this.#end });
    if (kind !== "scalar") this.#report(nonTextKey(text, range.start), range);
    return { name: "", range };
  }

  #named(text: string): string {
    const known = this.#names.get(text);
    if (known === undefined) this.#names.set(text, text);
    return known ?? text;
  }

  #checkKey(name: string, range: Range, first: MapEntry | undefined): void {
    if (isForbiddenKey(name)) {
      const finding = { message: `the key "${name}" is not allowed`, why: "it reaches into the runtime's own objects" };
      this.#report({ code: "source.forbidden-key", ...finding }, range);
    }
    if (first === undefined) return;
    const message = `the key "${name}" is already on line ${this.#file.lineOf(first.key.start)}`;
    this.#report({ code: "source.duplicate-key", message, suggestion: "keep one of the two" }, range);
  }

  // Inside braces a comma ends an entry, even in the middle of a number or a text.
  #checkColon(start: number, key: Range): void {
    const { text } = this.#file;
    if (text.charAt(start) !== "{" || text.charAt(behind(SPACE, text, key.end)) === ":") return;
    const suggestion = "write KEY: value; quote a number or a text that holds a comma";
    this.#report({ code: "source.syntax", message: "this key has no : after it", suggestion }, key);
  }

  #closes(): boolean {
    const closes = this.#events[this.#at]?.type === EVENT.POP;
    if (closes) this.#at += 1;
    return closes;
  }

  // A collection in brackets ends after its bracket, any other with its last entry.
  #close(start: number): number {
    const opening = this.#file.text.charAt(start);
    if (opening === "[" || opening === "{")
      this.#end = behind(GAP, this.#file.text, this.#end === start ? start + 1 : this.#end) + 1;
    return this.#end;
  }

  #scalar(event: ScalarEvent): ScalarNode {
    const { text } = this.#file;
    const range = rangeOf(text, event);
    this.#end = range.end;
    const value = scalarText(text, event);
    if (event.style === STYLE.PLAIN) {
      const word = WORDS.get(value);
      if (word !== undefined) return new Scalar(word, range);
      if (NUMBER.test(value)) return this.#number(value, range);
    }
    if (event.fast) return new OneToOne(value, range, event.valueStart);
    return event.style === STYLE.LITERAL_BLOCK
      ? new BlockScalar(value, range, { file: this.#file, event })
      : new Scalar(value, range);
  }

  #number(source: string, range: Range): ScalarNode {
    const value = Decimal.parse(source);
    if (value === undefined) {
      this.#report(
        {
          code: "source.number",
          message: `${source.slice(0, SHOWN_CHARS)} is not a plain decimal number`,
          why: "numbers here are exact: digits, a point, an exponent, no zeros in front, at most 1,000 digits",
          suggestion: ZEROS_IN_FRONT.test(source)
            ? "quote it if it is text, such as an account; or leave out the zeros in front"
            : "write it out in digits, or quote it if it is text",
        },
        range,
      );
    }
    return new Scalar(value ?? null, range);
  }

  #report(finding: Finding, range: Range): void {
    if (this.#diagnostics.length < LIMITS.diagnostics) this.#diagnostics.push(this.#file.diagnose(finding, range));
  }
}

// Returns where the match of a pattern at an offset ends.
function behind(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  pattern.exec(text);
  return pattern.lastIndex;
}

const NOWHERE: Range = { start: 0, end: 0 };

const SECOND_DOCUMENT: Finding = {
  code: "source.two-documents",
  message: "a second document begins here",
  suggestion: "one file holds one document: move it to a file of its own",
};

// Returns the place of the second document's marker or, without one, of its content.
function secondStart(text: string, events: readonly Event[], second: number): number {
  const last = events.findLast(
    (event, at): event is ScalarEvent => at < second && event.type === EVENT.SCALAR && !isLeftOut(event),
  );
  const marker = /^---(?=\s|$)/gm;
  marker.lastIndex = last?.valueEnd ?? "---".length;
  const content = events[second + 1];
  const first =
    content?.type === EVENT.SCALAR ? content.valueStart : content !== undefined && "start" in content ? content.start : 0;
  return marker.exec(text)?.index ?? first;
}

function isLeftOut(event: Event | undefined): boolean {
  return event?.type === EVENT.SCALAR && event.valueStart < 0;
}

function nullAt(range: Range): ScalarNode {
  return new Scalar(null, range);
}

// The parser reports only the place of the content. Quotes surround it, and the header of a block precedes it.
function rangeOf(text: string, { style, valueStart, valueEnd }: ScalarEvent): Range {
  switch (style) {
    case STYLE.SINGLE_QUOTED:
    case STYLE.DOUBLE_QUOTED:
      return { start: valueStart - 1, end: valueEnd + 1 };
    case STYLE.LITERAL_BLOCK:
    case STYLE.FOLDED_BLOCK:
      return { start: headerOf(text, valueStart), end: valueEnd };
    default:
      return { start: valueStart, end: valueEnd };
  }
}

function headerOf(text: string, content: number): number {
  const line = lineStart(text, content - 1);
  return line + text.slice(line, content).search(/[|>][-+\d]*(?:\s+#[^\r\n]*)?\s*$/);
}
