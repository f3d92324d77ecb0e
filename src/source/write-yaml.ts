import { Document, isMap, isScalar, type Node, Pair, parseDocument, Scalar, stringify, visit, YAMLMap, YAMLSeq } from "yaml";

import { Failure } from "../base/failure.ts";

// YAML that people read and edit later is written through the library's document model, which keeps their comments in place (decision
// 14).

const LINE = { lineWidth: 120, flowCollectionPadding: true } as const;
// Quotes the texts that readers of YAML 1.1 misread: dates, yes, 0777.
const QUOTED = { compat: "yaml-1.1" } as const;

/** A field of a map that is written. */
export interface WrittenField {
  readonly key: string;
  readonly value: Node;
  /** A comment on lines of its own above the field. */
  readonly above?: string;
  /** Whether an empty line comes before the field. */
  readonly apart?: boolean;
}

/** Writes a value as YAML, for examples that people copy. */
export function writeYaml(value: unknown): string {
  return stringify(asNode(value), { ...LINE, ...QUOTED });
}

/** Makes a node of a value; an expression is quoted. */
export function asNode(value: unknown): Node {
  const node = new Document(value).contents ?? new Scalar(null);
  visit(node, {
    Scalar: (_, scalar) => {
      if (typeof scalar.value === "string" && scalar.value.startsWith("${{")) scalar.type = Scalar.QUOTE_DOUBLE;
    },
  });
  return node;
}

/** Makes a node of a value, written on one line; `beside` is a comment at its end. */
export function onOneLine(value: unknown, beside?: string): Node {
  const node = asNode(value);
  if (!isScalar(node)) (node as YAMLMap | YAMLSeq).flow = true;
  if (beside !== undefined) node.comment = beside;
  return node;
}

/** Makes a map of fields, in their order. */
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

/** Makes a list of maps with an empty line between them. */
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
  const document = new Document(undefined, QUOTED);
  document.contents = mapOf(fields);
  return document.toString({ ...LINE, lineWidth: 0 });
}

/** A value that is put into a document. */
export interface YamlEdit {
  readonly path: readonly string[];
  readonly value: unknown;
}

/** Returns a document with other values in some places. Comments, order and what is not named stay. Throws a Failure when it is no map. */
export function editYaml(text: string, edits: readonly YamlEdit[]): string {
  const document = parseDocument(text, { keepSourceTokens: true });
  if (document.errors.length > 0 || !isMap(document.contents))
    throw new Failure({ code: "yaml.not-editable", message: "the file cannot be edited: it holds no map of names to values" });
  for (const { path, value } of edits) document.setIn(path, onOneLine(value));
  return document.toString({ ...LINE, lineWidth: 0 });
}
