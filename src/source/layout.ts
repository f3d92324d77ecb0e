import type { ListNode, MapNode, Range, ScalarNode, SourceNode } from "./node.ts";
import type { SourceFile } from "./file.ts";
import { type Mark, marksIn } from "./parse.ts";

// A text is split into parts that are formatted (lines, indentation, order) and parts that are kept exactly (scalars, comments).

/** A line with only a comment. */
export interface CommentLine {
  /** The comment, from its # on. */
  readonly text: string;
  /** Whether an empty line is above it. */
  readonly blank: boolean;
}

/** One entry of a map, or one item of a list. */
export interface LayoutEntry {
  /** The comments on their own lines above it. */
  readonly lead: readonly CommentLine[];
  /** Whether an empty line is above the key or the item. */
  readonly blank: boolean;
  /** The key as it is written, and its meaning; undefined for a list item. */
  readonly key: { readonly text: string; readonly name: string } | undefined;
  /** The layout of the entry's value, or of the item. */
  readonly value: Layout;
  /** The comment after it on the same line. */
  readonly trailing: string | undefined;
}

/** A map or a list, with its entries. */
export interface Collection {
  readonly kind: "map" | "list";
  /** Whether it has brackets; `bare` is a pair without braces as an item of a list in brackets. */
  readonly style: "block" | "flow" | "bare";
  /** The entries in the order of the text. */
  readonly entries: readonly LayoutEntry[];
  /** Comments after the last entry that belong to it by their indentation. */
  readonly tail: readonly CommentLine[];
}

/** The layout of a value. */
export type Layout =
  | { readonly kind: "text"; readonly text: string }
  /** A scalar on several lines. All lines except the first may be indented freely. */
  | { readonly kind: "folded"; readonly lines: readonly string[] }
  /** A scalar that begins with | or >. Its lines keep their relative indentation, and `margin` spaces if its header has a number. */
  | { readonly kind: "literal"; readonly header: string; readonly margin: number | undefined; readonly lines: readonly string[] }
  | Collection;

/** The layout of a parsed document. */
export function layoutOf(file: SourceFile, root: MapNode | ListNode): Collection {
  const builder = new LayoutBuilder(file);
  const layout = builder.collection(root, { column: -1, stop: file.text.length, inFlow: false });
  return { ...layout, tail: [...layout.tail, ...builder.linesBefore(file.text.length)] };
}

/** What is around a value: the column of its parent, the offset before which its comments are, and whether it is inside brackets. */
interface LayoutContext {
  readonly column: number;
  readonly stop: number;
  readonly inFlow: boolean;
}

interface LayoutChild {
  readonly key: { readonly range: Range; readonly name: string } | undefined;
  readonly value: SourceNode;
}

class LayoutBuilder {
  readonly #file: SourceFile;
  readonly #lines: readonly string[];
  // Comments that have no place yet, in the order of the text.
  readonly #comments: Mark[];

  constructor(file: SourceFile) {
    this.#file = file;
    this.#lines = file.text.split("\n");
    this.#comments = [...marksIn(file.text).comments];
  }

  /** Returns the comments before an offset that have no place yet, on lines of their own. */
  linesBefore(offset: number): CommentLine[] {
    const after = this.#comments.findIndex((comment) => comment.offset >= offset);
    return this.#comments.splice(0, after < 0 ? this.#comments.length : after).map((comment) => this.#lineOf(comment));
  }

  #lineOf({ text, offset }: Mark): CommentLine {
    return { text, blank: /^[\s-]*$/.test(this.#before(offset)) && this.#blankAbove(offset) };
  }

  #value(node: SourceNode, around: LayoutContext): Layout {
    return node.kind === "scalar" ? this.#scalar(node, around) : this.collection(node, around);
  }

