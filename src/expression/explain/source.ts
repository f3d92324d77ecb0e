import { getOrInsert } from "../../base/maps.ts";
import { isOutOfSteps } from "../../base/budget.ts";
import type { Json } from "../../base/json/json.ts";
import { LIMITS } from "../../base/limits.ts";
import { Recent } from "../../base/recent.ts";
import { type ASTNode, cel } from "../cel.ts";
import { type BareScope, EvaluationFailure, Expression, isProblem } from "../expression.ts";
import { childrenOf, nodesOf } from "../syntax.ts";
import { jsonOf } from "./glimpse.ts";

/** The result of a sub-expression. */
export type PartOutcome = { readonly value: unknown } | { readonly failure: EvaluationFailure };

const UNKNOWN: PartOutcome = { value: undefined };
const LEAST_CHARS = 40;

/** The parts of an expression, with their texts and values. It counts its work, and stops at its limits. */
export class DissectedExpression {
  /** The syntax tree of the whole expression. */
  readonly tree: ASTNode;
  readonly #text: string;
  readonly #texts: readonly ASTNode[];
  readonly #writtenAs = new Map<ASTNode, string>();
  readonly #parsed = new Recent((text) => Expression.parse(text));
  readonly #known = new WeakMap<BareScope, Map<ASTNode, PartOutcome>>();
  #evaluations: number = LIMITS.explainedEvaluations;
  #nodes: number = LIMITS.explainedNodes;
  #chars: number = LIMITS.explainedChars;

  constructor(text: string) {
    this.#text = text;
    this.tree = cel.parse(text).ast;
    this.#texts = nodesOf(this.tree).filter((node) => node.op === "value" && typeof node.args === "string");
  }

  /** Returns whether one more sub-expression with this many characters may be shown. */
  allows(chars: number): boolean {
    this.#nodes -= 1;
    this.#chars -= chars + LEAST_CHARS;
    return this.#nodes >= 0 && this.#chars >= 0;
  }

  /** Returns whether the limits for evaluating are reached. */
  get isSpent(): boolean {
    return this.#evaluations <= 0 || isOutOfSteps();
  }

  /** Returns the value of a part. The value is `undefined` if the limits are reached. */
  evaluate(node: ASTNode, scope: BareScope): PartOutcome {
    const known = getOrInsert(this.#known, scope, () => new Map<ASTNode, PartOutcome>());
    return getOrInsert(known, node, () => this.#evaluated(node, scope));
  }

  #evaluated(node: ASTNode, scope: BareScope): PartOutcome {
    if (this.isSpent) return UNKNOWN;
    this.#evaluations -= 1;
    const expression = this.#parsed.of(this.#written(node));
    if (isProblem(expression)) return UNKNOWN;
    try {
      return { value: expression.evaluateBare(scope) };
    } catch (error) {
      return error instanceof EvaluationFailure ? { failure: error } : UNKNOWN;
    }
  }

  /** Returns the value of a part as JSON; `undefined` if it has none. */
  jsonAt(node: ASTNode, scope: BareScope): Json | undefined {
    const outcome = this.evaluate(node, scope);
    return "value" in outcome ? jsonOf(outcome.value) : undefined;
  }

  /** Returns the text of a part, on one line. */
  textOf(node: ASTNode): string {
    const text = this.#line(this.#written(node), node);
    return text.length <= LIMITS.shownChars ? text : `(an expression of ${text.length} characters)`;
  }

  // Removes line breaks and indentation, except inside a text literal.
  #line(written: string, node: ASTNode): string {
    const hasText = this.#texts.some(
      ({ start, end }) => start >= node.start && end <= node.end && this.#text.slice(start, end).includes("\n"),
    );
    return hasText ? written : written.replaceAll(/\s*\n\s*/g, " ");
  }

  #written(node: ASTNode): string {
    return getOrInsert(this.#writtenAs, node, () => this.#textAround(node));
  }

  // The library leaves the parentheses around a part out of its range: the range of `(a + b) * c` begins after the first parenthesis.
  #textAround({ start, end }: ASTNode): string {
    let [opened, unopened] = [0, 0];
    for (let at = start; at < end; at++) {
      at = this.#texts.find((text) => text.start === at)?.end ?? at;
      const char = at < end ? this.#text[at] : "";
      if (char === "(") opened += 1;
      else if (char === ")" && opened > 0) opened -= 1;
      else if (char === ")") unopened += 1;
    }
    return this.#text.slice(this.#widened(start, -1, unopened), this.#widened(end - 1, 1, opened) + 1);
  }

  #widened(from: number, step: -1 | 1, parentheses: number): number {
    let at = from;
    for (let left = parentheses; left > 0 && at > 0 && at < this.#text.length;) {
      at += step;
      if (this.#text[at] === (step < 0 ? "(" : ")")) left -= 1;
    }
    return at;
  }
}

/** Returns whether a part is a literal, whose value need not be shown in addition. */
export function isLiteral(node: ASTNode): boolean {
  if (node.op === "value") return true;
  if (node.op === "call") return LITERAL_CALLS.has(node.args[0]) && childrenOf(node).every(isLiteral);
  return (node.op === "-_" || node.op === "list" || node.op === "map") && childrenOf(node).every(isLiteral);
}

const LITERAL_CALLS: ReadonlySet<string> = new Set(["decimal", "string", "int", "date"]);

/** Returns whether a name occurs in a part. */
export function mentions(node: ASTNode, name: string): boolean {
  return nodesOf(node).some((each) => each.op === "id" && each.args === name);
}
