import { canonicalJson, type JsonObject } from "../../base/json/json.ts";
import { didYouMeanOr } from "../../base/text/text.ts";
import { child, itemsIn, type MapNode, type SourceNode, startOf, textOf, toJson } from "../../source/node.ts";
import { readConserve } from "./checks.ts";
import { compileTemplate } from "../expressions/compile-template.ts";
import type { CheckContext } from "../check-context.ts";
import { COMPARISON, type ComparisonFields, MAPPING } from "../keywords/comparison.ts";
import { allRead, fieldsOf } from "../keywords/keyword.ts";
import { insideLoop, readForeach, refusePlainText, refuseRoundsInPart } from "../steps/foreach.ts";
import type { CheckStep, Compare, ConservedSides, GivenSides, Mapping, Side } from "../model.ts";
import { checkPlaces } from "../steps/call-rules.ts";
import { partsOf, readSide } from "./side.ts";
import { scopeAt, type Spot, type Surroundings } from "../expressions/expression-scope.ts";
import { readLoop } from "../predictions/warnings.ts";

/** Checks and compiles `reconcile`: comparisons of two sides, made when all steps are complete. */
export function readReconcile(node: SourceNode | undefined, spot: Spot, around: Surroundings): readonly CheckStep[] {
  if (node !== undefined && !around.readOnly) {
    const message = "a comparison belongs in a playbook of mode: read-only";
    around.context.report(
      { code: "playbook.reconcile-mode", message, suggestion: "write mode: read-only at its head" },
      node.range,
    );
  }
  const ids = new Set<string>();
  return itemsIn(node).flatMap((item) => {
    const comparison = item.kind === "map" ? readComparison(item, spot, around) : undefined;
    if (comparison === undefined) return [];
    if (ids.has(comparison.id)) {
      const message = `a comparison "${comparison.id}" exists already`;
      around.context.report({ code: "playbook.duplicate-step", message, suggestion: "give each an id of its own" }, item.range);
    }
    ids.add(comparison.id);
    return [{ ...comparison, id: `reconcile.${comparison.id}` }];
  });
}

function readComparison(node: MapNode, spot: Spot, around: Surroundings): CheckStep | undefined {
  const { context } = around;
  const {
    id = "",
    name = id,
    scope,
    map,
    tolerance,
    settle,
    recheck,
    empty,
    totals,
    foreach,
    as,
    conserve,
    left,
    right,
    ...rest
  } = fieldsOf(node, COMPARISON);
  allRead(rest);
  checkPlaces(node, COMPARISON, context);
  const read = readSides(node, { foreach, as, conserve, left, right }, spot, around);
  if (read === undefined) return undefined;
  const { sides, key } = read;
  const looks: Compare = {
    kind: "compare",
    sides,
    key,
    mappings: readMappings(map, key, spot, around),
    tolerance,
    settleMs: settle,
    recheckMs: recheck,
    mayBeEmpty: empty === "pass",
    totals: readTotals(totals, key, around),
    scope: scope === undefined ? undefined : compileTemplate(scope, { type: "string" }, context, scopeAt(around, spot)),
  };
  return {
    kind: "check",
    id,
    name,
    line: context.file.lineOf(node.range.start),
    if: undefined,
    foreach: undefined,
    warns: false,
    looks,
  };
}

interface ReadSides {
  readonly sides: GivenSides | ConservedSides;
  readonly key: readonly string[];
}

type SidesFields = Pick<ComparisonFields, "foreach" | "as" | "conserve" | "left" | "right">;

function readSides(node: MapNode, fields: SidesFields, spot: Spot, around: Surroundings): ReadSides | undefined {
  const { context } = around;
  const { conserve } = fields;
  if (conserve !== undefined) return readLoop(node, context, () => readConserved(node, { ...fields, conserve }, spot, around));
  const [left, right] = (["left", "right"] as const).map((name) => {
    const side = fields[name];
    if (side?.kind === "map") return readLoop(side, context, () => readSide(side, name, spot, around));
    const message = `a comparison has two sides, or \`conserve\`: "${name}" is missing`;
    return context.report({ code: "playbook.reconcile-sides", message }, startOf(node));
  });
  if (left === undefined || right === undefined) return undefined;
  checkAlike(node, around);
  checkDifference(node, { left, right }, context);
  return { sides: { kind: "given", left, right }, key: partsOf(child(child(node, "left"), "key")) };
}

