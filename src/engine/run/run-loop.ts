import { sharingSteps } from "../../base/budget.ts";
import { Failure, invariant } from "../../base/failure.ts";
import { objectOf } from "../../base/maps.ts";
import { rested } from "../../base/time/turns.ts";
import { EvaluationFailure } from "../../expression/expression.ts";
import { isWrite } from "../../playbook/model.ts";
import { bind } from "../../playbook/expressions/template.ts";
import { closeEarly, Walk } from "../../protocol/decide.ts";
import type { RunClosed, RunOutcome } from "../../protocol/record.ts";
import { stepIn } from "../../protocol/state.ts";
import { awaitReceipt } from "../write/await-receipt.ts";
import type { Attempted } from "../write/attempted.ts";
import { noteUnmade } from "../compare/unmade.ts";
import { begin } from "../steps/begin-call.ts";
import { complete } from "../write/complete-write.ts";
import { end } from "../steps/end-block.ts";
import { expand } from "../steps/expand-foreach.ts";
import { nothingCompared } from "../steps/nothing-compared.ts";
import { judgeRefusal } from "../write/judge-refusal.ts";
import { probe, whatNext } from "../write/probe.ts";
import { sendAgain } from "../write/send.ts";
import { turn } from "../steps/turn-block.ts";
import { PassingFailure } from "../../sql/failure.ts";
import { callerOf, callerThen } from "../service/caller.ts";
import { noValue } from "../write/lost-answer.ts";
import type { RunContext } from "./run-context.ts";
import { Interrupted } from "./interrupted.ts";
import { type Action, type Place, planOf } from "./plan-steps.ts";

/**
 * Runs the loop: decides from the state what to do next, does it, records the result, and decides again. Returns the outcome, which is not
 * recorded yet; the run is still held.
 */
export async function runLoop(context: RunContext): Promise<RunClosed> {
  const closed = await untilClosed(context);
  await context.asked(() => noteUnmade(context, closed.outcome));
  return closed;
}

async function untilClosed(context: RunContext): Promise<RunClosed> {
  const walk = new Walk(planOf(context.playbook));
  const work = new Work(context);
  const isBusy = (round: string): boolean => work.isBusyIn(round);
  try {
    while (!context.stopping) {
      const next = walk.next(context.state, { isBusy });
      if (next.kind === "close") return ended(context, next.outcome);
      await work.doUntilOneEnds(next.actions);
      await rested();
    }
    await work.settled();
    // After a stop, `always` steps still run, within a time for which people can be expected to wait.
    for (context.beginGrace(); !context.stopping;) {
      const next = walk.next(context.state, { isBusy, interrupted: true });
      if (next.kind === "close") break;
      await work.doUntilOneEnds(next.actions);
    }
  } finally {
    await work.settled();
  }
  // A resumed run does what the stop left undone. A difference that was found before the stop counts all the same (decision 191).
  return closeEarly(context.state);
}

/** The actions in progress: one at a time, or several in the rounds of a parallel `foreach`. */
class Work {
  readonly #context: RunContext;
  /** The actions by the address of their step. */
  readonly #underWay = new Map<string, { readonly done: Promise<void>; readonly within: Place["within"] }>();

  constructor(context: RunContext) {
    this.#context = context;
  }

  isBusyIn(round: string): boolean {
    return this.#underWay.values().some(({ within }) => within.includes(round));
  }

