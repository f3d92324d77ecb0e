import { isObject, type Json } from "../../base/json/json.ts";
import type { EvaluationFailure } from "../../expression/expression.ts";
import type { StepProblem } from "../../protocol/record.ts";

const OF_THE_ANSWER: ReadonlySet<string | undefined> = new Set(["response", "receipt", "transactionId"]);

/** Returns the problem of an expression without a value. If the expression uses an answer that was lost, the problem says what to do. */
export function noValue(
  error: EvaluationFailure,
  { code, message = error.message }: { code: string; message?: string },
): StepProblem {
  const asked = error.asked?.expression.references.find(({ root, path: [id = "", field] }) => {
    return root === "steps" && OF_THE_ANSWER.has(field) && lacks(error.asked?.scope["steps"], id, field ?? "");
  });
  if (asked === undefined) return { code, message };
  const [id, field] = asked.path;
  return {
    code,
    message,
    why: `the answer of the write steps.${id} was lost, and its receipt with it; other evidence shows that it took effect`,
    next: `use it only where it exists, as in has(steps.${id}.${field}); a write that is "changed" took effect, with or without a receipt`,
  };
}

// Every answer to a write names a transaction or a receipt. If a write has neither, its answer was lost.
function lacks(steps: Json | undefined, id: string, field: string): boolean {
  const step = isObject(steps) ? steps[id] : undefined;
  if (!isObject(step) || step["outcome"] !== "changed" || step["response"] !== null) return false;
  return !Object.hasOwn(step, field) || step[field] === null;
}