// Neither of these comparisons can show what differs: it is a copy whose second side was not changed, or its values read nothing.
function checkDifference(node: MapNode, { left, right }: Pick<GivenSides, "left" | "right">, context: CheckContext): void {
  const at = child(node, "right")?.range ?? node.range;
  if (writtenSide(node, "left") === writtenSide(node, "right")) {
    const message = "both sides read the same rows in the same way, so they can never differ";
    const suggestion = "let one side read the place with which the other is compared";
    context.report({ code: "playbook.reconcile-same", message, suggestion }, at);
  } else if (isFixed(left) && isFixed(right)) {
    const message = "both values are written numbers, the same for every row, so no values of rows are compared";
    const suggestion =
      "write what differs from row to row, such as row.balance, or combine: sum to compare how many rows there are";
    context.report({ code: "playbook.reconcile-same", message, suggestion }, at);
  }
}

function writtenSide(node: MapNode, name: "left" | "right"): string {
  const { name: _, ...rest } = toJson(child(node, name) ?? node) as JsonObject;
  return canonicalJson(rest);
}

function isFixed({ value, sums }: Side): boolean {
  return value !== undefined && !sums && value.references.length === 0;
}

function readConserved(
  node: MapNode,
  { foreach: loop, as, conserve: quantity }: SidesFields & { readonly conserve: SourceNode },
  spot: Spot,
  around: Surroundings,
): ReadSides | undefined {
  const read = readForeach(loop, around, scopeAt(around, spot));
  const conserve = readConserve(node, quantity, { spot: insideLoop(spot, read), around, as });
  refuseRoundsInPart(loop, read, around);
  const { foreach } = read;
  return conserve === undefined ? undefined : { sides: { kind: "conserved", foreach, conserve }, key: conserve.conserved.key };
}

// Rows are matched by their keys, so the keys of both sides need the same parts. A part with a fault still counts.
function checkAlike(node: MapNode, { context }: Surroundings): void {
  const [left, right] = [child(node, "left"), child(node, "right")];
  const [one, other] = [partsOf(child(left, "key")), partsOf(child(right, "key"))];
  const missing = one.find((part) => !other.includes(part));
  const extra = other.find((part) => !one.includes(part));
  if (missing !== undefined || extra !== undefined) {
    const message =
      missing === undefined
        ? `the right side's key has a part "${extra}", which the left side's key lacks`
        : `the right side's key has no part "${missing}", which the left side's has`;
    const at = child(right, "key") ?? node;
    context.report({ code: "playbook.reconcile-key", message, suggestion: "give both keys the same parts" }, at.range);
  }
  checkValues(node, { left, right }, context);
}

type SideNodes = Readonly<Record<"left" | "right", SourceNode | undefined>>;

// Without a value, only the existence of rows is compared. A person who writes a tolerance expects more.
function checkValues(node: MapNode, { left, right }: SideNodes, context: CheckContext): void {
  const [hasLeft, hasRight] = [left, right].map((side) => child(side, "value") !== undefined);
  if (hasLeft !== hasRight) {
    const [with_, without] = hasLeft === true ? ["left", "right"] : ["right", "left"];
    const message = `the ${with_} side has a value, and the ${without} side has none to compare with it`;
    context.report({ code: "playbook.reconcile-sides", message }, child(node, without)?.range ?? node.range);
  }
  if (hasLeft === true || hasRight === true) return;
  for (const name of ["tolerance", "totals"]) {
    const message = `"${name}" is about values, and neither side has a value`;
    const at = node.entries.get(name)?.key;
    if (at !== undefined) context.report({ code: "playbook.not-here", message, suggestion: VALUES_OR_NOT }, at);
  }
}

const VALUES_OR_NOT = "give both sides a `value`, or delete it";

function readTotals(node: SourceNode | undefined, key: readonly string[], around: Surroundings): string | undefined {
  const part = textOf(node);
  if (part !== undefined && node !== undefined && !key.includes(part)) unknownPart(part, key, node, around);
  return part;
}

function unknownPart(
  part: string,
  key: readonly string[],
  node: Pick<SourceNode, "range">,
  { context }: Surroundings,
): undefined {
  const suggestion = didYouMeanOr(part, key, `its parts: ${key.join(", ")}`);
  return context.report({ code: "playbook.reconcile-key", message: `the key has no part "${part}"`, suggestion }, node.range);
}

function readMappings(
  node: SourceNode | undefined,
  key: readonly string[],
  spot: Spot,
  around: Surroundings,
): readonly Mapping[] {
  if (node?.kind !== "map") return [];
  return [...node.entries].map(([part, { key: at, value }]) => {
    if (!key.includes(part)) unknownPart(part, key, { range: at }, around);
    const { from, left = "", right = "", ...rest } = fieldsOf(value, MAPPING);
    allRead(rest);
    // Earlier versions reported it only when the run had come so far.
    if (!around.context.isForBegunRun) refusePlainText(from, around.context);
    return {
      part,
      from: compileTemplate(from ?? value, { type: "array" }, around.context, scopeAt(around, spot)),
      left,
      right,
    };
  });
}
