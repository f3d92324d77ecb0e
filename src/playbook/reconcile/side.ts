import type { Expression } from "../../expression/expression.ts";
import { itemType, type TypeName } from "../../expression/types.ts";
import type { Operation } from "../../operations/operation.ts";
import { child, type MapNode, type SourceNode, startOf } from "../../source/node.ts";
import { readBare, readCondition } from "../expressions/bare-expression.ts";
import { type Beside, readSideRead } from "../steps/side-reads.ts";
import type { CheckContext, Checked, ExpressionScope } from "../check-context.ts";
import { SIDE, type SideFields } from "../keywords/comparison.ts";
import { allRead, fieldsOf } from "../keywords/keyword.ts";
import { insideLoop, readForeach, refuseRoundsInPart } from "../steps/foreach.ts";
import { checkRowKeys } from "../steps/foreach-keys.ts";
import type { Side } from "../model.ts";
import { withoutSecrets } from "../settings/secrets-and-variables.ts";
import { checkPlaces } from "../steps/call-rules.ts";
import { type GivenRows, readOutsideRows } from "./outside-rows.ts";
import { scopeAt, type Spot, type Surroundings } from "../expressions/expression-scope.ts";
import { listInPart } from "../types/lists-in-part.ts";
import { kindOfType, responseType } from "../types/value-types.ts";

/** The rows of a side, and the names that their expressions may use. */
interface RowsOfSide {
  readonly source: Side["source"];
  readonly scope: ExpressionScope;
  /** The names that differ from row to row. */
  readonly varying: ReadonlySet<string>;
  readonly called: string;
}

/** Reads one side of a comparison: `read` or `rows`, and the compared value of each row. */
export function readSide(node: MapNode, otherwise: "left" | "right", spot: Spot, around: Surroundings): Side | undefined {
  const {
    name,
    rows: given,
    where,
    key: keyNode,
    value: valueNode,
    combine,
    once: onceNode,
    at: atNode,
    ...reads
  } = fieldsOf(node, SIDE);
  const { context } = around;
  checkPlaces(node, SIDE, context);
  const rows = given === undefined ? readReads(node, reads, spot, around) : readGiven(given, otherwise, spot, around);
  if (rows === undefined) return undefined;
  const chosen = readCondition(where, context, rows.scope);
  const scope = { ...rows.scope, under: [...(rows.scope.under ?? []), ...(chosen?.assumptions() ?? [])] };
  const key = readKey(keyNode, scope, around);
  const value = typed(readBare(valueNode, context, scope), "number", valueNode, around);
  const once = typed(readBare(onceNode, context, scope), "once", onceNode, around);
  const at = typed(readBare(atNode, context, scope), "string", atNode, around);
  const side: Side = {
    name: name ?? rows.called,
    source: rows.source,
    where: chosen,
    key: new Map(Array.from(key, ([part, { expression }]) => [part, expression] as const)),
    fixed: new Set(Array.from(key).flatMap(([part, { expression }]) => (readsAny(expression, rows.varying) ? [] : [part]))),
    value: value?.expression,
    sums: combine === "sum",
    once: once?.expression,
    at: at?.expression,
  };
  checkRowKeys(side, (given ?? node).range, context);
  warnOfNoRow({ once: once?.expression, onceNode }, rows.varying, context);
  return side;
}

function readsAny({ references }: Expression, names: ReadonlySet<string>): boolean {
  return references.some(({ root }) => names.has(root));
}

// A `where` without the row is a switch for the whole side. Such a `once` would call several records the same.
function warnOfNoRow(
  { once, onceNode }: { readonly once: Expression | undefined; readonly onceNode: SourceNode | undefined },
  varying: ReadonlySet<string>,
  context: CheckContext,
): void {
  if (once === undefined || onceNode === undefined || readsAny(once, varying)) return;
  const message = "`once` does not read the row, so all rows with the same key and value count as one record";
  context.report(
    { code: "playbook.once-without-row", message, suggestion: "write what identifies the record, such as row.id" },
    onceNode.range,
  );
}

