import { getOrInsert } from "../../base/maps.ts";
import type { ASTNode } from "../cel.ts";
import type { BareScope } from "../expression.ts";
import { childrenOf, isAccess, type Visit, visitOf } from "../syntax.ts";
import { isLiteral, mentions, type DissectedExpression } from "./source.ts";

/** A condition on each item of a list: `list.all(name, condition)`, or the same with `exists`, `exists_one` or `filter`. */
export interface Comprehension extends Visit {
  /** The part that is evaluated for each item. */
  readonly condition: ASTNode;
}

/** Reads a part as a condition on each item; returns `undefined` for any other part, and for `map`, whose value shows everything. */
export function comprehensionAt(node: ASTNode): Comprehension | undefined {
  const visit = visitOf(node);
  const [condition] = visit?.bodies ?? [];
  return visit === undefined || visit.kind === "map" || condition === undefined ? undefined : { ...visit, condition };
}

/** An item, and the value of the condition for it. */
export interface JudgedItem {
  /** The text of its index: `[3]`. */
  readonly at: string;
  /** Its index in the list, from 0 on. */
  readonly index: number;
  /** The names around the comprehension, and the name of the item. */
  readonly scope: BareScope;
  /** Whether the condition is true; false if it has no value. */
  readonly holds: boolean;
}

const known = new WeakMap<BareScope, Map<ASTNode, readonly JudgedItem[] | undefined>>();

/** Evaluates the condition for each item again; returns `undefined` if the list has no value, or there is not enough time for all items. */
export function judge(
  source: DissectedExpression,
  comprehension: Comprehension,
  scope: BareScope,
): readonly JudgedItem[] | undefined {
  const here = getOrInsert(known, scope, () => new Map());
  if (!here.has(comprehension.condition)) here.set(comprehension.condition, judged(source, comprehension, scope));
  return here.get(comprehension.condition);
}

function judged(
  source: DissectedExpression,
  { list, name, condition }: Comprehension,
  scope: BareScope,
): readonly JudgedItem[] | undefined {
  const outcome = source.evaluate(list, scope);
  if (!("value" in outcome) || !Array.isArray(outcome.value)) return undefined;
  const items: JudgedItem[] = [];
  for (const [index, item] of outcome.value.entries()) {
    if (source.isSpent) return undefined;
    const inner = { ...scope, [name]: item as unknown };
    const held = source.evaluate(condition, inner);
    items.push({ at: `[${index}]`, index, scope: inner, holds: "value" in held && held.value === true });
  }
  return items;
}

/** Returns the parts of a condition that are the same for every item. */
export function constantsOf({ condition, name }: Comprehension): readonly ASTNode[] {
  const found: ASTNode[] = [];
  const collect = (node: ASTNode, bound: readonly string[]): void => {
    if (isLiteral(node)) return;
    if ((isAccess(node) || node.op === "id") && !bound.some((each) => mentions(node, each))) {
      found.push(node);
      return;
    }
    const visit = visitOf(node);
    if (visit === undefined) return childrenOf(node).forEach((child) => collect(child, bound));
    collect(visit.list, bound);
    for (const body of visit.bodies) collect(body, [...bound, visit.name]);
  };
  collect(condition, [name]);
  return found;
}
