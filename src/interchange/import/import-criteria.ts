import { LIMITS } from "../../base/limits.ts";
import { present } from "../../base/present.ts";
import { patternOf, patternProblem } from "../../expression/pattern.ts";
import { child, type SourceNode, textOf } from "../../source/node.ts";
import { BadCondition, type ConditionPart, conjuncts, partsOf, readCondition, readFilter } from "../expressions/condition.ts";
import { textOfPattern } from "../exact-text.ts";
import type { CallTarget } from "../answer-place.ts";
import type { WorkflowScope } from "./import-scope.ts";
import { splitEmbedded, withKeys } from "../expressions/runtime-expression.ts";
import { Expr, celOf, celPath, Joined } from "../value.ts";

/** What a step must do, as a playbook writes it. */
export interface Expected {
  /** Expressions that must all hold after a success; empty for a step that must be refused. */
  readonly expect: readonly string[];
  /** The refusal that the step must get; undefined if it must succeed. */
  readonly fails: { readonly condition?: string; readonly status?: readonly number[] } | undefined;
}

/** How expressions refer to the answer of the step itself: as `response` in the step, as `steps.ID` after it. */
export interface Asked {
  /** The names that the expressions of the workflow can use. */
  readonly scope: WorkflowScope;
  /** The step whose answer it is. */
  readonly own: CallTarget;
  /** The name of that answer in an expression. */
  readonly owner: string;
}

/** Translates the success criteria of a step. */
export function readCriteria(criteria: readonly SourceNode[], asked: Asked): Expected {
  const parts = criteria.flatMap((node) => partsIn(node, asked));
  const statuses = parts.filter(({ condition }) => isAboutStatus(condition));
  const others = parts.filter((part) => !statuses.includes(part));
  const accepted = CODES.filter((code) => statuses.every(({ condition }) => holdsFor(condition, code)));
  const good = accepted.filter((code) => code < 300);
  const [place] = statuses;
  if (place === undefined || (good.length === accepted.length && accepted.length > 0)) {
    if (place !== undefined) demandUsualCode(place.node, accepted, asked);
    return { expect: others.flatMap((part) => expression(part, asked) ?? []), fails: undefined };
  }
  if (good.length > 0 || accepted.length === 0) {
    asked.scope.findings.refuse(place.node, "the accepted status codes cannot be translated", STATUS_WHY);
    return { expect: [], fails: undefined };
  }
  const condition = refusalIn(others, asked);
  const few = accepted.length <= MOST_CODES ? accepted : accepted.filter((code) => REFUSALS.has(code));
  if (condition !== undefined && accepted.length > MOST_CODES) return { expect: [], fails: { condition } };
  return { expect: [], fails: { ...present({ condition }), status: few } };
}

const STATUS_WHY = "a step of a playbook either succeeds or is refused, and cannot accept both";
const CODES: readonly number[] = Array.from({ length: 400 }, (_, at) => 200 + at).filter((code) => code < 300 || code >= 400);
const REFUSALS: ReadonlySet<number> = new Set([400, 401, 403, 404, 409, 422]);
const MOST_CODES = 10;

// A playbook accepts every 2xx code as a success. If a document accepts the contract's code, nothing is lost.
function demandUsualCode(node: SourceNode, accepted: readonly number[], { scope, own }: Asked): void {
  const { successStatus, name } = own.operation.call;
  if (accepted.includes(successStatus)) return;
  scope.findings.lose(
    node,
    "another code of success passes too",
    `a playbook takes every 2xx code for a success, and the contract says ${successStatus} of ${name}`,
    "$statusCode >= 200 && $statusCode < 300",
  );
}

interface CriterionPart {
  readonly node: SourceNode;
  /** A condition, or an expression that was already translated. */
  readonly condition: ConditionPart | Expr;
}

function partsIn(node: SourceNode, asked: Asked): readonly CriterionPart[] {
  const type = child(node, "type");
  const kind = textOf(type) ?? textOf(child(type, "type")) ?? "simple";
  const condition = child(node, "condition") ?? node;
  const text = textOf(condition) ?? "";
  const { findings } = asked.scope;
  if (text.length > LIMITS.expressionChars) {
    findings.refuse(condition, `a condition of ${text.length} characters`, `the limit is ${LIMITS.expressionChars}`);
    return [];
  }
  try {
    if (kind === "simple") return conjuncts(readCondition(text)).map((part) => ({ node: condition, condition: part }));
    const found = kind === "regex" ? matching(node, text, asked) : kind === "jsonpath" ? chosen(node, text, asked) : undefined;
    if (found !== undefined) return [{ node: condition, condition: found }];
    if (kind === "xpath") findings.refuse(condition, "an XPath criterion cannot be translated", "the service answers in JSON");
  } catch (error) {
    if (!(error instanceof BadCondition)) throw error;
    findings.refuse(condition, `the condition cannot be read: ${error.message}`, "tokenbook must know what it asks for");
  }
  return [];
}

