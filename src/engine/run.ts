import { invariant } from "../base/failure.ts";
import { EvaluationFailure } from "../expression/expression.ts";
import type { Step } from "../playbook/model.ts";
import { bind } from "../playbook/template.ts";
import { type Action, decide, type Place, type PlanStep } from "../protocol/decide.ts";
import type { RunClosed, RunOutcome } from "../protocol/record.ts";
import { stepIn } from "../protocol/state.ts";
import { awaitReceipt } from "./act/await-receipt.ts";
import type { Attempted } from "./act/attempted.ts";
import { begin } from "./act/begin.ts";
import { complete } from "./act/complete.ts";
import { expand } from "./act/expand.ts";
import { judgeRefusal } from "./act/judge-refusal.ts";
import { sendAgain } from "./act/send.ts";
import { callerOf } from "./caller.ts";
import type { RunContext } from "./context.ts";

/**
 * Carries a run to where it can go: asks what follows from the state, does it, records what came of it, and asks again.
 * Gives the outcome; the run is still held.
 */
export async function carryOn(context: RunContext): Promise<RunOutcome> {
  const plan = context.playbook.steps.map(planStep);
  let from = 0;
  while (!context.stopping) {
    const action = decide(plan, context.state, from);
    if (action.do === "close") return close(context, action.outcome);
    from = action.place.index;
    const step = context.playbook.steps[from];
    invariant(step !== undefined, "an action is about a step of the playbook");
    await actSafely(context, step, action);
  }
  return close(context, "interrupted");
}

function planStep({ id, foreach, operation, wait }: Step): PlanStep {
  const awaitsReceipt = operation.writes && operation.call.interface === "ledger" && wait !== undefined;
  return { id, foreach: foreach !== undefined, writes: operation.writes, awaitsReceipt };
}

// An expression that has no value fails its step; it never brings the run down.
async function actSafely(context: RunContext, step: Step, action: StepAction): Promise<void> {
  try {
    await act(context, step, action);
  } catch (error) {
    if (!(error instanceof EvaluationFailure)) throw error;
    const problem = { code: "expression.no-value", message: error.message };
    context.stop(action.place, { startedAt: context.ports.clock.now(), outcome: "failed", problem });
  }
}

type StepAction = Exclude<Action, { do: "close" }>;

async function act(context: RunContext, step: Step, action: StepAction): Promise<void> {
  const { place } = action;
  switch (action.do) {
    case "expand":
      invariant(step.foreach !== undefined, "only a foreach is expanded");
      return expand(context, { ...step, foreach: step.foreach }, place);
    case "begin":
      return begin(context, step, place);
    case "send-again":
      return sendAgain(context, step, attempted(context, step, action));
    case "await-receipt":
      return awaitReceipt(context, step, attempted(context, step, action));
    case "complete":
      return complete(context, step, attempted(context, step, action));
    case "judge-refusal":
      return judgeRefusal(context, step, attempted(context, step, action));
    case "stop":
      return stop(context, step, action);
  }
}

// What may have taken effect is for a person to look at: what was sent is in the journal, and how it shows is known.
function stop(context: RunContext, step: Step, { place, outcome, problem }: Extract<Action, { do: "stop" }>): void {
  const startedAt = stepIn(context.state, place.address).attempts.at(-1)?.intendedAt ?? context.ports.clock.now();
  const look = step.operation.meaning.readBack ?? "the service";
  const next = `tokenbook runs show ${context.opened.runId} tells what was sent; whether it took effect is seen by: ${look}`;
  context.stop(place, { startedAt, outcome, problem: outcome === "unknown" ? { ...problem, next } : problem });
}

function attempted(
  context: RunContext,
  step: Step,
  { place, attempt }: { readonly place: Place; readonly attempt: number },
): Attempted {
  const state = stepIn(context.state, place.address).attempts[attempt];
  invariant(state !== undefined, "an action is about an attempt that was made");
  return { place, state, caller: callerOf(step, context.scopeAt(step, place)) };
}

function close(context: RunContext, outcome: RunOutcome): RunOutcome {
  const closing = outcome === "passed" ? closePassed(context) : { outcome, outputs: {} };
  context.note({ kind: "run.closed", ...closing }); // durable when the run is released
  return closing.outcome;
}

// An output that has no value is a promise that the playbook did not keep.
function closePassed(context: RunContext): Omit<RunClosed, "kind"> {
  const scope = context.scope();
  try {
    const outputs = [...context.playbook.outputs].map(([name, template]) => [name, bind(template, scope)] as const);
    return { outcome: "passed", outputs: Object.fromEntries(outputs) };
  } catch (error) {
    if (!(error instanceof EvaluationFailure)) throw error;
    return {
      outcome: "failed",
      outputs: {},
      problem: { code: "output.no-value", message: `an output has no value: ${error.message}` },
    };
  }
}
