import { Decimal } from "../base/decimal.ts";
import { isForbiddenKey } from "../base/json.ts";
import { LIMITS } from "../base/limits.ts";
import type { ListNode, MapEntry, MapNode, Range, ScalarNode, SourceNode } from "./node.ts";

/**
 * Reads the YAML that nearly every playbook is written in: maps and lists, in blocks or in brackets, scalars that end on their
 * line, comments. Of any other text, and of whatever may be wrong, it gives `undefined`: those are the library's, which takes
 * twenty times as long. What is read here has the same values, at the same places, as the library would read.
 */
export function readSimple(text: string): SourceNode | undefined {
  if (text.length > LIMITS.sourceBytes || UNUSUAL.test(text)) return undefined;
  try {
    return new SimpleReader(text).read();
  } catch (error) {
    if (error instanceof NotSimple) return undefined;
    throw error;
  }
}

class NotSimple extends Error {}

// Spaces that are none to YAML and what is no text; marks of documents, directives; a margin so wide that somebody may refuse it.
const UNUSUAL = new RegExp(
  `[^\\n -~\\u00a1-\\u167f\\u1681-\\u1fff\\u2010-\\u2027\\u2030-\\u205e\\u2070-\\u2fff\\u3001-\\ud7ff\\ue000-\\ufefe]|^(?:---|\\.\\.\\.|%| {${LIMITS.textDepth}})`,
  "m",
);

