import { Decimal } from "../base/numbers/decimal.ts";
import type { Json } from "../base/json/json.ts";

/** Offsets into the text; the end is exclusive. */
export interface Range {
  /** The offset of the first character. */
  readonly start: number;
  /** The offset after the last character. */
  readonly end: number;
}

/** A YAML value with its position. Numbers keep the digits with which they were written. */
export type SourceNode = ScalarNode | MapNode | ListNode;

/** A text, number, boolean or null. */
export interface ScalarNode {
  readonly kind: "scalar";
  /** The value; a text is without quotes and escapes. */
  readonly value: null | boolean | string | Decimal;
  /** Where it is in the text. */
  readonly range: Range;
  /** Returns the offset in the file of the character `index` of a text; the scalar's start if it is unknown. */
  readonly offsetOf: (index: number) => number;
}

/** A map, with its entries in order. */
export interface MapNode {
  readonly kind: "map";
  /** The entries by their keys. */
  readonly entries: ReadonlyMap<string, MapEntry>;
  /** Where it is in the text. */
  readonly range: Range;
}

/** One key of a map, with its value. */
export interface MapEntry {
  /** Where the key is in the text. */
  readonly key: Range;
  /** The value under the key. */
  readonly value: SourceNode;
}

/** A list, with its items. */
export interface ListNode {
  readonly kind: "list";
  /** The items in the order of the text. */
  readonly items: readonly SourceNode[];
  /** Where it is in the text. */
  readonly range: Range;
}

/** Returns the value without its positions. */
export function toJson(node: SourceNode): Json {
  return valueOf(node, (exact) => exact) as Json;
}

/** Does the same with JavaScript numbers, only for schema checks. */
export function toPlain(node: SourceNode): unknown {
  return valueOf(node, (exact) => exact.likeness());
}

function valueOf(node: SourceNode, number: (exact: Decimal) => unknown): unknown {
  switch (node.kind) {
    case "scalar":
      return node.value instanceof Decimal ? number(node.value) : node.value;
    case "list":
      return node.items.map((item) => valueOf(item, number));
    case "map": {
      const fields: Record<string, unknown> = {};
      node.entries.forEach(({ value }, key) => {
        fields[key] = valueOf(value, number);
      });
      return fields;
    }
  }
}

/** Returns the value under a key, if the node is a map that has it. */
export function child(node: SourceNode | undefined, key: string): SourceNode | undefined {
  return node?.kind === "map" ? node.entries.get(key)?.value : undefined;
}

/** Returns the items of a list; none for any other node. */
export function itemsIn(node: SourceNode | undefined): readonly SourceNode[] {
  return node?.kind === "list" ? node.items : [];
}

/** Returns the entries of a map by their keys; none for any other node. */
export function entriesIn(node: SourceNode | undefined): readonly (readonly [string, MapEntry])[] {
  return node?.kind === "map" ? [...node.entries] : [];
}

/** Returns the node at a path of keys and indexes, or the deepest existing node on the path. */
export function nodeAt(root: SourceNode, path: readonly string[]): SourceNode {
  let node = root;
  for (const key of path) {
    const next = node.kind === "list" ? node.items[Number(key)] : child(node, key);
    if (next === undefined) return node;
    node = next;
  }
  return node;
}

/** Returns a string scalar's text. */
export function textOf(node: SourceNode | undefined): string | undefined {
  return node?.kind === "scalar" && typeof node.value === "string" ? node.value : undefined;
}

/** Returns the range that marks a value. A map is marked only at its beginning, because a missing field is not the fault of the whole map. */
export function startOf(node: SourceNode): Range {
  return node.kind === "scalar" ? node.range : { start: node.range.start, end: node.range.start + 1 };
}
