import { invariant } from "../../base/failure.ts";
import { isObject, type Json, type JsonObject } from "../../base/json/json.ts";
import { LIMITS } from "../../base/limits.ts";
import { objectOf } from "../../base/maps.ts";
import { EvaluationFailure, type Scope } from "../../expression/expression.ts";
import { Unforeseen, unknownValue } from "../../expression/unknown.ts";
import { someInputs } from "../../playbook/inputs/given-inputs.ts";
import { bind, knownEntries, type Template } from "../../playbook/expressions/template.ts";
import type { IncludeStep } from "../../playbook/model.ts";
import type { UnknownPart } from "../../report/plan/shape.ts";

/** A value, as far as it is known. */
export interface ForeseenValue {
  /** The value, with unknown values in it that explain themselves. */
  readonly value: Json;
  /** The value, with null for each unknown part. */
  readonly shown: Json;
  /** The unknown parts, with their paths in the value and why they are unknown. */
  readonly unknown: readonly UnknownPart[];
}

/** Binds a template as far as its values are known. Throws an EvaluationFailure for an expression that surely has no value. */
export function foresee(template: Template, scope: Scope, path = "", levels: number = LIMITS.answerDepth): ForeseenValue {
  switch (template.kind) {
    case "list": {
      const items = template.items.map((item, at) => foresee(item, scope, `${path}[${at}]`, levels - 1));
      return { value: items.map(({ value }) => value), shown: items.map(({ shown }) => shown), unknown: unknownIn(items) };
    }
    case "object": {
      const fields = knownEntries(template, scope).map(
        ([name, field]) => [name, foresee(field, scope, path === "" ? name : `${path}.${name}`, levels - 1)] as const,
      );
      return {
        value: Object.fromEntries(fields.map(([name, { value }]) => [name, value])),
        shown: Object.fromEntries(fields.map(([name, { shown }]) => [name, shown])),
        unknown: unknownIn(fields.map(([, field]) => field)),
      };
    }
    case "literal":
    case "organization":
    case "expression":
    case "text":
      return leaf(template, scope, { path, levels });
  }
}

/** Does the same for a template that is an object. */
export function foreseeObject(template: Template, scope: Scope): ForeseenValue & { readonly value: JsonObject } {
  const { value, ...rest } = foresee(template, scope);
  invariant(template.kind === "object" || isObject(value), "`with` is an object");
  return { ...rest, value: value as JsonObject };
}

/** Returns the inputs of an included playbook that has not begun. Inputs that are not known yet get unknown values. */
export function foreseenInputs({ inputs, playbook }: IncludeStep, scope: Scope): JsonObject {
  const given = objectOf(inputs, (template) => valueOrUnknown(() => foresee(template, scope).value));
  const left = new Set(playbook.inputs.map(({ name }) => name).filter((name) => !inputs.has(name)));
  return { ...someInputs(playbook, {}, left), ...given };
}

function valueOrUnknown(find: () => Json): Json {
  try {
    return find();
  } catch (error) {
    if (!(error instanceof EvaluationFailure)) throw error;
    return unknownValue(error.message);
  }
}

function leaf(template: Template, scope: Scope, at: { readonly path: string; readonly levels: number }): ForeseenValue {
  try {
    const value = bind(template, scope, at.levels);
    return { value, shown: value, unknown: [] };
  } catch (error) {
    if (!(error instanceof Unforeseen)) throw error;
    const why = error.message;
    return { value: unknownValue(why), shown: null, unknown: [{ path: at.path, why }] };
  }
}

function unknownIn(parts: readonly ForeseenValue[]): readonly UnknownPart[] {
  return parts.flatMap(({ unknown }) => unknown);
}
