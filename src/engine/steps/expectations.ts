import { sharingSteps } from "../../base/budget.ts";
import type { JsonObject } from "../../base/json.ts";
import { explain } from "../../expression/explain/explain.ts";
import type { Explanation } from "../../expression/explain/explanation.ts";
import { causeOf } from "../../expression/explain/tree.ts";
import { EvaluationFailure, type Expression, type Scope } from "../../expression/expression.ts";
import type { StepProblem } from "../../protocol/record.ts";
import { noValue } from "../write/lost-answer.ts";

/** Returns the first expectation that does not hold, with the reason; `undefined` when all hold. */
export function firstBroken(expectations: readonly Expression[], scope: Scope): StepProblem | undefined {
  return sharingSteps("expressionSteps", () => {
    for (const expectation of expectations) {
      const problem = broken(expectation, scope);
      if (problem !== undefined) return problem;
    }
    return undefined;
  });
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
    const explanation = explain(expectation, scope);
    const why = causeOf(explanation.tree) ?? error.message;
    const message = `this cannot be evaluated: ${expectation.text.trim()}: ${why}`;
    return { ...noValue(error, { code: "expect.no-value", message }), evidence: asJson(explanation) };
  }
}

/** Explains why an expression does not hold: its parts with their values, the answer, and what would make it hold. */
export function seen(expression: Expression, scope: Scope): JsonObject {
  return asJson(explain(expression, scope));
}

function asJson(explanation: Explanation): JsonObject {
  return explanation as unknown as JsonObject;
}
