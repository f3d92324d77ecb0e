import {
  Document,
  isMap,
  isNode,
  isScalar,
  type Node,
  Pair,
  parseDocument,
  Scalar,
  type ScalarTag,
  stringify,
  visit,
  YAMLMap,
  YAMLSeq,
} from "yaml";
import { Decimal } from "../base/numbers/decimal.ts";
import { Failure } from "../base/failure.ts";
import { harmless, harmlessJson } from "../base/text/harmless.ts";

export { type Node, YAMLMap };

// YAML that people read and edit later is written with the library's document model, which keeps their comments in place (decision 14).

const LINE = { lineWidth: 120, flowCollectionPadding: true } as const;
const WHOLE_LINES = { ...LINE, lineWidth: 0 } as const;
// Quotes texts that readers of YAML 1.1 would misread: dates, yes, 0777.
const QUOTED = { compat: "yaml-1.1" } as const;
// Writes a number with its original digits.
const EXACT: ScalarTag = {
  tag: "tag:yaml.org,2002:float",
  default: true,
  test: /^(?!)/,
  identify: (value) => value instanceof Decimal,
  resolve: (text) => text,
  stringify: ({ value }) => (value as Decimal).text,
};
// Writes a text that a terminal or a log reader might execute with escapes, which mean the same text.
const ESCAPED: ScalarTag = {
  tag: "tag:yaml.org,2002:str",
  default: true,
  test: /^(?!)/,
  identify: (value) => typeof value === "string" && harmless(value) !== value,
  resolve: (text) => text,
  stringify: ({ value }) => harmlessJson(JSON.stringify(value)),
};
const TAGS = { customTags: [EXACT, ESCAPED], aliasDuplicateObjects: false };

/** A field of a map to write. */
export interface WrittenField {
  /** The key, which is written as a text. */
  readonly key: string;
  readonly value: Node;
  /** A comment on its own lines above the field. */
  readonly above?: string;
  /** Whether an empty line comes before the field. */
  readonly apart?: boolean;
}

/** Writes a value as YAML, for examples that people copy. */
export function writeYaml(value: unknown): string {
  return stringify(asNode(value), { ...LINE, ...QUOTED, ...TAGS });
}

/** Returns a value as a node. Expressions are quoted. */
export function asNode(value: unknown): Node {
  const node = new Document(value, TAGS).contents ?? new Scalar(null);
  visit(node, {
    Scalar: (_, scalar) => {
      if (typeof scalar.value === "string" && scalar.value.startsWith("${{")) scalar.type = Scalar.QUOTE_DOUBLE;
    },
  });
  return node;
}

/** Returns a value as a node on one line. `beside` is a comment at its end. */
export function onOneLine(value: unknown, beside?: string): Node {
  const node = asNode(value);
  if (!isScalar(node)) (node as YAMLMap | YAMLSeq).flow = true;
  if (beside !== undefined) node.comment = beside;
  return node;
}

/** Returns a map with these fields, in this order. */
export function mapOf(fields: readonly WrittenField[]): YAMLMap {
  const map = new YAMLMap();
  for (const { key, value, above, apart = false } of fields) {
    const name = new Scalar(key);
    name.spaceBefore = apart;
    if (above !== undefined) name.commentBefore = above;
    map.add(new Pair(name, value));
  }
  return map;
}

/** Returns a list of maps, with an empty line between them. */
export function listOf(maps: readonly YAMLMap[]): YAMLSeq {
  const list = new YAMLSeq();
  maps.forEach((map, at) => {
    map.spaceBefore = at > 0;
    list.add(map);
  });
  return list;
}

/** Writes a map as a YAML document. */
export function writeDocument(fields: readonly WrittenField[]): string {
  const document = new Document(undefined, { ...QUOTED, ...TAGS });
  document.contents = mapOf(fields);
  return document.toString(WHOLE_LINES);
}

/** A value to put into a map. */
export interface YamlEdit {
  /** The keys from the map to the place. */
  readonly path: readonly string[];
  /** The new value, which is written on one line. */
  readonly value: unknown;
}

/**
 * Returns a document with changed values in one map, which is created if it is missing. The lines outside the map, comments and order are kept. Throws a
 * Failure if the document cannot be edited.
 */
export function editYaml(text: string, at: readonly [...string[], string], edits: readonly YamlEdit[]): string {
  const document = parseDocument(text, { version: "1.2" });
  const [key = "", ...outer] = at.toReversed();
  const parent = document.getIn(outer.toReversed());
  if (document.errors.length > 0 || !isMap(parent))
    throw new Failure({
      code: "yaml.not-editable",
      message: `the file cannot be edited: it has no map ${outer.toReversed().join(".")}`,
    });
  for (const { path, value } of edits) document.setIn([...at, ...path], onOneLine(value));
  const [first] = parent.items;
  const edited = parent.items.find((each) => isScalar(each.key) && each.key.value === key);
  const start = isScalar(first?.key) ? first.key.range?.[0] : undefined;
  // A map on one line is rewritten as a whole.
  if (parent.flow === true || start === undefined || edited === undefined) return document.toString(WHOLE_LINES);
  const indent = " ".repeat(start - (text.lastIndexOf("\n", start - 1) + 1));
  const written = new Document(undefined, QUOTED);
  written.contents = Object.assign(new YAMLMap(), { items: [edited] });
  const lines = written.toString(WHOLE_LINES).trimEnd().split("\n");
  const block = lines.map((line) => (line === "" ? "" : `${indent}${line}`)).join("\n");
  const [from, to] = placeOf(text, parent, edited);
  const before = text.slice(0, from);
  return `${before}${before.endsWith("\n") || before === "" ? "" : "\n"}${block}\n${text.slice(to)}`;
}

// Returns the range from the line of the key to the end of the value. A new key goes after all others.
function placeOf(text: string, parent: YAMLMap, edited: Pair): readonly [number, number] {
  const keyAt = isScalar(edited.key) ? edited.key.range?.[0] : undefined;
  if (keyAt !== undefined) return [text.lastIndexOf("\n", keyAt - 1) + 1, endOf(edited.value) ?? keyAt];
  const ends = parent.items.flatMap(({ value }) => endOf(value) ?? []);
  const end = Math.max(...ends);
  return [end, end];
}

function endOf(value: unknown): number | undefined {
  return isNode(value) ? value.range?.[2] : undefined;
}
