import type { Code } from "../base/catalogue/catalogue.ts";
import type { Operation } from "../operations/operation.ts";
import type { MapNode, Range } from "../source/node.ts";
import type { CheckContext } from "./context.ts";
import type { Surroundings } from "./spot.ts";

// What may stand together in a step, beyond what the frame says.

/** Reports what has no place in a call of this operation. */
export function checkCallRules(node: MapNode, operation: Operation, { context, readOnly }: Surroundings): void {
  const { writes, name, call, meaning } = operation;
  const has = (field: string): boolean => node.entries.has(field);
  const report = (code: Code, field: string, message: string, suggestion?: string): void => {
    context.report({ code, message, suggestion }, keyOf(node, field));
  };
  const refuse = report.bind(undefined, "playbook.not-here");
  if (writes && readOnly) report("playbook.read-only", "uses", `${name} writes, and this playbook is mode: read-only`);
  for (const field of ["until", "retry"]) {
    if (!writes || !has(field)) continue;
    const suggestion = field === "until" ? "read back with a step of its own, and repeat that" : RETRIED;
    report("playbook.write-repeated", field, `${name} is a write (${meaning.effect}); only a read is repeated`, suggestion);
  }
  for (const field of ["ensure", "discover"]) {
    if (!writes && has(field)) refuse(field, `${name} only reads: there is nothing to ${field}`);
    if (has("fails") && has(field)) refuse(field, `a step that fails changes nothing, so there is nothing to ${field}`);
  }
  if (has("timeout") && !has("until")) refuse("timeout", TIMEOUT, "for a receipt write wait: { timeout: … }");
  if (has("on_timeout") && !has("until")) refuse("on_timeout", "on_timeout belongs to until");
  if (has("pages") && call.paging === undefined) refuse("pages", `${name} is not a paged list`);
  if (has("fails") && has("expect")) refuse("expect", "a step that fails has no response to expect anything of");
  if (has("fails") && has("until")) refuse("until", "a step that fails has no response to wait for");
  if (has("wait") && !writes && !has("until")) refuse("wait", "a read waits only for its until");
}

const RETRIED = "what surely had no effect is sent again by itself";
const TIMEOUT = "timeout says how long to repeat for `until`, and there is no until";

const EVERYWHERE = ["id", "name", "if", "foreach"];
const OF_BLOCK = new Set([...EVERYWHERE, "block", "rescue", "always", "retry"]);
const OF_INCLUDE = new Set([...EVERYWHERE, "uses", "with"]);

/** Reports the fields that a block, or an included playbook, does not have. */
export function checkFields(node: MapNode, kind: "block" | "include", context: CheckContext): void {
  const [fields, what] = kind === "block" ? [OF_BLOCK, "a block of steps"] : [OF_INCLUDE, "a step that runs another playbook"];
  for (const [field, { key }] of node.entries) {
    if (fields.has(field)) continue;
    const suggestion = kind === "block" ? "it belongs to a step in the block" : "it belongs into that playbook";
    context.report({ code: "playbook.not-here", message: `${what} has no "${field}"`, suggestion }, key);
  }
}

function keyOf(node: MapNode, field: string): Range {
  const entry = node.entries.get(field);
  return field === "uses" ? (entry?.value.range ?? node.range) : (entry?.key ?? node.range);
}
