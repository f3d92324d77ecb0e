import { sharingSteps } from "../../base/budget.ts";
import { Decimal } from "../../base/numbers/decimal.ts";
import { type Json, shownJson } from "../../base/json/json.ts";
import { LIMITS } from "../../base/limits.ts";
import { EvaluationFailure, type Expression, type Scope } from "../../expression/expression.ts";
import { tooLongText } from "../../expression/steps.ts";

/** A value of a playbook that may hold expressions. */
export type Template =
  | { readonly kind: "literal"; readonly value: Json }
  /** The environment's organization, for an entity that names none. It occurs only among the entries of an object. */
  | { readonly kind: "organization" }
  /** The whole value is one expression; `number` if a numeral in a string must become a number. */
  | { readonly kind: "expression"; readonly expression: Expression; readonly number: boolean }
  /** Text with expressions in it. */
  | { readonly kind: "text"; readonly parts: readonly (string | Expression)[] }
  | { readonly kind: "list"; readonly items: readonly Template[] }
  | { readonly kind: "object"; readonly entries: readonly (readonly [string, Template])[] };

/**
 * Returns the value of a template, nested at most `levels` deep, as an answer may be. Pure. The expressions of the template share one
 * budget. Throws an EvaluationFailure.
 */
export function bind(template: Template, scope: Scope, levels: number = LIMITS.answerDepth): Json {
  return sharingSteps("expressionSteps", () => bound(template, scope, levels));
}

// A literal is never too deep, because the text of a playbook may nest less than an answer.
function bound(template: Template, scope: Scope, levels: number): Json {
  switch (template.kind) {
    case "literal":
      return template.value;
    case "organization":
      return organizationIn(scope) ?? null;
    case "expression":
      return asNumber(template.expression.evaluate(scope, levels), template.number);
    case "text":
      return joined(template.parts.map((part) => (typeof part === "string" ? part : textOf(part, scope))));
    case "list":
      return template.items.map((item) => bound(item, scope, levels - 1));
    case "object":
      return Object.fromEntries(knownEntries(template, scope).map(([key, value]) => [key, bound(value, scope, levels - 1)]));
  }
}

/** The name of the environment's organization in a scope. No expression can spell it. */
export const ORGANIZATION = "$organization";

function organizationIn(scope: Scope): Json | undefined {
  return scope[ORGANIZATION];
}

type ObjectTemplate = Extract<Template, { kind: "object" }>;

/** Returns the entries of an object. Leaves out the organization if the environment names none. */
export function knownEntries({ entries }: ObjectTemplate, scope: Scope): ObjectTemplate["entries"] {
  return organizationIn(scope) === undefined ? entries.filter(([, { kind }]) => kind !== "organization") : entries;
}

function asNumber(value: Json, wanted: boolean): Json {
  if (!wanted || typeof value !== "string") return value;
  return Decimal.parse(value) ?? value;
}

function joined(parts: readonly string[]): string {
  const chars = parts.reduce((sum, { length }) => sum + length, 0);
  if (chars > LIMITS.textChars) throw new EvaluationFailure(tooLongText(chars));
  return parts.join("");
}

function textOf(expression: Expression, scope: Scope): string {
  const value = expression.evaluate(scope);
  if (typeof value === "string") return value;
  if (value instanceof Decimal || typeof value === "boolean") return String(value);
  throw new EvaluationFailure(`${expression.text.trim()} is ${shownJson(value)}, which cannot be part of a text`);
}

/** Yields every expression of a template in the order of the text. */
export function* expressionsIn(template: Template): Generator<Expression> {
  switch (template.kind) {
    case "literal":
    case "organization":
      return;
    case "expression":
      yield template.expression;
      return;
    case "text":
      for (const part of template.parts) if (typeof part !== "string") yield part;
      return;
    case "list":
      for (const item of template.items) yield* expressionsIn(item);
      return;
    case "object":
      for (const [, value] of template.entries) yield* expressionsIn(value);
  }
}
