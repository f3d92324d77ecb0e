import { Decimal } from "../base/decimal.ts";
import { type Json, writeJson } from "../base/json.ts";
import { EvaluationFailure, type Expression, type Scope } from "../expression/expression.ts";

/** A value of a playbook that may hold expressions. */
export type Template =
  | { readonly kind: "literal"; readonly value: Json }
  /** The whole value is one expression; `number` where a numeral in a string is to become a number. */
  | { readonly kind: "expression"; readonly expression: Expression; readonly number: boolean }
  /** Text with expressions in it. */
  | { readonly kind: "text"; readonly parts: readonly (string | Expression)[] }
  | { readonly kind: "list"; readonly items: readonly Template[] }
  | { readonly kind: "object"; readonly entries: readonly (readonly [string, Template])[] };

/** The value of a template. Pure. Throws an EvaluationFailure. */
export function bind(template: Template, scope: Scope): Json {
  switch (template.kind) {
    case "literal":
      return template.value;
    case "expression":
      return asNumber(template.expression.evaluate(scope), template.number);
    case "text":
      return template.parts.map((part) => (typeof part === "string" ? part : textOf(part, scope))).join("");
    case "list":
      return template.items.map((item) => bind(item, scope));
    case "object":
      return Object.fromEntries(template.entries.map(([key, value]) => [key, bind(value, scope)]));
  }
}

function asNumber(value: Json, wanted: boolean): Json {
  if (!wanted || typeof value !== "string") return value;
  return Decimal.parse(value) ?? value;
}

function textOf(expression: Expression, scope: Scope): string {
  const value = expression.evaluate(scope);
  if (typeof value === "string") return value;
  if (value instanceof Decimal || typeof value === "boolean") return String(value);
  throw new EvaluationFailure(`${expression.text.trim()} is ${writeJson(value)}, which has no place inside a text`);
}

/** Every expression of a template, in the order they are written. */
export function* expressionsIn(template: Template): Generator<Expression> {
  switch (template.kind) {
    case "literal":
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
