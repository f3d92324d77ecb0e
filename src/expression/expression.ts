import { OutOfSteps, spend, withinSteps } from "../base/budget.ts";
import { Decimal } from "../base/decimal.ts";
import { type Json, shownJson } from "../base/json.ts";
import { LIMITS } from "../base/limits.ts";
import { useExactArithmetic } from "./arithmetic.ts";
import { cel, type Environment } from "./cel.ts";
import { useJsonEquality } from "./equality.ts";
import { useJsonKeys } from "./map-keys.ts";
import { useMixedNumbers } from "./mixed-numbers.ts";
import type { ExpressionProblem } from "./problem.ts";
import type { Assumption, Reference } from "./reference.ts";
import { summaryOf, syntaxProblem } from "./slip.ts";
import { countSteps } from "./steps.ts";
import { assumptionsOf, nodesOf, referencesIn, refusedSyntax, useExactLiterals } from "./syntax.ts";
import { forgetUnknown, unknownMet } from "./unknown.ts";

/** What the names of an expression stand for while it is evaluated. */
export type Scope = Readonly<Record<string, Json>>;

/** A scope that holds what the language made itself: the item that a comprehension looks at. */
export type BareScope = Readonly<Record<string, unknown>>;

/** Why an expression has no value: a field that the answer does not hold, a division by zero. */
export class EvaluationFailure extends Error {
  override readonly name = "EvaluationFailure";
  /** What the expression reads, and the names as they were; left out where none was evaluated. */
  readonly asked: { readonly references: readonly Reference[]; readonly scope: Scope } | undefined;

  constructor(message: string, { asked, ...options }: ErrorOptions & Partial<Pick<EvaluationFailure, "asked">> = {}) {
    super(message, options);
    this.asked = asked;
  }
}

// Evaluation is dynamic: what the types promise was checked before, what the service really sends is seen here
// (decision 15).
const dynamic: Environment = cel.clone({ unlistedVariablesAreDyn: true });

type Program = ReturnType<Environment["parse"]>;

/** An expression, parsed once and evaluated many times. */
export class Expression {
  readonly text: string;
  readonly references: readonly Reference[];
  readonly #program: Program;

  private constructor(text: string, program: Program) {
    this.text = text;
    this.references = referencesIn(program.ast);
    this.#program = program;
  }

  /** Parses; gives the one problem that keeps the text from being an expression. */
  static parse(text: string): Expression | ExpressionProblem {
    if (text.length > LIMITS.expressionChars) return tooLong(text);
    if (text.trim() === "")
      return { code: "expression.syntax", message: "there is no expression here", start: 0, end: Math.max(text.length, 1) };
    try {
      const program = dynamic.parse(text);
      const nodes = nodesOf(program.ast);
      const refused = refusedSyntax(nodes);
      if (refused !== undefined) return refused;
      useExactLiterals(nodes);
      useExactArithmetic(nodes);
      useMixedNumbers(nodes);
      useJsonEquality(nodes);
      useJsonKeys(nodes);
      countSteps(nodes);
      return new Expression(text, program);
    } catch (error) {
      return syntaxProblem(error, text);
    }
  }

  /** What is so wherever the expression, as a condition, holds. */
  assumptions(): readonly Assumption[] {
    return assumptionsOf(this.#program.ast);
  }

  /** The value, as JSON with exact numbers. Throws an EvaluationFailure; of what cannot be known yet, an Unforeseen. */
  evaluate(scope: Scope): Json {
    forgetUnknown();
    try {
      return withinSteps("expressionSteps", () => toJson(this.#program(scope)));
    } catch (error) {
      if (error instanceof OutOfSteps) throw new EvaluationFailure(error.message, { cause: error });
      const unknown = unknownMet();
      if (unknown !== undefined) throw unknown;
      throw new EvaluationFailure(summaryOf(error), { cause: error, asked: { references: this.references, scope } });
    }
  }

  /** Whether it holds, as a condition. Throws an EvaluationFailure also where it is neither true nor false. */
  holds(scope: Scope): boolean {
    const value = this.evaluate(scope);
    if (typeof value === "boolean") return value;
    throw new EvaluationFailure(`${this.text.trim()} must be true or false, and is ${shownJson(value)}`);
  }

  /** The value as the language has it, which may have no JSON form. Throws an EvaluationFailure. */
  evaluateBare(scope: BareScope): unknown {
    try {
      return withinSteps("expressionSteps", () => this.#program(scope));
    } catch (error) {
      throw new EvaluationFailure(summaryOf(error), { cause: error });
    }
  }
}

export function isProblem(parsed: Expression | ExpressionProblem): parsed is ExpressionProblem {
  return !(parsed instanceof Expression);
}

/**
 * A value of the language as JSON with exact numbers. It counts its steps: a value may hold the same part many times, and JSON has it each
 * time. Throws a TypeError when it has no such form.
 */
export function toJson(value: unknown): Json {
  spend(typeof value === "object" ? STEPS_OF_AN_OBJECT : 1);
  if (typeof value === "bigint") return Decimal.of(value);
  if (value === null || typeof value === "string" || typeof value === "boolean" || value instanceof Decimal) return value;
  if (Array.isArray(value)) return value.map(toJson);
  if (typeof value === "object" && isPlain(value)) {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, toJson(inner)]));
  }
  throw new TypeError(`an expression gave a value that has no JSON form (${typeof value})`);
}

const STEPS_OF_AN_OBJECT = 4;

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function tooLong(text: string): ExpressionProblem {
  return {
    code: "expression.too-long",
    message: `an expression of ${text.length} characters; the limit is ${LIMITS.expressionChars}`,
    start: 0,
    end: text.length,
  };
}

/** Whether a parenthesis of the text is left open. */
export function isCutOff(text: string): boolean {
  if (!text.includes("(")) return false;
  const bare = text.replaceAll(/"[^"]*"|'[^']*'/g, "");
  return bare.split("(").length > bare.split(")").length;
}
