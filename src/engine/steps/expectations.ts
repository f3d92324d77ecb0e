import { sharingSteps } from "../../base/budget.ts";
import { type JsonObject, shownJson, writeJson } from "../../base/json/json.ts";
import { explain } from "../../expression/explain/explain.ts";
import type { Explanation } from "../../expression/explain/explanation.ts";
import { causeOf } from "../../expression/explain/tree.ts";
import { EvaluationFailure, type Expression, type Scope } from "../../expression/expression.ts";
import { LIMITS } from "../../base/limits.ts";
import { seenIn } from "../../expression/explain/held.ts";
import type { HeldCondition, HeldConditions, StepProblem } from "../../protocol/record.ts";
import type { CallStep } from "../../playbook/model.ts";
import type { Place } from "../run/plan-steps.ts";
import type { ReadingContext } from "../run/reading-context.ts";
import { noValue } from "../write/lost-answer.ts";

/** The conditions of a step, and the keyword under which they are written. */
export interface Conditions {
  /** The keyword under which they are written; `that` is the one of a check. */
  readonly keyword: HeldCondition["keyword"];
  /** The conditions in the order in which they are written. */
  readonly all: readonly Expression[];
  /** The values of the names in them. */
  readonly scope: Scope;
}

/** The result of evaluating conditions: the first one that does not hold, or all of them with their values. */
export type JudgedConditions = BrokenCondition | { readonly held: readonly HeldCondition[] };

/** A condition that does not hold, and why. */
export interface BrokenCondition {
  /** `false`: it plainly does not hold. `no value`: something that it needs is missing. `no boolean`: it gives another type, and always will. */
  readonly gave: false | "no value" | "no boolean";
  readonly problem: StepProblem;
}

/** Evaluates the conditions of a step in order, up to the first one that does not hold. */
export function judgeConditions(conditions: Conditions): JudgedConditions {
  return firstBroken(conditions.all, conditions.scope) ?? { held: heldBy(conditions) };
}

/** Judges what a step that gave a value expects of itself. */
export function judgeExpect(context: ReadingContext, place: Place, step: CallStep, value: JsonObject): JudgedConditions {
  return context.asOwn(place, value, (scope) => judgeConditions({ keyword: "expect", all: step.expect, scope }));
}

/** Returns conditions that hold, with the values that they use. */
export function heldBy({ keyword, all, scope }: Conditions): readonly HeldCondition[] {
  return sharingSteps("expressionSteps", () => all.map((condition) => ({ keyword, ...seenIn(condition, scope) })));
}

/** Returns as many conditions of a step as its record may hold; nothing if it has none. */
export function keptOf(held: readonly HeldCondition[]): { readonly held?: HeldConditions } {
  if (held.length === 0) return {};
  let chars = 0;
  const shown = held.slice(0, LIMITS.heldConditions).filter((condition) => {
    chars += writeJson(condition).length;
    return chars <= LIMITS.heldChars;
  });
  return { held: { total: held.length, shown } };
}

/** Returns the first expectation that does not hold, with the reason; `undefined` when all hold. */
export function firstBroken(expectations: readonly Expression[], scope: Scope): BrokenCondition | undefined {
  return sharingSteps("expressionSteps", () =>
    expectations
      .values()
      .map((expectation) => brokenBy(expectation, scope))
      .find((broken) => broken !== undefined),
  );
}

function brokenBy(expectation: Expression, scope: Scope): BrokenCondition | undefined {
  const text = expectation.text.trim();
  try {
    const value = expectation.evaluate(scope);
    if (value === true) return undefined;
    const gave = value === false ? value : "no boolean";
    const message =
      value === false ? `this does not hold: ${text}` : `this must be true or false, and is ${shownJson(value)}: ${text}`;
    return { gave, problem: { code: "expect.failed", message, evidence: asJson(explain(expectation, scope)) } };
  } catch (error) {
    if (!(error instanceof EvaluationFailure)) throw error;
    const explanation = explain(expectation, scope);
    const why = causeOf(explanation.tree) ?? error.why;
    const problem = noValue(error, { code: "expect.no-value", message: `this cannot be evaluated: ${text}: ${why}` });
    return { gave: "no value", problem: { ...problem, evidence: asJson(explanation) } };
  }
}

function asJson(explanation: Explanation): JsonObject {
  return explanation as unknown as JsonObject;
}
