import { writeJson } from "../../base/json/json.ts";
import { LIMITS } from "../../base/limits.ts";
import type { ASTNode } from "../cel.ts";
import type { BareScope } from "../expression.ts";
import { childrenOf, isAccess, isComparison } from "../syntax.ts";
import { missingIn } from "./access.ts";
import { comparisonHint, memberHint, wantedOf } from "./compared.ts";
import { type Comprehension, comprehensionAt, judge, type JudgedItem } from "./comprehension.ts";
import type { Remedy } from "./explanation.ts";
import { glimpse } from "./glimpse.ts";
import type { DissectedExpression } from "./source.ts";
import { sides } from "./tree.ts";

interface Aim {
  readonly scope: BareScope;
  readonly wanted: boolean;
}

/** Returns what would give a part the wanted result. All hints without `or` are needed, and one of those with it. */
export function hintsOf(source: DissectedExpression, node: ASTNode, aim: Aim): readonly Remedy[] {
  const outcome = source.evaluate(node, aim.scope);
  if ("value" in outcome && outcome.value === aim.wanted) return [];
  if (node.op === "&&" || node.op === "||") return sideHints(source, node, aim);
  if (node.op === "!_") return hintsOf(source, node.args, { ...aim, wanted: !aim.wanted });
  if (node.op === "?:") return choiceHints(source, node.args, aim);
  const comprehension = comprehensionAt(node);
  if (comprehension !== undefined && comprehension.kind !== "filter") {
    const hints = itemHints(source, comprehension, aim);
    if (hints !== undefined) return hints;
  }
  if ("failure" in outcome) return missingHints(source, node, aim.scope);
  const hint = hintOf(source, node, aim);
  return hint === undefined ? [] : [hint];
}

function hintOf(source: DissectedExpression, node: ASTNode, aim: Aim): Remedy | undefined {
  if (isComparison(node)) return comparisonHint(source, node, aim);
  if (node.op === "in") return memberHint(source, node.args, aim);
  if (node.op === "call" && node.args[0] === "has") return fieldHint(source, node.args[1][0], aim);
  if (node.op === "id" || isAccess(node)) return truthHint(source, node, aim);
  return textHint(source, node, aim);
}

function sideHints(source: DissectedExpression, node: ASTNode & { op: "&&" | "||" }, aim: Aim): readonly Remedy[] {
  const isEnough = (node.op === "||") === aim.wanted;
  const found: (readonly Remedy[])[] = [];
  for (const side of sides(node, node.op)) {
    found.push(hintsOf(source, side, aim));
    const outcome = source.evaluate(side, aim.scope);
    // The later parts were not evaluated.
    if ("value" in outcome && outcome.value === (node.op === "||")) break;
  }
  const groups = found.filter((hints) => hints.length > 0);
  return bounded(
    groups.flatMap((hints, at) => (isEnough && at > 0 ? hints.map((hint) => ({ or: true as const, ...hint })) : hints)),
  );
}

function choiceHints(
  source: DissectedExpression,
  [condition, yes, no]: readonly [ASTNode, ASTNode, ASTNode],
  aim: Aim,
): readonly Remedy[] {
  const outcome = source.evaluate(condition, aim.scope);
  if ("failure" in outcome) return missingHints(source, condition, aim.scope);
  return hintsOf(source, outcome.value === true ? yes : no, aim);
}

function bounded(hints: readonly Remedy[]): readonly Remedy[] {
  return hints.slice(0, LIMITS.explainedHints);
}

function itemHints(
  source: DissectedExpression,
  comprehension: Comprehension,
  { scope, wanted }: Aim,
): readonly Remedy[] | undefined {
  const judged = judge(source, comprehension, scope);
  if (judged === undefined) return undefined;
  const holding = judged.filter(({ holds }) => holds);
  if (comprehension.kind === "exists_one" && wanted && holding.length > 1) return [onlyOne(source, comprehension, holding)];
  const isForAll = (comprehension.kind === "all") === wanted;
  if (!isForAll) return wanted ? nearestHints(source, comprehension, judged) : [];
  const wrong = judged.filter(({ holds }) => holds !== wanted).slice(0, LIMITS.explainedItems);
  return bounded(
    merged(
      wrong.flatMap(({ at, scope: inner }) => within(at, hintsOf(source, comprehension.condition, { scope: inner, wanted }))),
    ),
  );
}