  /** Begins the actions that are not in progress yet. Returns when one action has ended, since the next decision may differ. */
  async doUntilOneEnds(actions: readonly Action[]): Promise<void> {
    const [only] = actions;
    if (only !== undefined && actions.length === 1 && this.#underWay.size === 0) return actSafely(this.#context, only);
    for (const action of actions) if (!this.#underWay.has(action.place.address)) this.#start(action);
    await Promise.race(this.#all());
  }

  /** Returns when no action is in progress any more. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#all());
  }

  #start(action: Action): void {
    const { address, within } = action.place;
    const done = actSafely(this.#context, action).finally(() => this.#underWay.delete(address));
    this.#underWay.set(address, { done, within });
  }

  #all(): Iterable<Promise<void>> {
    return this.#underWay.values().map(({ done }) => done);
  }
}

// An expression without a value fails its step. A failure inside a check fails the check, never the run.
async function actSafely(context: RunContext, action: Action): Promise<void> {
  const { during } = context.ports;
  try {
    await (during === undefined ? act(context, action) : during(action.place.address, () => act(context, action)));
  } catch (error) {
    if (error instanceof Interrupted) return; // nothing is recorded: the step begins again when the run is resumed
    if (error instanceof PassingFailure) return context.untilBack(error);
    await stopFailed(context, action.place, error);
  }
  if (action.place.step.kind === "call" || action.place.step.kind === "check") await context.hold("after", action.place);
}

async function stopFailed(context: RunContext, place: Place, error: unknown): Promise<void> {
  const stopped = { startedAt: context.ports.clock.now(), outcome: "failed" } as const;
  if (error instanceof EvaluationFailure)
    return context.stop(place, { ...stopped, problem: noValue(error, { code: "expression.no-value" }) });
  if (!(error instanceof Failure) || place.step.kind !== "check") throw error;
  // If the journal itself has failed, this write fails too, and the run breaks off.
  await context.write({ kind: "step.stopped", step: place.address, ...stopped, problem: error.toJSON() });
}

async function act(context: RunContext, action: Action): Promise<void> {
  const { place } = action;
  switch (action.do) {
    case "expand":
      return expand(context, place);
    case "begin":
      return begin(context, place);
    case "send-again":
      return sendAgain(context, attempted(context, place, action.attempt));
    case "await-receipt":
      return awaitReceipt(context, attempted(context, place, action.attempt));
    case "probe":
      return probe(context, attempted(context, place, action.attempt));
    case "complete":
      return complete(context, attempted(context, place, action.attempt));
    case "judge-refusal":
      return judgeRefusal(context, attempted(context, place, action.attempt));
    case "stop":
      return stop(context, action);
    case "turn":
      return turn(context, place, action.turn);
    case "end":
      return end(context, place, action.ending);
  }
}

function stop(context: RunContext, { place, outcome, problem }: Extract<Action, { do: "stop" }>): void {
  const startedAt = stepIn(context.state, place.address).attempts.at(-1)?.intendedAt ?? context.ports.clock.now();
  const next = outcome === "unknown" ? { next: whatNext(context, place) } : {};
  context.stop(place, { startedAt, outcome, problem: { ...problem, ...next } });
}

function attempted(context: RunContext, place: Place, attempt: number): Attempted {
  const state = stepIn(context.state, place.address).attempts[attempt];
  invariant(state !== undefined, "an action is about an attempt that was made");
  const { step } = place;
  invariant(step.kind === "call" && isWrite(step), "only a write has attempts");
  const caller = callerOf(step.as, context.scopeAt(place));
  return { place, step, state, caller: callerThen({ operation: step.operation, caller }, state.intended) };
}

// An output without a value fails the run, since the caller relies on it.
function ended(context: RunContext, outcome: RunOutcome): RunClosed {
  const { playbook, state } = context;
  const kind = "run.closed";
  if (outcome !== "passed") return { kind, outcome, outputs: {} };
  const nothing = nothingCompared(playbook, () => state.steps.keys());
  if (nothing !== undefined) return { kind, outcome: "failed", outputs: {}, problem: nothing };
  const scope = context.scopeAt({ frame: "", rounds: [] });
  try {
    const outputs = sharingSteps("expressionSteps", () => objectOf(playbook.outputs, (template) => bind(template, scope)));
    return { kind, outcome, outputs };
  } catch (error) {
    if (!(error instanceof EvaluationFailure)) throw error;
    const problem = noValue(error, { code: "output.no-value", message: `an output has no value: ${error.message}` });
    return { kind, outcome: "failed", outputs: {}, problem };
  }
}
