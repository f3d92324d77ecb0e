import { isDeepStrictEqual } from "node:util";
import { type Collection, type LayoutEntry, layoutOf, type Layout } from "./layout.ts";
import { type Range, type SourceNode, toJson } from "./node.ts";
import { marksIn, parseYaml } from "./parse.ts";

const INDENT = 2;
const COLUMNS = 130;
const ROUNDS = 4;

/** Returns the order of the keys of the map at a path; in the path, `*` is any list item. Keys without an order follow the others. */
export type KeyOrder = (path: readonly string[]) => readonly string[] | undefined;

/** The formatted text, or why the text was not changed. */
export type Formatted = { readonly text: string } | { readonly refused: string };

/**
 * Formats a parsed document: two spaces for each level, one entry on each line, at most one empty line, and brackets only if their content
 * fits on a line. Scalars, comments and the kind of line ends are kept. It refuses if the meaning of the text would change.
 */
export function formatYaml(path: string, text: string, order: KeyOrder): Formatted {
  const { file, root } = parseYaml(path, text);
  if (root === undefined) return { refused: "it cannot be read" };
  if (root.kind === "scalar") return { text };
  const [anchor] = marksIn(text).anchors;
  const refused = (offset: number, why: string): Formatted => ({ refused: `line ${file.lineOf(offset)} has ${why}` });
  if (anchor !== undefined) return refused(anchor.offset, `the anchor ${anchor.text}; nothing may refer to it, so delete it`);
  const key = oddKey(root, text);
  if (key !== undefined) return refused(key.start, "a key that is empty or goes over several lines; write it on one line");
  const printed = settled(path, text, new Printer(order));
  const again = printed === undefined ? undefined : parseYaml(path, printed).root;
  if (printed === undefined || again === undefined || !sameData(root, again))
    return { refused: "it cannot be laid out without changing what it says" };
  const written = /^[^\n]*\r\n/.test(text) ? printed.replaceAll("\n", "\r\n") : printed;
  return sameComments(text, printed) ? { text: written } : { refused: "it cannot be laid out without losing a comment" };
}

// A comment in an odd place may move to its own line only in a second pass, so the text is formatted until it no longer changes.
function settled(path: string, text: string, printer: Printer): string | undefined {
  let before = text;
  for (let round = 0; round < ROUNDS; round += 1) {
    const { file, root } = parseYaml(path, before);
    if (root === undefined || root.kind === "scalar") return undefined;
    const after = `${printer.document(layoutOf(file, root)).join("\n")}\n`;
    if (after === before) return after;
    before = after;
  }
  return undefined;
}

function oddKey(node: SourceNode, text: string): Range | undefined {
  if (node.kind === "scalar") return undefined;
  const found =
    node.kind === "list"
      ? node.items.values().map((item) => oddKey(item, text))
      : node.entries.values().map(({ key, value }) => (isOdd(text.slice(key.start, key.end)) ? key : oddKey(value, text)));
  return found.find((key) => key !== undefined);
}

function isOdd(key: string): boolean {
  return key === "" || key.includes("\n");
}

/** Returns whether two documents hold the same data, including the digits of each number. The order of keys does not matter. */
function sameData(left: SourceNode, right: SourceNode): boolean {
  return isDeepStrictEqual(toJson(left), toJson(right));
}

function sameComments(left: string, right: string): boolean {
  const [one, other] = [left, right].map((text) =>
    marksIn(text)
      .comments.map((comment) => comment.text)
      .toSorted(),
  );
  return isDeepStrictEqual(one, other);
}

class Printer {
  readonly #order: KeyOrder;

  constructor(order: KeyOrder) {
    this.#order = order;
  }

  document(root: Collection): readonly string[] {
    const line = this.#oneLine(root, []);
    return line !== undefined && line.length <= COLUMNS ? [line] : this.#block(root, 0, []);
  }

  #block(collection: Collection, indent: number, path: readonly string[]): string[] {
    const out: string[] = [];
    const space = (blank: boolean): void => {
      if (blank && out.length > 0 && out.at(-1) !== "") out.push("");
    };
    for (const entry of this.#sorted(collection, path)) {
      for (const { blank, text } of entry.lead) {
        space(blank);
        out.push(" ".repeat(indent) + text);
      }
      space(entry.blank);
      out.push(...this.#entry(entry, indent, path));
    }
    for (const { blank, text } of collection.tail) {
      space(blank);
      out.push(" ".repeat(indent) + text);
    }
    return out;
  }

