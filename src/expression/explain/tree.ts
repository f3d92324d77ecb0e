import { LIMITS } from "../../base/limits.ts";
import { present } from "../../base/present.ts";
import type { ASTNode } from "../cel.ts";
import type { BareScope } from "../expression.ts";
import { type AccessNode, type Binding, bindingIn, childrenOf, isAccess, nodesOf, referencesIn } from "../syntax.ts";
import { missingIn, partsOfPath } from "./access.ts";
import { comprehensionAt, type Comprehension, constantsOf, judge, type JudgedItem } from "./comprehension.ts";
import type { ItemOutcome, Items, TreeNode } from "./explanation.ts";
import { glimpse, jsonOf } from "./glimpse.ts";
import type { Path } from "./outline.ts";
import { isLiteral, mentions, type PartOutcome, type DissectedExpression } from "./source.ts";

/** The place of a part: the names that it may use, and the truth value that it should have; `undefined` if any value may matter. */
export interface PartPlace {
  /** The names that the part may use, with their values. */
  readonly scope: BareScope;
  /** The value that the part should have so that the expression holds. */
  readonly wanted?: boolean | undefined;
  /** How many levels of parts may be shown below it. */
  readonly depth: number;
  /** Inside a condition: the name of its item. Parts that do not use this name are shown beside the condition. */
  readonly item?: string;
}

/** Returns a part with its value, and the smaller parts that explain it; `undefined` if there is nothing to show. */
export function treeOf(source: DissectedExpression, node: ASTNode, place: PartPlace): TreeNode | undefined {
  const outcome = source.evaluate(node, place.scope);
  if (isLiteral(node) && "value" in outcome) return undefined;
  if (place.item !== undefined && !mentions(node, place.item)) return undefined;
  const expression = source.textOf(node);
  if (!source.allows(expression.length)) return undefined;
  if (place.depth <= 0 || ("value" in outcome && outcome.value === place.wanted))
    return { expression, ...outcomeOf(outcome, "") };
  const inner = { ...place, depth: place.depth - 1 };
  const parts = partsOf(source, node, inner);
  const items = itemsOf(source, node, inner);
  const isCause = !hasCause(parts) && !hasCause(items?.shown.map(({ condition }) => condition) ?? []);
  return {
    expression,
    ...(isCause || "value" in outcome ? outcomeOf(outcome, missingWhy(source, node, place) ?? "") : { state: "no value" }),
    ...(parts.length === 0 ? {} : { parts }),
    ...present({ items }),
  };
}

function hasCause(parts: readonly TreeNode[]): boolean {
  return parts.some(({ state }) => state === "no value");
}

function outcomeOf(outcome: PartOutcome, why: string): Partial<TreeNode> {
  if ("failure" in outcome) return { state: "no value", why: why === "" ? outcome.failure.message : why };
  const value = jsonOf(outcome.value);
  return value === undefined ? {} : glimpse(value);
}

function missingWhy(source: DissectedExpression, node: ASTNode, { scope }: PartPlace): string | undefined {
  const path = node.op === "call" && node.args[0] === "has" ? node.args[1][0] : node;
  return path !== undefined && isAccess(path) ? missingIn(source, path, scope)?.why : undefined;
}

/** Returns why the first part without a value has no value. */
export function causeOf(tree: TreeNode): string | undefined {
  if (tree.why !== undefined) return tree.why;
  for (const part of [...(tree.parts ?? []), ...(tree.items?.shown.map(({ condition }) => condition) ?? [])]) {
    const why = causeOf(part);
    if (why !== undefined) return why;
  }
  return undefined;
}

function partsOf(source: DissectedExpression, node: ASTNode, place: PartPlace): readonly TreeNode[] {
  if (node.op === "&&" || node.op === "||") return sidesOf(source, node, place);
  if (node.op === "!_") return branch(source, node.args, { ...place, wanted: negated(place.wanted) });
  if (node.op === "?:") return choiceOf(source, node.args, place);
  const free = { ...place, wanted: undefined };
  if (isAccess(node)) return pathParts(source, node, free);
  const comprehension = comprehensionAt(node);
  if (comprehension !== undefined) {
    return [comprehension.list, ...constantsOf(comprehension)].flatMap((part) => branch(source, part, free));
  }
  const binding = bindingIn(node);
  if (binding !== undefined) return boundParts(source, binding, place);
  if (node.op === "rcall" && node.args[0] === "map") return branch(source, node.args[1], free);
  if (node.op === "call" && node.args[0] === "has") return [];
  return childrenOf(node).flatMap((part) => branch(source, part, free));
}

function branch(source: DissectedExpression, node: ASTNode, place: PartPlace): readonly TreeNode[] {
  const tree = treeOf(source, node, place);
  return tree === undefined ? [] : [tree];
}

function negated(wanted: boolean | undefined): boolean | undefined {
  return wanted === undefined ? undefined : !wanted;
}

/** Returns the sides of `a && b && c` in the order of the text. */
export function sides(node: ASTNode, operator: "&&" | "||"): readonly ASTNode[] {
  return node.op === operator ? node.args.flatMap((side) => sides(side, operator)) : [node];
}

