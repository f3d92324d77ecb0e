import { shortened } from "../base/text/text.ts";
import { OutOfSteps, spend, spendOne, withinSteps } from "../base/budget.ts";
import { Decimal } from "../base/numbers/decimal.ts";
import { type Json, shownJson } from "../base/json/json.ts";
import { LIMITS } from "../base/limits.ts";
import { useExactArithmetic } from "./arithmetic.ts";
import { cel, type Environment } from "./cel.ts";
import { listThatMayBeEmpty } from "./certain/certain.ts";
import { useJsonEquality } from "./comparing/equality.ts";
import { isPlain } from "./comparing/two-types.ts";
import { type FieldPath, fieldPathOf, simpleValueAt } from "./field-path.ts";
import { useJsonKeys } from "./map-keys.ts";
import { useMixedNumbers } from "./mixed-numbers.ts";
import { itemAssumptions } from "./optional-fields.ts";
import type { ExpressionProblem } from "./problem.ts";
import type { Assumption, Reference } from "./reference.ts";
import { commentProblem, failedReason, syntaxProblem } from "./slip.ts";
import { countSteps } from "./steps.ts";
import { assumptionsOf, nodesOf, referencesIn, refusedSyntax, useExactLiterals } from "./syntax.ts";
import { forgetUnknown, Unforeseen, unknownMet } from "./unknown.ts";
import { alteredPart } from "./whole-use.ts";
import { useClearTextOrder } from "./comparing/text-order.ts";
import type { Stretch } from "../base/text/unescape.ts";

/** The values of the names in an expression during its evaluation. */
export type Scope = Readonly<Record<string, Json>>;

/** A scope that also holds values of CEL itself, such as the current item of a comprehension. */
export type BareScope = Readonly<Record<string, unknown>>;

/** Why an expression has no value, for example because the answer lacks a field, or because of a division by zero. */
export class EvaluationFailure extends Error {
  override readonly name = "EvaluationFailure";
  /** The expression that was evaluated, and its names' values; absent if none was. */
  readonly asked: { readonly expression: Pick<Expression, "text" | "references">; readonly scope: Scope } | undefined;
  /** Only the reason: the message also names the expression. */
  readonly why: string;

  constructor(why: string, { asked, ...options }: ErrorOptions & Partial<Pick<EvaluationFailure, "asked">> = {}) {
    super(asked === undefined ? why : `${named(asked.expression.text)}: ${why}`, options);
    this.asked = asked;
    this.why = why;
  }
}

const NAMED_CHARS = 200;

function named(text: string): string {
  return shortened(text.trim().replaceAll(/\s+/g, " "), NAMED_CHARS);
}

/** Returns the result of the work; `otherwise` if an expression in it has no value, or reads a value that cannot be known yet. */
export function ifKnown<T, Otherwise>(work: () => T, otherwise: Otherwise): T | Otherwise {
  try {
    return work();
  } catch (error) {
    if (error instanceof EvaluationFailure || error instanceof Unforeseen) return otherwise;
    throw error;
  }
}

// Evaluation is dynamic. The declared types were checked before; here the answer that the service really sent is read (decision 15).
const dynamic: Environment = cel.clone({ unlistedVariablesAreDyn: true });

type Program = ReturnType<Environment["parse"]>;

/** A part of an expression, with its offsets in the expression's text. */
export interface ExpressionPart extends Stretch {
  readonly text: string;
}

/** An expression, parsed once and evaluated many times. */
export class Expression {
  /** The text as it was given. */
  readonly text: string;
  /** The names that it reads, except those that it binds itself. */
  readonly references: readonly Reference[];
  readonly #program: Program;
  /** The path of an expression that is no more than a path. Most are, and those of a comparison are evaluated for each row. */
  readonly #path: FieldPath | undefined;

  private constructor(text: string, program: Program, path: FieldPath | undefined) {
    this.text = text;
    this.#path = path;
    this.references = referencesIn(program.ast);
    this.#program = program;
  }

  /** Parses a text. Returns a single problem if it is not an expression. */
  static parse(text: string): Expression | ExpressionProblem {
    if (text.length > LIMITS.expressionChars) return tooLong(text);
    if (text.trim() === "")
      return { code: "expression.syntax", message: "there is no expression here", start: 0, end: Math.max(text.length, 1) };
    const comment = commentProblem(text);
    if (comment !== undefined) return comment;
    try {
      const program = dynamic.parse(text);
      const nodes = nodesOf(program.ast);
      const path = fieldPathOf(program.ast);
      const refused = refusedSyntax(nodes);
      if (refused !== undefined) return refused;
      useExactLiterals(nodes);
      useExactArithmetic(nodes);
      useMixedNumbers(nodes);
      useJsonEquality(nodes);
      useJsonKeys(nodes);
      useClearTextOrder(nodes);
      countSteps(nodes);
      return new Expression(text, program, path);
    } catch (error) {
      return syntaxProblem(error, text);
    }
  }

