import type { TypeName } from "../expression/types.ts";
import type { Operation } from "../operations/operation.ts";
import { child, type MapNode, type SourceNode, textOf } from "../source/node.ts";
import { readBare, readCondition } from "./bare.ts";
import { type Beside, readSideRead } from "./beside.ts";
import type { Checked, ExpressionScope } from "./context.ts";
import { readForeach } from "./loop.ts";
import { checkRowKeys } from "./loop-keys.ts";
import type { Side } from "./model.ts";
import { withoutSecrets } from "./outside.ts";
import { scopeAt, type Spot, type Surroundings } from "./spot.ts";
import { kindOfType, responseType } from "./types.ts";

/** The rows of a side, and what their expressions may use. */
interface Rows {
  readonly source: Side["source"];
  readonly scope: ExpressionScope;
  /** The names that differ from row to row. */
  readonly varying: ReadonlySet<string>;
  readonly called: string;
}

/** Reads one side of a comparison: `read` or `rows`, and what of each row is compared. */
export function readSide(node: MapNode, name: "left" | "right", spot: Spot, around: Surroundings): Side | undefined {
  const rows = node.entries.has("rows") ? readList(node, name, spot, around) : readReads(node, spot, around);
  if (rows === undefined) return undefined;
  const { context } = around;
  const { scope } = rows;
  const key = readKey(child(node, "key"), rows, around);
  const valueNode = child(node, "value");
  const value = typed(readBare(valueNode, context, scope), "number", valueNode, around);
  const at = typed(readBare(child(node, "at"), context, scope), "string", child(node, "at"), around);
  const side: Side = {
    name: textOf(child(node, "name")) ?? rows.called,
    source: rows.source,
    where: readCondition(child(node, "where"), context, scope),
    key: new Map(Array.from(key, ([part, { expression }]) => [part, expression] as const)),
    fixed: new Set(
      Array.from(key).flatMap(([part, { expression }]) =>
        expression.references.some(({ root }) => rows.varying.has(root)) ? [] : [part],
      ),
    ),
    value: value?.expression,
    sums: textOf(child(node, "combine")) === "sum",
    at: at?.expression,
  };
  checkRowKeys(side, (child(node, "rows") ?? node).range, context);
  return side;
}

const OF_READS = ["read", "with", "as", "foreach", "each"];

function readList(node: MapNode, name: string, spot: Spot, around: Surroundings): Rows | undefined {
  const { context } = around;
  for (const field of OF_READS) {
    const entry = node.entries.get(field);
    const message = `"${field}" belongs to a side that reads; the rows of this one are given`;
    if (entry !== undefined) context.report({ code: "playbook.not-here", message }, entry.key);
  }
  const scope = withoutSecrets(scopeAt(around, spot));
  const rows = listOf(child(node, "rows"), scope, around);
  if (rows === undefined) return undefined;
  const source = { kind: "list", rows: rows.expression } as const;
  return {
    source,
    scope: withoutSecrets(scopeAt(around, spot, undefined, { row: rows.item })),
    varying: new Set(["row"]),
    called: name,
  };
}

function readReads(node: MapNode, spot: Spot, around: Surroundings): Rows | undefined {
  const { context } = around;
  if (!node.entries.has("read")) {
    const message = 'a side has rows that are read, or given: "read" or "rows" is missing';
    return context.report({ code: "playbook.reconcile-sides", message }, { start: node.range.start, end: node.range.start + 1 });
  }
  const { foreach, item } = readForeach(child(node, "foreach"), around, scopeAt(around, spot));
  const inside =
    foreach === undefined ? spot : { ...spot, variables: { ...spot.variables, ...item }, types: spot.types.with(item) };
  const beside: Beside = { spot: inside, around, as: undefined };
  const read = readSideRead(node, beside);
  if (read === undefined) return undefined;
  const response = responseType(read.operation);
  const each = node.entries.has("each")
    ? listOf(child(node, "each"), scopeAt(around, inside, undefined, { response }), around)
    : undefined;
  if (node.entries.has("each") && each === undefined) return undefined;
  const row = each?.item ?? rowType(read.operation, inside, response);
  return {
    source: { kind: "read", foreach, read, each: each?.expression },
    scope: withoutSecrets(scopeAt(around, inside, undefined, { response, row })),
    varying: new Set(["row", "response"]),
    called: read.operation.name,
  };
}

function listOf(
  node: SourceNode | undefined,
  scope: ExpressionScope,
  { context }: Surroundings,
): { readonly expression: Checked["expression"]; readonly item: TypeName } | undefined {
  const checked = readBare(node, context, scope);
  if (checked === undefined || node === undefined) return undefined;
  const item = checked.type === "dyn" ? "dyn" : /^list<(.*)>$/.exec(checked.type)?.[1];
  if (item !== undefined) return { expression: checked.expression, item: OPEN_TYPE.test(item) ? "dyn" : item };
  const message = `rows are a list, and this is ${checked.type}`;
  return context.report(
    { code: "expression.wrong-type", message, suggestion: "name the list itself, such as response.tokens" },
    node.range,
  );
}

// Of a list its items; of pages the items of theirs; of anything else, the response is the only row.
function rowType({ call }: Operation, { types }: Spot, response: TypeName): TypeName {
  const item = /^list<(.*)>$/.exec(response)?.[1];
  if (item !== undefined) return item;
  if (call.paging === undefined) return response;
  const field = types.fieldsOf(response).find(({ name }) => name === call.paging?.items)?.type ?? "dyn";
  return /^list<(.*)>$/.exec(field)?.[1] ?? "dyn";
}

// The items of an empty list are of any type.
const OPEN_TYPE = /^[A-Z]$/;

const ONLY_PART = "key";

/** The names of the parts of a key; a key that is one expression has one, "key". */
export function partsOf(node: SourceNode | undefined): readonly string[] {
  return node?.kind === "map" ? [...node.entries.keys()] : [ONLY_PART];
}

function readKey(node: SourceNode | undefined, { scope }: Rows, around: Surroundings): ReadonlyMap<string, Checked> {
  const parts = partsOf(node).map((part) => [part, node?.kind === "map" ? child(node, part) : node] as const);
  return new Map(
    parts.flatMap(([part, value]) => {
      const checked = typed(readBare(value, around.context, scope), "key", value, around);
      return checked === undefined ? [] : [[part, checked] as const];
    }),
  );
}

const BELONGS = {
  key: { kinds: new Set(["string", "number", "boolean"]), words: "a part of a key is a text, a number or a boolean" },
  number: { kinds: new Set(["number"]), words: "what is compared is a number" },
  string: { kinds: new Set(["string"]), words: "a time is a text such as 2026-01-31T12:00:00Z" },
} as const;

function typed(
  checked: Checked | undefined,
  wanted: keyof typeof BELONGS,
  node: SourceNode | undefined,
  { context }: Surroundings,
): Checked | undefined {
  const kind = checked === undefined ? undefined : kindOfType(checked.type);
  const { kinds, words } = BELONGS[wanted];
  if (kind === undefined || (kinds as ReadonlySet<string>).has(kind) || node === undefined) return checked;
  const suggestion = kind === "string" && wanted === "number" ? "write decimal(…) around it" : undefined;
  return context.report(
    { code: "expression.wrong-type", message: `${words}, and this is ${checked?.type}`, suggestion },
    node.range,
  );
}