// Each is looked for at the place where the reader stands.
const SPACES = / */y;
const EMPTY_LINES = /(?: *(?:#[^\n]*)?\n)*/y;
const LINE_END = /(?: +#[^\n]*| *)(?:\n|$)/y;
const KEY = /[A-Za-z_$][\w.$/-]{0,200}(?=:(?:[ \n]|$))/y;
const PLAIN = /(?:[\w.$/(\u00a1-\ufefe]|-(?=\w))(?:[^\n:#]|:(?=[^ \n])|(?<=[^ ])#)*/y;
const PLAIN_IN_BRACKETS = /(?:[\w.$/(\u00a1-\ufefe]|-(?=\w))(?:[^\n:#,[\]{}]|:(?=[^ \n,[\]{}]))*/y;
const DOUBLE_QUOTED = /"(?:[^"\\\n]|\\["\\/bfnrt]|\\u[\da-fA-F]{4})*"/y;
const SINGLE_QUOTED = /'(?:[^'\n]|'')*'/y;
/** Lines that become one, all of them indented as the first is, with no empty one among them. */
const FOLDED = />-\n( +)[^ \n][^\n]*(?:\n\1[^ \n][^\n]*)*/y;

const NULL = /^(?:null|Null|NULL)$/;
const BOOLEAN = /^(?:true|True|TRUE|false|False|FALSE)$/;
const NUMBER = /^(?:0o[0-7]+|0x[\da-fA-F]+|-?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|-?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/;

class SimpleReader {
  readonly #text: string;
  #at = 0;
  #lineStart = 0;

  constructor(text: string) {
    this.#text = text;
  }

  read(): SourceNode {
    this.#toContent();
    if (this.#column !== 0) throw new NotSimple();
    const root = this.#block(0);
    if (this.#at < this.#text.length) throw new NotSimple();
    return root;
  }

  /** Where on its line the reader stands; -1 at the end of the text. */
  get #column(): number {
    return this.#at < this.#text.length ? this.#at - this.#lineStart : -1;
  }

  get #isAtItem(): boolean {
    const next = this.#text[this.#at + 1];
    return this.#text[this.#at] === "-" && (next === " " || next === "\n" || next === undefined);
  }

  #block(depth: number): SourceNode {
    if (depth > LIMITS.textDepth) throw new NotSimple();
    return this.#isAtItem ? this.#list(depth) : this.#map(depth);
  }

  #map(depth: number): MapNode {
    const [start, column] = [this.#at, this.#column];
    const entries = new Map<string, MapEntry>();
    let end = start;
    while (this.#column === column) {
      const [name, key] = this.#key(entries);
      const value = this.#passLineEnd() ? this.#below(key, column, depth + 1) : this.#inLine(column, depth + 1);
      entries.set(name, { key, value });
      end = value.range.end;
    }
    if (this.#column > column) throw new NotSimple();
    return { kind: "map", entries, range: { start, end } };
  }

  #key(entries: ReadonlyMap<string, MapEntry>): readonly [string, Range] {
    const start = this.#at;
    const name = this.#take(KEY);
    if (name === undefined || entries.has(name) || isForbiddenKey(name)) throw new NotSimple();
    const end = this.#at++;
    return [name, { start, end }];
  }

  // The value of a key whose line ends behind it; one that was left out stands where its key does.
  #below(key: Range, column: number, depth: number): SourceNode {
    if (this.#column > column) return this.#block(depth);
    if (this.#column === column && this.#isAtItem) return this.#list(depth);
    return { kind: "scalar", value: null, range: key, offsetOf: () => key.start };
  }

  #list(depth: number): ListNode {
    const [start, column] = [this.#at, this.#column];
    const items: SourceNode[] = [];
    let end = start;
    while (this.#column === column && this.#isAtItem) {
      this.#at++;
      this.#take(SPACES);
      const item = this.#isAtItem || this.#sees(KEY) ? this.#block(depth + 1) : this.#inLine(column, depth + 1);
      items.push(item);
      end = item.range.end;
    }
    if (this.#column > column) throw new NotSimple();
    return { kind: "list", items, range: { start, end } };
  }

  #inLine(column: number, depth: number): SourceNode {
    this.#take(SPACES);
    const node = this.#text[this.#at] === ">" ? this.#folded(column, depth) : this.#flow(PLAIN, depth);
    if (!this.#passLineEnd() || this.#column > column) throw new NotSimple();
    return node;
  }

  #folded(column: number, depth: number): ScalarNode {
    const start = this.#at;
    const source = this.#take(FOLDED);
    const [, margin = "", ...lines] = source?.split(/\n( *)/) ?? [];
    if (margin.length <= column || depth > LIMITS.textDepth) throw new NotSimple();
    const value = lines.filter((_, at) => at % 2 === 0).join(" ");
    const end = Math.min(this.#at + 1, this.#text.length); // with the line end, as the library has it
    return { kind: "scalar", value, range: { start, end }, offsetOf: () => start };
  }

  #flow(plain: RegExp, depth: number): SourceNode {
    if (depth > LIMITS.textDepth) throw new NotSimple();
    switch (this.#text[this.#at]) {
      case "{":
        return this.#flowMap(depth);
      case "[":
        return this.#flowList(depth);
      case '"':
        return this.#quoted(DOUBLE_QUOTED, "\\", (source) => JSON.parse(source) as string);
      case "'":
        return this.#quoted(SINGLE_QUOTED, "''", (source) => source.slice(1, -1).replaceAll("''", "'"));
      default:
        return this.#plain(plain);
    }
  }

  #flowMap(depth: number): MapNode {
    const start = this.#at;
    const entries = new Map<string, MapEntry>();
    for (let ended = this.#opens("}"); !ended; ended = this.#closes("}")) {
      const [name, key] = this.#key(entries);
      this.#take(SPACES);
      entries.set(name, { key, value: this.#flow(PLAIN_IN_BRACKETS, depth + 1) });
    }
    return { kind: "map", entries, range: { start, end: this.#at } };
  }

  #flowList(depth: number): ListNode {
    const start = this.#at;
    const items: SourceNode[] = [];
    for (let ended = this.#opens("]"); !ended; ended = this.#closes("]")) items.push(this.#flow(PLAIN_IN_BRACKETS, depth + 1));
    return { kind: "list", items, range: { start, end: this.#at } };
  }

  /** Passes an opening bracket, and the closing one if nothing stands between them. */
  #opens(closing: string): boolean {
    this.#at++;
    this.#take(SPACES);
    return this.#passes(closing);
  }

  /** Passes the closing bracket, or the comma before the next part. */
  #closes(closing: string): boolean {
    this.#take(SPACES);
    if (this.#passes(closing)) return true;
    if (!this.#passes(",")) throw new NotSimple();
    this.#take(SPACES);
    return false;
  }

  #quoted(form: RegExp, escape: string, read: (source: string) => string): ScalarNode {
    const start = this.#at;
    const source = this.#take(form);
    if (source === undefined) throw new NotSimple();
    const range = { start, end: this.#at };
    const offsetOf = source.slice(1, -1).includes(escape) ? () => start : (index: number) => start + 1 + index;
    return { kind: "scalar", value: read(source), range, offsetOf };
  }

  #plain(form: RegExp): ScalarNode {
    const start = this.#at;
    const source = this.#take(form)?.replace(/ +$/, "");
    if (source === undefined) throw new NotSimple();
    const range = { start, end: start + source.length };
    if (NUMBER.test(source)) return { kind: "scalar", value: exact(source), range, offsetOf: () => start };
    return { kind: "scalar", value: plainValue(source), range, offsetOf: (index) => start + index };
  }

  // Goes to the next content, if nothing but a comment stands before the line's end.
  #passLineEnd(): boolean {
    if (this.#take(LINE_END) === undefined) return false;
    this.#toContent();
    return true;
  }

  #toContent(): void {
    this.#take(EMPTY_LINES);
    this.#lineStart = this.#at;
    this.#take(SPACES);
    if (this.#text[this.#at] === "#") this.#at = this.#text.length;
  }

  #passes(char: string): boolean {
    if (this.#text[this.#at] !== char) return false;
    this.#at++;
    return true;
  }

  #sees(form: RegExp): boolean {
    form.lastIndex = this.#at;
    return form.test(this.#text);
  }

  #take(form: RegExp): string | undefined {
    if (!this.#sees(form)) return undefined;
    const taken = this.#text.slice(this.#at, form.lastIndex);
    this.#at = form.lastIndex;
    return taken;
  }
}

// Of what YAML takes for a number, the library's reader says which is none to us.
function exact(source: string): Decimal {
  const value = Decimal.parse(source);
  if (value === undefined) throw new NotSimple();
  return value;
}

function plainValue(source: string): null | boolean | string {
  if (NULL.test(source)) return null;
  return BOOLEAN.test(source) ? /^t/i.test(source) : source;
}
