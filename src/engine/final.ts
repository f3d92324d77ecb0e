import type { Json, JsonObject } from "../base/json.ts";
import { isObject, jsonEquals } from "../base/json.ts";
import { EvaluationFailure } from "../expression/expression.ts";
import type { Sets } from "../operations/meaning.ts";
import type { Again } from "../operations/probe.ts";
import type { CallStep, Playbook, Step } from "../playbook/model.ts";
import { bind } from "../playbook/template.ts";
import type { RunContext } from "./context.ts";
import type { Place, PlanStep } from "./plan.ts";

/**
 * Whether no write that may still come sets what this one sets. If one does, a sending of this one that arrives late would undo it; what
 * is unique would be refused, unless it was taken away. What nobody can tell of a later step counts as the same.
 */
export function isFinal(
  context: RunContext,
  place: Place,
  { input, again }: { readonly input: JsonObject; readonly again: Again | undefined },
): boolean {
  const { step } = place;
  if (step.kind !== "call") return true;
  const { sets } = step.operation.meaning;
  if (sets === undefined) return true;
  const own = sets.of(input, context.target.profile);
  const isRefused = again === "unique" || again === "never";
  const undoing = laterWrites(context.playbook, step).filter(
    ({ operation: { meaning } }) => !isRefused || meaning.sets?.removes === true,
  );
  return undoing.every((later) => !setsSame({ context, place, later, sets }, own));
}

interface Pair {
  readonly context: RunContext;
  readonly place: Place;
  readonly later: CallStep;
  readonly sets: Sets;
}

function setsSame({ context, place, later, sets }: Pair, own: readonly Json[] | undefined): boolean {
  const theirs = later.operation.meaning.sets;
  if (theirs?.what !== sets.what) return false;
  const input = inputOf(context, place, later);
  return meet(own, input === undefined ? undefined : theirs.of(input, context.target.profile));
}

/** Whether two writes set something of the same thing; what nobody can tell counts as the same. */
export function meet(own: readonly Json[] | undefined, ids: readonly Json[] | undefined): boolean {
  if (own === undefined || ids === undefined) return true;
  return own.some((one) => ids.some((other) => jsonEquals(one, other)));
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
function laterWrites(playbook: Playbook, step: PlanStep): readonly CallStep[] {
  return afterIn(playbook.steps, step)?.filter(({ operation }) => operation.writes) ?? [];
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
