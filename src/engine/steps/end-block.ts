import { invariant } from "../../base/failure.ts";
import type { Json, JsonObject } from "../../base/json/json.ts";
import { objectOf } from "../../base/maps.ts";
import type { Scope } from "../../expression/expression.ts";
import { bind, type Template } from "../../playbook/expressions/template.ts";
import { frameOf } from "../../protocol/address.ts";
import type { Ending } from "../../protocol/decide.ts";
import type { BlockTurned, CompletedOutcome, StepProblem } from "../../protocol/record.ts";
import { stepIn } from "../../protocol/state.ts";
import type { ReadingContext } from "../run/reading-context.ts";
import type { Place } from "../run/plan-steps.ts";

/** Ends a block or an included playbook when all its steps are done. */
export function end(context: ReadingContext, place: Place, ending: Ending): void {
  const { address } = place;
  const { begun, turned } = stepIn(context.state, address);
  invariant(begun !== undefined, "only what has begun is ended");
  const startedAt = begun.at;
  if (ending.outcome === "failed") {
    return context.stop(place, { startedAt, outcome: "failed", problem: failedBy(turned) });
  }
  const outcome = ending.outcome === "rescued" ? "rescued" : outcomeOf(context, ending.holds);
  const value = { outcome, ...outputsOf(context, place) };
  context.complete(place, { outcome, value, startedAt, requests: 0 });
}

// The failed step itself reports the problem.
function failedBy(turned: BlockTurned | undefined): StepProblem {
  const { failed = "a step of it", problem } = turned ?? {};
  return {
    code: "block.failed",
    message: `${failed} failed${problem === undefined ? "" : ` (${problem.code})`}; \`always\` has run`,
  };
}

// A block is `changed` if one of its steps is, and `unchanged` if none of its writes had to be sent.
function outcomeOf(context: ReadingContext, holds: readonly string[]): CompletedOutcome {
  const outcomes = new Set(holds.map((address) => context.state.steps.get(address)?.completed?.outcome));
  if (outcomes.has("changed")) return "changed";
  return outcomes.has("unchanged") ? "unchanged" : "ok";
}

/** Returns the outputs of an included playbook, for the value of its step. `valueOf` gives the value of one. */
export function outputsOf(
  context: ReadingContext,
  { step, address }: Place,
  valueOf: (template: Template, scope: Scope) => Json = bind,
): JsonObject {
  if (step.kind !== "include") return {};
  const scope = context.scopeAt({ frame: frameOf(address), rounds: [] });
  return { outputs: objectOf(step.playbook.outputs, (template) => valueOf(template, scope)) };
}