function readGiven(node: SourceNode, name: string, spot: Spot, around: Surroundings): RowsOfSide | undefined {
  const rows = node.kind === "map" ? readOutsideRows(node, spot, around) : readList(node, spot, around);
  if (rows === undefined) return undefined;
  return {
    source: rows.source,
    scope: withoutSecrets(scopeAt(around, rows.spot, undefined, { row: rows.item })),
    varying: new Set(["row"]),
    called: name,
  };
}

function readList(node: SourceNode, spot: Spot, around: Surroundings): GivenRows | undefined {
  const rows = listOf(node, withoutSecrets(scopeAt(around, spot)), around);
  if (rows === undefined) return undefined;
  const cut = around.lists.cutIn([rows.expression]);
  if (cut !== undefined) around.context.report(listInPart(cut), node.range);
  return { source: { kind: "list", rows: rows.expression }, item: rows.item, spot };
}

type ReadsFields = Pick<SideFields, "foreach" | "read" | "with" | "as" | "each">;

function readReads(node: MapNode, fields: ReadsFields, spot: Spot, around: Surroundings): RowsOfSide | undefined {
  const { foreach: loop, each: list, read: reads, with: input, as, ...rest } = fields;
  allRead(rest);
  if (reads === undefined) {
    const message = 'a side has rows that are read, or given: "read" or "rows" is missing';
    return around.context.report({ code: "playbook.reconcile-sides", message }, startOf(node));
  }
  const rounds = readForeach(loop, around, scopeAt(around, spot));
  refuseRoundsInPart(loop, rounds, around);
  const inside = insideLoop(spot, rounds);
  const beside: Beside = { spot: inside, around, as: undefined };
  const read = readSideRead({ read: reads, with: input, as }, beside);
  if (read === undefined) return undefined;
  const response = responseType(read.operation);
  const each = list === undefined ? undefined : listOf(list, scopeAt(around, inside, undefined, { response }), around);
  if (list !== undefined && each === undefined) return undefined;
  const row = each?.item ?? rowType(read.operation, inside, response);
  return {
    source: { kind: "read", foreach: rounds.foreach, read, each: each?.expression },
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
  const item = checked.type === "dyn" ? "dyn" : itemType(checked.type);
  if (item !== undefined) return { expression: checked.expression, item: OPEN_TYPE.test(item) ? "dyn" : item };
  const message = `rows are a list, and this is ${checked.type}`;
  return context.report(
    { code: "expression.wrong-type", message, suggestion: "name the list itself, such as response.tokens" },
    node.range,
  );
}

// If the response is a list, its items are the rows. If it has pages, the items of each page are. Otherwise the response is the only row.
function rowType({ call }: Operation, { types }: Spot, response: TypeName): TypeName {
  const item = itemType(response);
  if (item !== undefined) return item;
  if (call.paging === undefined) return response;
  const field = types.fieldsOf(response).find(({ name }) => name === call.paging?.items)?.type ?? "dyn";
  return itemType(field) ?? "dyn";
}

// The items of an empty list may have any type.
const OPEN_TYPE = /^[A-Z]$/;

const ONLY_PART = "key";

/** Returns the names of the parts of a key. A key that is one expression has one part, named "key". */
export function partsOf(node: SourceNode | undefined): readonly string[] {
  return node?.kind === "map" ? [...node.entries.keys()] : [ONLY_PART];
}

function readKey(node: SourceNode | undefined, scope: ExpressionScope, around: Surroundings): ReadonlyMap<string, Checked> {
  const parts = partsOf(node).map((part) => [part, node?.kind === "map" ? child(node, part) : node] as const);
  return new Map(
    parts.flatMap(([part, value]) => {
      const checked = typed(readBare(value, around.context, scope), "key", value, around);
      return checked === undefined ? [] : [[part, checked] as const];
    }),
  );
}

const BELONGS = {
  once: { kinds: new Set(["string", "number", "boolean"]), words: "what identifies a record is a text, a number or a boolean" },
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
