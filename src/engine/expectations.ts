import { type Json, type JsonObject, writeJson } from "../base/json.ts";
import { EvaluationFailure, type Expression, type Scope } from "../expression/expression.ts";
import type { StepProblem } from "../protocol/record.ts";

const EVIDENCE_CHARS = 2_000;

/** The first expectation that does not hold, with the values it looked at; `undefined` when all hold. */
export function firstBroken(expectations: readonly Expression[], scope: Scope): StepProblem | undefined {
  for (const expectation of expectations) {
    const problem = broken(expectation, scope);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function broken(expectation: Expression, scope: Scope): StepProblem | undefined {
  try {
    if (expectation.evaluate(scope) === true) return undefined;
    return {
      code: "expect.failed",
      message: `this does not hold: ${expectation.text.trim()}`,
      evidence: seen(expectation, scope),
    };
  } catch (error) {
    if (!(error instanceof EvaluationFailure)) throw error;
    return {
      code: "expect.no-value",
      message: `this cannot be told: ${expectation.text.trim()}: ${error.message}`,
      evidence: seen(expectation, scope),
    };
  }
}

/** What each name of an expression stood for, bounded for people. */
export function seen(expression: Expression, scope: Scope): JsonObject {
  const values = new Map<string, Json>();
  for (const { root, path } of expression.references) {
    const value = valueAt(scope, [root, ...path]);
    if (value !== undefined) values.set([root, ...path].join("."), bounded(value));
  }
  return Object.fromEntries(values);
}

function valueAt(scope: Scope, path: readonly string[]): Json | undefined {
  let value: unknown = scope;
  for (const name of path) {
    if (value === null || typeof value !== "object" || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value as Json;
}

function bounded(value: Json): Json {
  const text = writeJson(value);
  return text.length <= EVIDENCE_CHARS ? value : `${text.slice(0, EVIDENCE_CHARS)}… (${text.length} characters)`;
}
