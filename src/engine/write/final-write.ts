import { isObject, type JsonObject } from "../../base/json/json.ts";
import { ifKnown } from "../../expression/expression.ts";
import { unknownValue } from "../../expression/unknown.ts";
import type { Repeatability } from "../../services/probe.ts";
import { canUndo } from "../../services/sets.ts";
import { type CallStep, isWrite, type Playbook, type Step, type WriteStep } from "../../playbook/model.ts";
import { heldBy, stepsIn } from "../../playbook/playbook-walk.ts";
import { bind } from "../../playbook/expressions/template.ts";
import type { RunContext } from "../run/run-context.ts";
import type { Place, PlanStep } from "../run/plan-steps.ts";
import type { Attempted } from "./attempted.ts";
import { inputSent } from "./intended-input.ts";

/**
 * Whether no later write of the run sets what this one sets. If one does, a late attempt of this write would undo it, or would take effect
 * only because of it. `again` says why one more attempt does no harm by itself. See decision 80.
 */
export function isFinal(context: RunContext, attempted: Attempted, again: Repeatability): boolean {
  const { profile } = context.target;
  const { place, step } = attempted;
  const sent = inputSent(context, attempted);
  const late = { sets: step.operation.meaning.sets, input: "problem" in sent ? undefined : sent.input };
  return laterWrites(context.playbook, step).every(
    (later) => !canUndo(late, { sets: later.operation.meaning.sets, input: inputOf(context, place, later) }, { again, profile }),
  );
}

// The input of a later write is known only if it needs no step that may still run, and the step sees the same names.
function inputOf(context: RunContext, place: Place, later: CallStep): JsonObject | undefined {
  if (later.foreach !== undefined || !isBeside(context, place, later)) return undefined;
  const input = ifKnown(() => bind(later.with, { ...context.scopeAt(place), steps: stepsOver(context) }), null);
  return isObject(input) ? input : undefined;
}

// The values of the completed steps. Nothing is known of the others, not even whether they will run. See decision 209.
function stepsOver(context: RunContext): JsonObject {
  const { playbook, state } = context;
  const values = context.scopeAt({ frame: "", rounds: [] })["steps"];
  const isOver = ({ id }: Step): boolean => state.steps.get(id)?.completed !== undefined;
  const over = new Set([...stepsIn(playbook.steps.filter(isOver))].map(({ id }) => id));
  return Object.fromEntries(
    Array.from(playbook.names.keys(), (id) => {
      const value = isObject(values) && over.has(id) ? values[id] : undefined;
      return [id, value ?? unknownValue(`steps.${id} has not ended`)];
    }),
  );
}

function isBeside({ playbook }: RunContext, { frame, rounds }: Place, later: CallStep): boolean {
  return frame === "" && rounds.length === 0 && playbook.steps.includes(later);
}

// A step may be in several places. What follows the first place includes what follows the others.
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

// Each further round of a loop repeats all the steps of the loop.
function afterWithin(each: Step, step: PlanStep): readonly CallStep[] | undefined {
  const inner = each === step ? [] : afterIn(stepsOf(each), step);
  if (inner === undefined) return undefined;
  return each.foreach === undefined ? inner : callsIn(each);
}

function stepsOf(step: Step): readonly Step[] {
  return step.kind === "include" ? step.playbook.steps : heldBy(step);
}

/** The calls of a step, and of all steps inside it. */
export function callsIn(step: Step): readonly CallStep[] {
  return step.kind === "call" ? [step] : stepsOf(step).flatMap(callsIn);
}