  #scalar({ range }: ScalarNode, around: LayoutContext): Layout {
    const text = this.#file.text.slice(range.start, range.end).replaceAll("\r", "");
    const lines = text.split("\n");
    const [first = ""] = lines;
    if (/^[|>]/.test(first)) return this.#literal(text, range, around);
    if (lines.length === 1) return { kind: "text", text };
    return { kind: "folded", lines: [first, ...lines.slice(1).map((line) => line.replace(/^[ \t]+/, ""))] };
  }

  #literal(text: string, range: Range, { column }: LayoutContext): Layout {
    this.linesBefore(range.end); // a comment in the header stays there
    const [header = "", ...rest] = text.split("\n");
    const [indicator = ""] = header.split(/\s/, 1);
    const digit = /[1-9]/.exec(indicator)?.[0];
    const first = rest.find((line) => /[^ ]/.test(line)) ?? "";
    const margin = digit === undefined ? first.search(/[^ ]|$/) : Math.max(column, 0) + Number(digit);
    const lines = rest.map((line) => (first === "" ? "" : line.slice(margin)));
    return {
      kind: "literal",
      header: header.trimEnd(),
      margin: digit === undefined || first === "" ? undefined : Number(digit),
      lines: indicator.includes("+") ? lines.slice(0, -1) : withoutEmptyEnd(lines),
    };
  }

  collection(node: MapNode | ListNode, { column: outer, stop, inFlow }: LayoutContext): Collection {
    const { start, end } = node.range;
    const flow = /[[{]/.test(this.#file.text.charAt(start));
    const column = this.#columnOf(start);
    const within = flow || inFlow;
    const children = childrenOf(node);
    const entries = children.map((child, at) => {
      const next = children[at + 1];
      return this.#entry(child, { column, stop: next === undefined ? (within ? end : stop) : startOf(next), inFlow: within });
    });
    const tail = flow ? this.linesBefore(end) : inFlow ? [] : this.#tail(stop, column > outer ? column : outer + 1);
    return { kind: node.kind, style: flow ? "flow" : inFlow ? "bare" : "block", entries, tail };
  }

  // After the last entry, the indentation of a comment decides to which of the ending collections it belongs.
  #tail(stop: number, column: number): readonly CommentLine[] {
    const tail: CommentLine[] = [];
    for (;;) {
      const [comment] = this.#comments;
      const belongs = comment !== undefined && comment.offset < stop && this.#columnOf(comment.offset) >= column;
      if (!belongs || !this.#isFirstOnLine(comment.offset)) return tail;
      tail.push(...this.linesBefore(comment.offset + 1));
    }
  }

  #entry(child: LayoutChild, around: LayoutContext): LayoutEntry {
    const { key, value } = child;
    const start = startOf(child);
    const lead = this.linesBefore(start);
    const begins = key === undefined ? /^[\s-]*$/ : /^\s*$/;
    const blank = begins.test(this.#before(start)) && this.#blankAbove(start);
    const missing = key !== undefined && value.range.start === key.range.start;
    const opens = !missing && value.kind !== "scalar" && !/[[{]/.test(this.#file.text.charAt(value.range.start));
    const behindKey = opens && key !== undefined ? this.#onLineOf(key.range.end, around.stop) : undefined;
    const before = opens || missing ? [] : this.linesBefore(value.range.start);
    const layout: Layout = missing ? { kind: "text", text: "" } : this.#value(value, around);
    const behind =
      opens || layout.kind === "literal" ? undefined : this.#onLineOf((missing ? key : value).range.end, around.stop);
    const entry = { blank, key: this.#keyOf(key), trailing: behindKey ?? behind };
    if (!("entries" in layout) || layout.entries.length > 0) return { ...entry, lead: [...lead, ...before], value: layout };
    // Empty brackets have no room for their comments.
    return { ...entry, lead: [...lead, ...before, ...layout.tail], value: { ...layout, tail: [] } };
  }

  #keyOf(key: LayoutChild["key"]): LayoutEntry["key"] {
    return key === undefined ? undefined : { text: this.#file.text.slice(key.range.start, key.range.end), name: key.name };
  }

  // Returns the next comment if it is between two offsets, on the line of the first.
  #onLineOf(offset: number, stop: number): string | undefined {
    const [comment] = this.#comments;
    const between = comment !== undefined && comment.offset >= offset && comment.offset < stop;
    if (!between || this.#file.lineOf(comment.offset) !== this.#file.lineOf(offset)) return undefined;
    this.#comments.shift();
    return comment.text;
  }

  // Whether only spaces precede an offset on its line.
  #isFirstOnLine(offset: number): boolean {
    return this.#before(offset).trim() === "";
  }

  #blankAbove(offset: number): boolean {
    const line = this.#file.lineOf(offset);
    return line > 1 && (this.#lines[line - 2] ?? "").trim() === "";
  }

  #columnOf(offset: number): number {
    return this.#file.columnOf(offset) - 1;
  }

  #before(offset: number): string {
    return this.#file.text.slice(offset - this.#columnOf(offset), offset);
  }
}

function childrenOf(node: MapNode | ListNode): readonly LayoutChild[] {
  if (node.kind === "list") return node.items.map((value) => ({ key: undefined, value }));
  return [...node.entries].map(([name, { key, value }]) => ({ key: { range: key, name }, value }));
}

function startOf({ key, value }: LayoutChild): number {
  return (key?.range ?? value.range).start;
}

function withoutEmptyEnd(lines: readonly string[]): readonly string[] {
  return lines.slice(0, lines.findLastIndex((line) => line !== "") + 1);
}