function contextOf(node: SourceNode, { scope, own, owner }: Asked): string | undefined {
  const context = child(node, "context") ?? node;
  const value = scope.resolve(textOf(context) ?? "", context, own, owner);
  return value === undefined ? undefined : celOf(value);
}

function matching(node: SourceNode, text: string, asked: Asked): ConditionPart | Expr | undefined {
  const problem = patternProblem(text);
  const condition = child(node, "condition") ?? node;
  if (problem !== undefined || text.includes("{$"))
    return asked.scope.findings.lose(condition, "this pattern cannot be used", problem ?? "a pattern cannot hold an expression");
  if (textOf(child(node, "context")) === "$statusCode") return statusPattern(text);
  const context = contextOf(node, asked);
  if (context === undefined) return undefined;
  const whole = textOfPattern(text);
  return new Expr(whole === undefined ? `re2(${context}, ${JSON.stringify(text)})` : `${context} == ${JSON.stringify(whole)}`);
}

// A pattern for the status code becomes a choice between the codes that it matches.
function statusPattern(pattern: string): ConditionPart {
  const { foundIn } = patternOf(pattern);
  const all = CODES.filter((code) => foundIn(String(code))).map(codeIs);
  const none: ConditionPart = { kind: "literal", text: "false", isText: false };
  return all.reduce((left, right) => ({ kind: "binary", operator: "||", left, right }), none);
}

function codeIs(code: number): ConditionPart {
  const left: ConditionPart = { kind: "runtime", text: "$statusCode", path: [] };
  return { kind: "binary", operator: "==", left, right: { kind: "literal", text: String(code), isText: false } };
}

