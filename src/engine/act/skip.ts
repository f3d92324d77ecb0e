import type { Step } from "../../playbook/model.ts";
import type { Place } from "../../protocol/decide.ts";
import type { RunContext } from "../context.ts";

/** Completes a step as skipped when its `if` says so. */
export function skipIfTold(
  context: RunContext,
  step: Step,
  begun: { readonly place: Place; readonly startedAt: number },
): boolean {
  if (step.if === undefined || step.if.evaluate(context.scope()) === true) return false;
  context.note({
    kind: "step.completed",
    step: begun.place.address,
    outcome: "skipped",
    value: { outcome: "skipped" },
    startedAt: begun.startedAt,
    requests: 0,
  });
  return true;
}
