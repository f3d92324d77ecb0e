import { parseDuration } from "../../base/time/duration.ts";
import type { Operation } from "../../operations/operation.ts";
import type { Finding } from "../../source/diagnostic.ts";
import { child, type MapEntry, type MapNode, type Range, textOf } from "../../source/node.ts";
import type { CheckContext } from "../check-context.ts";
import { type Keyword, misplacedIn, type Table } from "../keywords/keyword.ts";
import { STEP_KINDS } from "../keywords/step.ts";
import type { Surroundings } from "../expressions/expression-scope.ts";

// Rules about fields that may be used together, in addition to those of the frame.

/** Reports keywords that another keyword excludes, or that lack a keyword which they need. */
export function checkPlaces(node: MapNode, table: Table, context: CheckContext, calls?: "reads" | "writes"): void {
  for (const { name, message, suggestion } of misplacedIn(node, table, calls))
    context.report({ code: "playbook.not-here", message, suggestion }, node.entries.get(name)?.key ?? node.range);
}

/** Returns the finding for a write in a read-only playbook; `why` says how the write is reached. */
export function mustNotWrite(operation: string, why?: string): Finding {
  return {
    code: "playbook.read-only",
    message: `${operation} writes, and this playbook is mode: read-only`,
    why,
    suggestion: "remove the step, or write mode: read-write at the head of the playbook",
  };
}

/** Reports keywords that a call of this operation must not have. */
export function checkCallRules(node: MapNode, operation: Operation, { context, readOnly }: Surroundings): void {
  const { writes, name } = operation;
  const { entries } = node;
  if (writes && readOnly) {
    context.report(mustNotWrite(name), entries.get("uses")?.value.range ?? node.range);
  }
  checkPlaces(node, STEP_KINDS.call, context, writes ? "writes" : "reads");
  for (const [field, { key }] of entries) {
    const finding = notFor(field, STEP_KINDS.call[field], operation);
    if (finding !== undefined) context.report(finding, key);
  }
  const wait = entries.get("wait");
  for (const { range, ...finding } of wait === undefined ? [] : uselessIn(wait, node, operation))
    context.report({ code: "playbook.not-here", ...finding }, range);
}

// Yields the parts of a `wait` that have no effect.
function* uselessIn({ key, value }: MapEntry, node: MapNode, { writes, service }: Operation): Generator<Useless> {
  if (writes && service.receipts === undefined) {
    const message = `${service.title} gives no receipts: of a wait, only the timeout counts, for the search after a lost answer`;
    const unused =
      value.kind === "map" ? [...value.entries].filter(([field]) => field !== "timeout") : [["wait", { key }] as const];
    for (const [field, { key: range }] of unused) yield { message, suggestion: `delete ${field}`, range };
  }
  const [every, max] = ["every", "max"].map((field) => parseDuration(textOf(child(value, field)) ?? ""));
  if (every !== undefined && max !== undefined && every > max)
    yield {
      message: "the first pause is longer than the longest, max",
      suggestion: "make every shorter, or max longer",
      range: key,
    };
  if (writes || !node.entries.has("until")) return;
  if (textOf(value) === "none")
    yield {
      message: "`until` is read again after a wait, and `none` would leave it unread",
      suggestion: "delete wait, or until",
      range: key,
    };
  const inner = value.kind === "map" ? value.entries.get("timeout") : undefined;
  if (inner !== undefined && node.entries.has("timeout"))
    yield {
      message: "the timeout of the step counts, so this one never does",
      suggestion: "delete one of them",
      range: inner.key,
    };
}

type Useless = Required<Pick<Finding, "message" | "suggestion">> & { readonly range: Range };

function notFor(field: string, keyword: Keyword | undefined, { name, writes, call, meaning }: Operation): Finding | undefined {
  switch (keyword?.only) {
    case "reads": {
      const message = `${name} is a write (${meaning.effect}); only a read is repeated`;
      return writes ? { code: "playbook.write-repeated", message, suggestion: keyword.instead } : undefined;
    }
    case "writes": {
      const message = `${name} only reads: there is nothing to ${field}`;
      return writes ? undefined : { code: "playbook.not-here", message };
    }
    case "paged lists":
      return call.paging === undefined ? { code: "playbook.not-here", message: `${name} is not a paged list` } : undefined;
    case undefined:
      return undefined;
  }
}

/** Reports the keywords that a block or an included playbook must not have. */
export function checkFields(node: MapNode, kind: "block" | "include", context: CheckContext): void {
  const what = kind === "block" ? "a block of steps" : "a step that runs another playbook";
  for (const [field, { key }] of node.entries) {
    if (Object.hasOwn(STEP_KINDS[kind], field)) continue;
    const suggestion = kind === "block" ? "it belongs to a step in the block" : "it belongs into that playbook";
    context.report({ code: "playbook.not-here", message: `${what} has no "${field}"`, suggestion }, key);
  }
}