function chosen(node: SourceNode, text: string, asked: Asked): Expr | undefined {
  const { findings } = asked.scope;
  const condition = child(node, "condition") ?? node;
  const filter = /\b(?:length|count|match|search|value)\(/.test(text) ? undefined : readFilter(text);
  if (filter === undefined)
    return findings.lose(condition, "this JSONPath is not translated", "only a path with one filter at its end is");
  const { path, where } = filter;
  const last = path.at(-1);
  const isItem = where === undefined && last !== undefined && /^\d+$/.test(last);
  const context = child(node, "context");
  // The context and the path together name one place in the answer, because a playbook removes the answer's envelope.
  const behind = withKeys(textOf(context) ?? "", isItem ? path.slice(0, -1) : path);
  const value = asked.scope.resolve(behind, context ?? node, asked.own, asked.owner);
  const inner = where && tested({ node: condition, condition: where }, asked, { isFilter: true, isNegated: false });
  if (value === undefined || (where !== undefined && inner === undefined)) return undefined;
  const place = celOf(value);
  if (isItem) return new Expr(`${place}.size() > ${last}`);
  return new Expr(inner === undefined ? `has(${place})` : `${place}.exists(${ITEM}, ${inner})`);
}

const ITEM = "item";

/** Translates conditions that must all hold; `undefined` if one of them cannot be translated. */
export function readConditions(criteria: readonly SourceNode[], asked: Asked): string | undefined {
  const parts = criteria.flatMap((node) => partsIn(node, asked)).filter(({ condition }) => !isSure(condition));
  const texts = parts.map((part) => expression(part, asked));
  return texts.includes(undefined) ? undefined : allOf(texts.flatMap((text) => text ?? []));
}

/** Returns the condition that all of these hold. */
export function allOf(conditions: readonly string[]): string {
  return conditions.map((each) => (conditions.length > 1 ? `(${each})` : each)).join(" && ");
}

// After a success, a condition that every success status fulfils is always true.
function isSure(condition: ConditionPart | Expr): boolean {
  return isAboutStatus(condition) && CODES.filter((code) => code < 300).every((code) => holdsFor(condition, code));
}

function isStatus(part: ConditionPart): boolean {
  return part.kind === "runtime" && part.text === "$statusCode";
}

function isAboutStatus(condition: ConditionPart | Expr): condition is ConditionPart {
  if (condition instanceof Expr) return false;
  const named = partsOf(condition).filter(({ kind }) => kind === "runtime" || kind === "current");
  return named.length > 0 && named.every(isStatus);
}

const COMPARE: Readonly<Record<string, (left: number, right: number) => boolean>> = {
  "==": (left, right) => left === right,
  "!=": (left, right) => left !== right,
  "<": (left, right) => left < right,
  "<=": (left, right) => left <= right,
  ">": (left, right) => left > right,
  ">=": (left, right) => left >= right,
};

function holdsFor(condition: ConditionPart | Expr, code: number): boolean {
  if (condition instanceof Expr) return false;
  switch (condition.kind) {
    case "group":
      return holdsFor(condition.inner, code);
    case "not":
      return !holdsFor(condition.inner, code);
    case "binary": {
      const { operator, left, right } = condition;
      if (operator === "&&") return holdsFor(left, code) && holdsFor(right, code);
      if (operator === "||") return holdsFor(left, code) || holdsFor(right, code);
      return COMPARE[operator]?.(numberIn(left, code), numberIn(right, code)) ?? false;
    }
    default:
      return condition.kind === "literal" && condition.text === "true";
  }
}

function numberIn(part: ConditionPart, code: number): number {
  if (isStatus(part)) return code;
  return part.kind === "literal" ? Number(part.isText ? JSON.parse(part.text) : part.text) : NaN;
}

// Returns the condition of the refusal that the criteria require.
function refusalIn(parts: readonly CriterionPart[], { scope }: Asked): string | undefined {
  let condition: string | undefined;
  for (const { node, condition: part } of parts) {
    const equal = !(part instanceof Expr) && part.kind === "binary" && part.operator === "==" ? part : undefined;
    const isCondition = equal?.left.kind === "runtime" && equal.left.text === "$response.body#/condition";
    if (isCondition && equal?.right.kind === "literal" && equal.right.isText) condition = JSON.parse(equal.right.text) as string;
    else
      scope.findings.lose(
        node,
        "this criterion of a refusal is not checked",
        "a playbook knows a refusal by its condition and status",
      );
  }
  return condition;
}

// The context of a part of a condition. Filters compare texts exactly, and a negated part passes if it does not hold.
interface PartContext {
  readonly isFilter: boolean;
  readonly isNegated: boolean;
}

const AT_THE_TOP: PartContext = { isFilter: false, isNegated: false };

/** Returns a condition as an expression of a playbook. */
function expression({ node, condition }: CriterionPart, asked: Asked, around = AT_THE_TOP): string | undefined {
  if (condition instanceof Expr) return condition.text;
  switch (condition.kind) {
    case "literal":
      return literal(condition, node, asked);
    case "current":
      return celPath(ITEM, condition.path);
    case "runtime": {
      const value = asked.scope.resolve(condition.text, node, asked.own, asked.owner);
      return value === undefined ? undefined : celPath(celOf(value), condition.path);
    }
    case "group": {
      const inner = tested({ node, condition: condition.inner }, asked, around);
      return inner === undefined ? undefined : `(${inner})`;
    }
    case "not": {
      const negated = { ...around, isNegated: !around.isNegated };
      const inner = tested({ node, condition: condition.inner }, asked, negated);
      return inner === undefined ? undefined : `!${bracketed(condition.inner, inner)}`;
    }
    case "binary": {
      const { operator } = condition;
      const side = LOGICAL.has(operator) ? tested : expression;
      if (!LOGICAL.has(operator) && !around.isFilter) reportExactTexts(node, condition, asked, around);
      const [left, right] = [condition.left, condition.right].map((part) => side({ node, condition: part }, asked, around));
      return left === undefined || right === undefined ? undefined : `${left} ${operator} ${right}`;
    }
  }
}

const LOGICAL: ReadonlySet<string> = new Set(["&&", "||"]);

// Translates a part that is not a comparison. For a path in a filter, it tests whether the path exists, because its value would not show that.
function tested({ node, condition }: CriterionPart, asked: Asked, around: PartContext): string | undefined {
  if (condition instanceof Expr || condition.kind !== "current") return expression({ node, condition }, asked, around);
  const last = condition.path.at(-1);
  if (last === undefined) return "true";
  const owner = celPath(ITEM, condition.path.slice(0, -1));
  if (/^\d+$/.test(last)) return `${owner}.size() > ${last}`;
  const whole = celPath(ITEM, condition.path);
  return whole.endsWith(`.${last}`) ? `has(${whole})` : `${JSON.stringify(last)} in ${owner}`;
}

function bracketed({ kind }: ConditionPart, text: string): string {
  return kind === "binary" || (kind === "current" && !text.startsWith("has(")) ? `(${text})` : text;
}

type BinaryPart = ConditionPart & { readonly kind: "binary" };

function reportExactTexts(node: SourceNode, { operator, left, right }: BinaryPart, asked: Asked, around: PartContext): void {
  const sides = [left, right];
  if (sides.some((part) => part.kind === "literal" && !part.isText)) return;
  const isText = sides.some((part) => part.kind === "literal");
  const isStricter = operator === (around.isNegated ? "!=" : "==");
  if (isStricter || !isText) asked.scope.findings.tighten(node, EXACT, "Arazzo finds A and a equal, and takes 1 for '1'");
  else
    asked.scope.findings.lose(
      node,
      "the texts are compared exactly",
      "Arazzo finds A and a equal, so this can pass where Arazzo fails",
    );
}

const EXACT = "texts are compared exactly, here and in every other criterion";

function literal(
  { text, isText }: ConditionPart & { readonly kind: "literal" },
  node: SourceNode,
  { scope }: Asked,
): string | undefined {
  if (!isText || !text.includes("{$")) return text;
  const parts = splitEmbedded(JSON.parse(text) as string).map((part) => {
    const value = typeof part === "string" ? part : scope.resolve(part.text, node);
    return value === undefined || typeof value === "string" || value instanceof Expr ? value : new Expr(celOf(value));
  });
  const known = parts.filter((part) => part !== undefined);
  return known.length < parts.length ? undefined : celOf(new Joined(known));
}