  /** Returns what is certain if the expression holds as a condition. */
  assumptions(): readonly Assumption[] {
    return assumptionsOf(this.#program.ast);
  }

  /** Returns what is certain about each item of the list that the expression gives. `name` is the name of the item. */
  itemAssumptions(name: string): readonly Assumption[] {
    return itemAssumptions(this.#program.ast, name);
  }

  /** Returns the first part that gives something other than the whole value of a name, such as its `substring`. */
  alteredPart(name: string): ExpressionPart | undefined {
    const part = alteredPart(this.#program.ast, name);
    return part === undefined ? undefined : { text: this.text.slice(part.start, part.end), start: part.start, end: part.end };
  }

  /** Returns the text of a list for which the condition also holds if the list is empty, because it is only about each item. */
  listThatMayBeEmpty(): string | undefined {
    const list = listThatMayBeEmpty(this.#program.ast);
    return list === undefined ? undefined : this.text.slice(list.start, list.end).trim();
  }

  /**
   * Returns the value as JSON with exact numbers, nested at most `levels` deep. Throws an EvaluationFailure, or an Unforeseen if it needs a
   * value that cannot be known yet.
   */
  evaluate(scope: Scope, levels: number = LIMITS.answerDepth): Json {
    forgetUnknown();
    try {
      return this.#simply(scope) ?? withinSteps("expressionSteps", () => toJson(this.#program(scope), levels));
    } catch (error) {
      const asked = { expression: this, scope };
      if (error instanceof OutOfSteps) throw new EvaluationFailure(error.message, { cause: error, asked });
      const unknown = unknownMet();
      if (unknown !== undefined) throw unknown;
      throw new EvaluationFailure(failedReason(error), { cause: error, asked });
    }
  }

  #simply(scope: Scope): Json | undefined {
    const value = this.#path === undefined ? undefined : simpleValueAt(this.#path, scope);
    if (value !== undefined) spendOne();
    return value;
  }

  /** Returns whether it holds as a condition. Throws an EvaluationFailure, for example if it is neither true nor false. */
  holds(scope: Scope): boolean {
    const value = this.evaluate(scope);
    if (typeof value === "boolean") return value;
    throw new EvaluationFailure(`${this.text.trim()} must be true or false, and is ${shownJson(value)}`);
  }

  /** Returns the value in CEL's own form, which may have no JSON form. Throws an EvaluationFailure. */
  evaluateBare(scope: BareScope): unknown {
    try {
      return withinSteps("expressionSteps", () => this.#program(scope));
    } catch (error) {
      throw new EvaluationFailure(failedReason(error), { cause: error });
    }
  }
}

/** Returns whether parsing gave a problem instead of an expression. */
export function isProblem(parsed: Expression | ExpressionProblem): parsed is ExpressionProblem {
  return !(parsed instanceof Expression);
}

/**
 * Returns a CEL value as JSON with exact numbers. It counts its steps, because JSON repeats a part that a value holds many times. Throws a
 * TypeError if the value has no JSON form. Throws a RangeError if a number has too many digits, or the value is nested more than `levels`
 * deep, because what a run keeps must be readable again.
 */
export function toJson(value: unknown, levels: number = LIMITS.answerDepth): Json {
  spend(typeof value === "object" ? STEPS_OF_AN_OBJECT : 1);
  if (typeof value === "bigint") return Decimal.of(value);
  if (value === null || typeof value === "string" || typeof value === "boolean" || value instanceof Decimal) return value;
  if (Array.isArray(value) || (typeof value === "object" && isPlain(value))) {
    if (levels <= 0) throw new RangeError(`this gives a value that is nested deeper than ${LIMITS.answerDepth} levels`);
    if (Array.isArray(value)) return value.map((item) => toJson(item, levels - 1));
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, toJson(inner, levels - 1)]));
  }
  throw new TypeError(`an expression gave a value that has no JSON form (${typeof value})`);
}

const STEPS_OF_AN_OBJECT = 4;

function tooLong(text: string): ExpressionProblem {
  return {
    code: "expression.too-long",
    message: `an expression of ${text.length} characters; the limit is ${LIMITS.expressionChars}`,
    start: 0,
    end: text.length,
  };
}

/** Returns whether a parenthesis in the text is not closed. */
export function isCutOff(text: string): boolean {
  if (!text.includes("(")) return false;
  const bare = text.replaceAll(/"[^"]*"|'[^']*'/g, "");
  return bare.split("(").length > bare.split(")").length;
}
