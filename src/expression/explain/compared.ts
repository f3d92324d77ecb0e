import { Decimal } from "../../base/numbers/decimal.ts";
import { changesBetween } from "../../base/text/difference.ts";
import { isObject, type Json, jsonEquals } from "../../base/json/json.ts";
import { LIMITS } from "../../base/limits.ts";
import { didYouMean } from "../../base/text/text.ts";
import { present } from "../../base/present.ts";
import type { ASTNode } from "../cel.ts";
import type { BareScope } from "../expression.ts";
import { type ComparisonOperator, MIRRORED } from "../comparing/operators.ts";
import { type ComparisonNode, isAccess } from "../syntax.ts";
import type { Glimpse, Remedy } from "./explanation.ts";
import { fieldsRemark, glimpse, isShowable } from "./glimpse.ts";
import { isLiteral, mentions, type DissectedExpression } from "./source.ts";

const OPPOSITE: Readonly<Record<ComparisonOperator, ComparisonOperator>> = {
  "==": "!=",
  "!=": "==",
  "<": ">=",
  "<=": ">",
  ">": "<=",
  ">=": "<",
};

const MUST: Readonly<Record<ComparisonOperator, string>> = {
  "==": "be",
  "!=": "be anything but",
  "<": "be less than",
  "<=": "be at most",
  ">": "be more than",
  ">=": "be at least",
};

interface ComparedPart {
  readonly node: ASTNode;
  readonly value: Json;
}

/** Returns what would give a comparison the wanted result. */
export function comparisonHint(
  source: DissectedExpression,
  node: ComparisonNode,
  { scope, wanted }: { readonly scope: BareScope; readonly wanted: boolean },
): Remedy | undefined {
  const [left, right] = node.args.map((side) => sideOf(source, side, scope));
  if (left === undefined || right === undefined) return undefined;
  const isMirrored = saysLess(left.node, right.node);
  const [subject, other] = isMirrored ? [right, left] : [left, right];
  const written = wanted ? node.op : OPPOSITE[node.op];
  const operator = isMirrored ? MIRRORED[written] : written;
  return {
    subject: source.textOf(subject.node),
    must: MUST[operator],
    wanted: wantedOf(source, other),
    ...(operator === "!=" ? {} : shownDistance(subject, other, operator)),
    ...messageBeside(source, subject.node, scope),
  };
}

// The distance of a number from a secret would reveal the secret.
function shownDistance(subject: ComparedPart, other: ComparedPart, operator: ComparisonOperator): ReturnType<typeof distance> {
  const { remark, ...seen } = distance(subject.value, other.value, operator);
  const isSecret = [subject, other].some(({ node }) => mentions(node, "secrets"));
  return remark === undefined || isSecret ? seen : { ...seen, remark };
}

function sideOf(source: DissectedExpression, node: ASTNode, scope: BareScope): ComparedPart | undefined {
  const value = source.jsonAt(node, scope);
  return value === undefined ? undefined : { node, value };
}

/** Returns a wanted value, with the expression that gives it, unless that is a literal. */
export function wantedOf(source: DissectedExpression, { node, value }: ComparedPart): NonNullable<Remedy["wanted"]> {
  return {
    ...glimpse(value),
    ...(isLiteral(node) || node.op === "list" || node.op === "map" ? {} : { expression: source.textOf(node) }),
  };
}

// Returns whether the right side is the one that would have to change: a value that was just read, rather than an older or a written value.
function saysLess(left: ASTNode, right: ASTNode): boolean {
  return weight(left) < weight(right);
}

function weight(node: ASTNode): number {
  if (isLiteral(node)) return 0;
  if (mentions(node, "response")) return 3;
  return mentions(node, "inputs") || mentions(node, "actors") || mentions(node, "run") ? 1 : 2;
}

/** Returns the present value, and how far it is from the wanted one. */
function distance(is: Json, wanted: Json, operator: ComparisonOperator = "=="): Pick<Remedy, "is" | "remark" | "changes"> {
  const seen: { is: Glimpse } = { is: glimpse(is) };
  if (is instanceof Decimal && wanted instanceof Decimal) return { ...seen, ...remarked(numberRemark(is, wanted)) };
  if (typeof is === "string" && typeof wanted === "string") return { ...seen, ...remarked(textRemark(is, wanted)) };
  if (operator === "==" && isContainer(is) && Array.isArray(is) === Array.isArray(wanted) && isContainer(wanted)) {
    const changes = changesBetween(is, wanted).map(({ sign, path, ...values }) => ({
      sign,
      path,
      ...(values.is === undefined ? {} : { is: glimpse(values.is) }),
      ...(values.wanted === undefined ? {} : { wanted: glimpse(values.wanted) }),
    }));
    return { ...seen, changes };
  }
  return seen;
}

