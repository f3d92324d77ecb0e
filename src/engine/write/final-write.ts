import { isObject, type JsonObject } from "../../base/json.ts";
import { EvaluationFailure } from "../../expression/expression.ts";
import type { Repeatability } from "../../services/probe.ts";
import { canUndo } from "../../services/sets.ts";
import { type CallStep, isWrite, type Playbook, type Step, type WriteStep } from "../../playbook/model.ts";
import { bind } from "../../playbook/expressions/template.ts";
import type { RunContext } from "../run/run-context.ts";
import type { Place, PlanStep } from "../run/plan-steps.ts";

/**
 * Whether no write that may still come sets what this one sets. If one does, an attempt of this one that arrives late would undo it, or
 * take effect because of it. `again`: why one more attempt does no harm by itself. The reasons are those of decision 80.
 */
export function isFinal(
  context: RunContext,
  place: Place,
  { step, input, again }: { readonly step: WriteStep; readonly input: JsonObject; readonly again: Repeatability },
): boolean {
  const { profile } = context.target;
  const late = { sets: step.operation.meaning.sets, input };
  return laterWrites(context.playbook, step).every(
    (later) => !canUndo(late, { sets: later.operation.meaning.sets, input: inputOf(context, place, later) }, { again, profile }),
  );
}

// Known only when nothing is missing for it, and of a step that sees the same names.
function inputOf(context: RunContext, place: Place, later: CallStep): JsonObject | undefined {
  if (later.foreach !== undefined || !isBeside(context, place, later)) return undefined;
  try {
    const input = bind(later.with, context.scopeAt(place));
    return isObject(input) ? input : undefined;
  } catch (error) {
    if (error instanceof EvaluationFailure) return undefined;
    throw error;
  }
}

function isBeside({ playbook }: RunContext, { frame, rounds }: Place, later: CallStep): boolean {
  return frame === "" && rounds.length === 0 && playbook.steps.includes(later);
}

// The first place of a step that stands at several: what comes after it comes after all of them.
function laterWrites(playbook: Playbook, step: PlanStep): readonly WriteStep[] {
  return afterIn(playbook.steps, step)?.filter(isWrite) ?? [];
}

function afterIn(steps: readonly Step[], step: PlanStep): readonly CallStep[] | undefined {
  for (const [at, each] of steps.entries()) {
    const within = afterWithin(each, step);
    if (within !== undefined) return [...within, ...steps.slice(at + 1).flatMap(callsIn)];
  }
  return undefined;
}

// In a loop everything of it comes again.
function afterWithin(each: Step, step: PlanStep): readonly CallStep[] | undefined {
  const inner = each === step ? [] : afterIn(partsOf(each), step);
  if (inner === undefined) return undefined;
  return each.foreach === undefined ? inner : callsIn(each);
}

function partsOf(step: Step): readonly Step[] {
  switch (step.kind) {
    case "call":
      return [];
    case "block":
      return [...step.steps, ...step.rescue, ...step.always];
    case "include":
      return step.playbook.steps;
  }
}

/** The calls of a step, and of all that it holds. */
export function callsIn(step: Step): readonly CallStep[] {
  return step.kind === "call" ? [step] : partsOf(step).flatMap(callsIn);
}
