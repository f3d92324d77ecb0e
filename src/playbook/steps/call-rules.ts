import type { Operation } from "../../operations/operation.ts";
import type { Finding } from "../../source/diagnostic.ts";
import type { MapNode } from "../../source/node.ts";
import type { CheckContext } from "../check-context.ts";
import { type Keyword, misplacedIn, type Table } from "../keywords/keyword.ts";
import { STEP_KINDS } from "../keywords/step.ts";
import type { Surroundings } from "../expressions/expression-scope.ts";

// The fields that may be used together, beyond the rules of the frame.

/** Reports keywords that are beside one that excludes them, or without one that they need. */
export function checkPlaces(node: MapNode, table: Table, context: CheckContext, calls?: "reads" | "writes"): void {
  for (const { name, message, suggestion } of misplacedIn(node, table, calls))
    context.report({ code: "playbook.not-here", message, suggestion }, node.entries.get(name)?.key ?? node.range);
}

/** Reports what has no place in a call of this operation. */
export function checkCallRules(node: MapNode, operation: Operation, { context, readOnly }: Surroundings): void {
  const { writes, name } = operation;
  const { entries } = node;
  if (writes && readOnly) {
    const message = `${name} writes, and this playbook is mode: read-only`;
    context.report({ code: "playbook.read-only", message }, entries.get("uses")?.value.range ?? node.range);
  }
  checkPlaces(node, STEP_KINDS.call, context, writes ? "writes" : "reads");
  for (const [field, { key }] of entries) {
    const finding = notFor(field, STEP_KINDS.call[field], operation);
    if (finding !== undefined) context.report(finding, key);
  }
}

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

/** Reports the keywords that a block, or an included playbook, does not have. */
export function checkFields(node: MapNode, kind: "block" | "include", context: CheckContext): void {
  const what = kind === "block" ? "a block of steps" : "a step that runs another playbook";
  for (const [field, { key }] of node.entries) {
    if (Object.hasOwn(STEP_KINDS[kind], field)) continue;
    const suggestion = kind === "block" ? "it belongs to a step in the block" : "it belongs into that playbook";
    context.report({ code: "playbook.not-here", message: `${what} has no "${field}"`, suggestion }, key);
  }
}