function isContainer(value: Json): boolean {
  return Array.isArray(value) || isObject(value);
}

function remarked(remark: string | undefined): { remark?: string } {
  return remark === undefined ? {} : { remark };
}

function numberRemark(is: Decimal, wanted: Decimal): string | undefined {
  const sign = is.compare(wanted);
  if (sign === 0) return undefined;
  try {
    return sign < 0 ? `${wanted.minus(is).text} less` : `${is.minus(wanted).text} more`;
  } catch {
    return undefined;
  }
}

// Where texts are shown, their first difference is marked. This remark is for differences that no mark shows.
function textRemark(is: string, wanted: string): string | undefined {
  if (is === wanted) return undefined;
  if (is.trim() === wanted.trim()) return "they differ in spaces around them only";
  if (is.toLowerCase() === wanted.toLowerCase()) return "they differ in upper and lower case only";
  if (isShowable(is) && isShowable(wanted)) return undefined;
  const end = Math.min(is.length, wanted.length);
  let at = 0;
  while (at < end && is[at] === wanted[at]) at += 1;
  return `they differ from character ${at + 1} on`;
}

// A status is a single word; the field `message` beside it gives the reason.
function messageBeside(source: DissectedExpression, node: ASTNode, scope: BareScope): { message?: string } {
  if (!isAccess(node) || node.args[1] !== "status") return {};
  const owner = source.jsonAt(node.args[0], scope);
  const message = isObject(owner) ? owner["message"] : undefined;
  return typeof message === "string" && message !== "" && isShowable(message) ? { message } : {};
}

/** Returns what would give `x in list`, or `key in map`, the wanted result. */
export function memberHint(
  source: DissectedExpression,
  [left, right]: readonly [ASTNode, ASTNode],
  { scope, wanted }: { readonly scope: BareScope; readonly wanted: boolean },
): Remedy | undefined {
  const [member, container] = [sideOf(source, left, scope), sideOf(source, right, scope)];
  if (member === undefined || container === undefined) return undefined;
  if (weight(left) > weight(right)) {
    return {
      subject: source.textOf(left),
      must: wanted ? "be one of" : "be none of",
      wanted: wantedOf(source, container),
      is: glimpse(member.value),
      ...(wanted ? remarked(meant(member.value, namesOf(container.value))) : {}),
    };
  }
  const what = isObject(container.value) ? (wanted ? "hold the field" : "hold no field") : wanted ? "contain" : "not contain";
  return {
    subject: source.textOf(right),
    must: what,
    wanted: wantedOf(source, member),
    ...(wanted ? nearest(member.value, container.value) : {}),
  };
}

function namesOf(container: Json): readonly string[] {
  if (isObject(container)) return Object.keys(container);
  return Array.isArray(container) ? container.filter((each: Json) => typeof each === "string") : [];
}

// Shorter words are too often similar.
const LEAST_LIKE = 4;

function meant(name: Json, names: readonly string[]): string | undefined {
  const near = typeof name === "string" && name.length >= LEAST_LIKE ? didYouMean(name, names) : undefined;
  return near === undefined ? undefined : `did you mean ${JSON.stringify(near)}?`;
}

// Returns the item nearest to the wanted one, if they have something in common.
function nearest(wanted: Json, container: Json): Pick<Remedy, "remark" | "changes"> {
  if (isObject(container)) {
    const fields = Object.keys(container);
    return { remark: fieldsRemark(fields, typeof wanted === "string" ? didYouMean(wanted, fields) : undefined) };
  }
  if (!Array.isArray(container)) return {};
  if (container.length === 0) return { remark: "it is empty" };
  if (!isObject(wanted)) return remarked(meant(wanted, namesOf(container)));
  const near = nearestItem(wanted, container as readonly Json[]);
  if (near === undefined) return {};
  const { changes } = distance(near.item, wanted);
  return { remark: `nearest is [${near.index}]`, ...present({ changes }) };
}

function nearestItem(wanted: Json, items: readonly Json[]): { readonly index: number; readonly item: Json } | undefined {
  if (!isObject(wanted)) return undefined;
  const ranked = items
    .slice(0, LIMITS.explainedCandidates)
    .map((item, index) => ({ index, item, shared: sharedWith(item, wanted) }))
    .toSorted((one, other) => other.shared - one.shared);
  const [best, second] = ranked;
  return best === undefined || best.shared === 0 || best.shared === second?.shared ? undefined : best;
}

function sharedWith(item: Json, wanted: Json): number {
  if (!isObject(item) || !isObject(wanted)) return 0;
  return Object.entries(wanted).filter(([key, value]) => Object.hasOwn(item, key) && jsonEquals(item[key] ?? null, value)).length;
}