  #sorted({ kind, entries }: Collection, path: readonly string[]): readonly LayoutEntry[] {
    const order = kind === "map" ? this.#order(path) : undefined;
    if (order === undefined) return entries;
    const rank = ({ key }: LayoutEntry): number => {
      const at = order.indexOf(key?.name ?? "");
      return at < 0 ? order.length : at;
    };
    return entries.toSorted((one, other) => rank(one) - rank(other));
  }

  #entry({ key, value, trailing }: LayoutEntry, indent: number, path: readonly string[]): readonly string[] {
    const inner = [...path, key?.name ?? "*"];
    const head = " ".repeat(indent) + (key === undefined ? "-" : `${key.text}:`);
    const behind = trailing === undefined ? "" : ` ${trailing}`;
    const line = this.#oneLine(value, inner);
    if (line !== undefined && (!isCollection(value) || `${head} ${line}`.length <= COLUMNS)) {
      return [`${line === "" ? head : `${head} ${line}`}${behind}`];
    }
    if (!isCollection(value)) return withBehind(scalarLines(head, value, indent), behind);
    if (key !== undefined) return [head + behind, ...this.#block(value, indent + INDENT, inner)];
    return this.#item(value, { head, indent, above: trailing === undefined ? [] : [trailing] }, inner);
  }

  // An item begins on the line of its dash. Comments above its first key go above the dash.
  #item(
    value: Collection,
    { head, indent, above }: { readonly head: string; readonly indent: number; readonly above: readonly string[] },
    path: readonly string[],
  ): readonly string[] {
    const [leader, ...others] = this.#sorted(value, path);
    const entries = leader === undefined ? [] : [{ ...leader, lead: [] }, ...others];
    const [first = "", ...rest] = this.#block({ ...value, entries }, indent + INDENT, path);
    const lead = [...above, ...(leader?.lead ?? []).map(({ text }) => text)].map((text) => " ".repeat(indent) + text);
    return [...lead, `${head} ${first.trimStart()}`, ...rest];
  }

  /** Returns a value on one line; `undefined` if it takes several lines, as every value with a comment does. */
  #oneLine(value: Layout, path: readonly string[]): string | undefined {
    if (value.kind === "text") return value.text;
    if (!isCollection(value) || (value.style === "block" && value.entries.length > 0) || value.tail.length > 0) return undefined;
    const parts: string[] = [];
    for (const { key, value: inner, lead, trailing } of this.#sorted(value, path)) {
      const text = this.#oneLine(inner, [...path, key?.name ?? "*"]);
      if (text === undefined || lead.length > 0 || trailing !== undefined) return undefined;
      parts.push(key === undefined ? text : `${key.text}:${text === "" ? "" : ` ${text}`}`);
    }
    if (value.kind === "list") return value.style === "bare" ? undefined : `[${parts.join(", ")}]`;
    if (value.style === "bare") return parts.join(", ");
    return parts.length === 0 ? "{}" : `{ ${parts.join(", ")} }`;
  }
}

function isCollection(layout: Layout): layout is Collection {
  return layout.kind === "map" || layout.kind === "list";
}

function scalarLines(head: string, value: Exclude<Layout, Collection>, indent: number): readonly string[] {
  if (value.kind === "literal") {
    const margin = indent + (value.margin ?? INDENT);
    return [`${head} ${value.header}`, ...value.lines.map((line) => padded(line, margin))];
  }
  const [first = "", ...rest] = value.kind === "folded" ? value.lines : [value.text];
  return [`${head} ${first}`, ...rest.map((line) => padded(line, indent + INDENT))];
}

function padded(line: string, indent: number): string {
  return line === "" ? "" : " ".repeat(indent) + line;
}

function withBehind(lines: readonly string[], behind: string): readonly string[] {
  return [...lines.slice(0, -1), `${lines.at(-1) ?? ""}${behind}`];
}