// A hint that is the same for several items is given once.
function merged(hints: readonly Remedy[]): readonly Remedy[] {
  const alike = Map.groupBy(hints, ({ item: _item, ...hint }) => writeJson(hint));
  return [...alike.values()].flatMap((group) => {
    const [first] = group;
    return first === undefined ? [] : within(group.flatMap(({ item }) => item ?? []).join(", "), [withoutItem(first)]);
  });
}

function withoutItem({ item: _item, ...hint }: Remedy): Remedy {
  return hint;
}

function within(item: string, hints: readonly Remedy[]): readonly Remedy[] {
  return hints.map((hint) => ({ ...hint, item: hint.item === undefined ? item : `${item}, ${hint.item}` }));
}

function onlyOne(source: DissectedExpression, { list, condition }: Comprehension, holding: readonly JudgedItem[]): Remedy {
  const at = holding.slice(0, LIMITS.explainedItems).map((each) => each.at);
  return {
    subject: source.textOf(list),
    must: `hold only one item for which ${source.textOf(condition)}`,
    remark: `it has ${holding.length}: ${at.join(", ")}${at.length < holding.length ? ", …" : ""}`,
  };
}

// One item must fit. Returns what the nearest item lacks, if one is nearer than all others.
function nearestHints(
  source: DissectedExpression,
  { list, condition }: Comprehension,
  judged: readonly JudgedItem[],
): readonly Remedy[] {
  const ranked = judged
    .slice(0, LIMITS.explainedCandidates)
    .map(({ at, scope }) => ({ at, hints: hintsOf(source, condition, { scope, wanted: true }) }))
    .filter(({ hints }) => hints.length > 0)
    .map((each) => ({ ...each, cost: each.hints.reduce((sum, { changes }) => sum + (changes?.length ?? 1), 0) }))
    .toSorted((one, other) => one.cost - other.cost);
  const [best, second] = ranked;
  const general: Remedy = {
    subject: source.textOf(list),
    must: `hold an item for which ${source.textOf(condition)}`,
    ...(judged.length === 0 ? { remark: "it is empty" } : {}),
  };
  if (best === undefined || best.cost === second?.cost) return [general];
  return bounded(within(judged.length === 1 ? best.at : `${best.at}, the nearest`, best.hints));
}

// Returns the hint for `has(a.b)`: the field, its owner, and the fields that the owner has.
function fieldHint(source: DissectedExpression, path: ASTNode | undefined, { scope, wanted }: Aim): Remedy | undefined {
  if (path === undefined || !isAccess(path) || typeof path.args[1] !== "string") return undefined;
  const [owner, field] = path.args;
  if (!wanted) return { subject: source.textOf(owner), must: `hold no field ${JSON.stringify(field)}` };
  return missingIn(source, path, scope)?.hint;
}

/** Returns the hint for a part without a value: the first missing field. */
function missingHints(source: DissectedExpression, node: ASTNode, scope: BareScope): readonly Remedy[] {
  const missing = isAccess(node) ? missingIn(source, node, scope) : undefined;
  if (missing !== undefined) return [missing.hint];
  const parts =
    node.op === "call" && node.args[0] === "has"
      ? node.args[1].flatMap((path) => (isAccess(path) ? [path.args[0]] : []))
      : childrenOf(node);
  for (const part of parts) {
    if (!isAccess(node) && "value" in source.evaluate(part, scope)) continue;
    const hints = missingHints(source, part, scope);
    if (hints.length > 0) return hints;
  }
  return [];
}

function truthHint(source: DissectedExpression, node: ASTNode, { scope, wanted }: Aim): Remedy | undefined {
  const is = source.jsonAt(node, scope);
  return is === undefined ? undefined : { subject: source.textOf(node), must: "be", wanted: { value: wanted }, is: glimpse(is) };
}

const TEXT_TESTS: Readonly<Record<string, string>> = {
  startsWith: "start with",
  endsWith: "end with",
  contains: "contain",
  re2: "match",
};

function textHint(source: DissectedExpression, node: ASTNode, { scope, wanted }: Aim): Remedy | undefined {
  const [subject, argument] = node.op === "rcall" ? [node.args[1], node.args[2][0]] : node.op === "call" ? node.args[1] : [];
  const test = node.op === "rcall" || node.op === "call" ? TEXT_TESTS[node.args[0]] : undefined;
  if (subject === undefined || argument === undefined || test === undefined) return undefined;
  const [is, like] = [subject, argument].map((part) => source.jsonAt(part, scope));
  if (is === undefined || like === undefined) return undefined;
  return {
    subject: source.textOf(subject),
    must: wanted ? test : `not ${test}`,
    wanted: wantedOf(source, { node: argument, value: like }),
    is: glimpse(is),
  };
}