function sidesOf(source: DissectedExpression, node: ASTNode & { op: "&&" | "||" }, place: PartPlace): readonly TreeNode[] {
  const decided = node.op === "||";
  let isDecided = false;
  return sides(node, node.op).flatMap((side) => {
    if (isDecided) return unseen(source, side);
    const outcome = source.evaluate(side, place.scope);
    isDecided = "value" in outcome && outcome.value === decided;
    return branch(source, side, place);
  });
}

function unseen(source: DissectedExpression, node: ASTNode): readonly TreeNode[] {
  const expression = source.textOf(node);
  return source.allows(expression.length) ? [{ expression, state: "not evaluated" }] : [];
}

function choiceOf(
  source: DissectedExpression,
  [condition, yes, no]: readonly [ASTNode, ASTNode, ASTNode],
  place: PartPlace,
): readonly TreeNode[] {
  const outcome = source.evaluate(condition, place.scope);
  const first = branch(source, condition, { ...place, wanted: undefined });
  if (!("value" in outcome)) return first;
  const taken = outcome.value === true;
  return [
    ...first,
    ...(taken ? branch(source, yes, place) : unseen(source, yes)),
    ...(taken ? unseen(source, no) : branch(source, no, place)),
  ];
}

function boundParts(source: DissectedExpression, { name, value, body }: Binding, place: PartPlace): readonly TreeNode[] {
  const outcome = source.evaluate(value, place.scope);
  const first = branch(source, value, { ...place, wanted: undefined });
  if (!("value" in outcome)) return first;
  return [...first, ...branch(source, body, { ...place, scope: { ...place.scope, [name]: outcome.value } })];
}

// A path is shown as a whole, with its first part and the computed values in its brackets.
function pathParts(source: DissectedExpression, node: AccessNode, place: PartPlace): readonly TreeNode[] {
  const { base, indices } = partsOfPath(node);
  return [...(base.op === "id" ? [] : [base]), ...indices].flatMap((part) => branch(source, part, place));
}

function itemsOf(source: DissectedExpression, node: ASTNode, place: PartPlace): Items | undefined {
  const comprehension = comprehensionAt(node);
  const judged = comprehension === undefined ? undefined : judge(source, comprehension, place.scope);
  if (comprehension === undefined || judged === undefined) return undefined;
  const { says, decisive, wanted } = verdict(comprehension, judged);
  const shown = decisive.slice(0, LIMITS.explainedItems).flatMap(({ at, scope }): ItemOutcome[] => {
    const condition = treeOf(source, comprehension.condition, { ...place, scope, wanted, item: comprehension.name });
    return condition === undefined ? [] : [{ at, condition }];
  });
  return { says, shown, ...(decisive.length > shown.length ? { more: true } : {}) };
}

interface NodeVerdict {
  readonly says: string;
  /** The items that decided. */
  readonly decisive: readonly JudgedItem[];
  /** The value that the condition should have for them. */
  readonly wanted: boolean;
}

function verdict({ kind }: Comprehension, judged: readonly JudgedItem[]): NodeVerdict {
  const [holding, failing] = [judged.filter(({ holds }) => holds), judged.filter(({ holds }) => !holds)];
  const of = `of ${judged.length}`;
  if (judged.length === 0) return { says: "there is no item", decisive: [], wanted: true };
  if (kind === "all" || (kind === "filter" && failing.length > 0)) {
    if (failing.length === 0)
      return { says: judged.length === 1 ? "the only one holds" : `all ${of} hold`, decisive: [], wanted: true };
    return { says: `${failing.length} ${of} ${failing.length === 1 ? "fails" : "fail"}`, decisive: failing, wanted: true };
  }
  if (holding.length === 0)
    return { says: judged.length === 1 ? "the only one fails" : `none ${of} holds`, decisive: failing, wanted: true };
  return { says: `${holding.length} ${of} ${holding.length === 1 ? "holds" : "hold"}`, decisive: holding, wanted: false };
}

/** Returns the items of the answer that decided a comprehension over a path of the answer. */
export function touchedItems(source: DissectedExpression, { scope }: PartPlace): readonly Path[] {
  return nodesOf(source.tree).flatMap((node) => {
    const comprehension = comprehensionAt(node);
    const path = comprehension === undefined ? undefined : responsePath(comprehension.list);
    if (comprehension === undefined || path === undefined) return [];
    const judged = judge(source, comprehension, scope) ?? [];
    const read = referencesIn(comprehension.condition).filter(({ root }) => root === comprehension.name);
    return verdict(comprehension, judged)
      .decisive.slice(0, LIMITS.explainedItems)
      .flatMap(({ index }) => read.map((field): Path => [...path, index, ...field.path]));
  });
}

function responsePath(list: ASTNode): readonly string[] | undefined {
  const [reference, ...others] = referencesIn(list);
  return reference?.root === "response" && others.length === 0 && (list.op === "id" || isAccess(list))
    ? reference.path
    : undefined;
}
