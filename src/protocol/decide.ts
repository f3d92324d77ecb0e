import { EXIT, type ExitCode } from "../base/exit.ts";
import type { RunOutcome, StepProblem, StoppedOutcome } from "./record.ts";
import { type AttemptState, addressOf, type RunState, type StepState } from "./state.ts";

/** What the protocol must know of a plan: the rest is the language's business. */
export interface PlanStep {
  readonly id: string;
  readonly foreach: boolean;
  readonly writes: boolean;
  /** Done only when its receipt says COMMITTED. */
  readonly awaitsReceipt: boolean;
}

/** One step, or one round of it. */
export interface Place {
  /** The step's place in the plan. */
  readonly index: number;
  readonly address: string;
  /** The round of its `foreach`. */
  readonly round: number | undefined;
}

/** The one thing to do next. */
export type Action =
  /** Evaluate the list of a `foreach`. */
  | { readonly do: "expand"; readonly place: Place }
  /** Nothing of it has happened: evaluate `if`, bind the input, then read or send. */
  | { readonly do: "begin"; readonly place: Place }
  /** What was sent had no effect: send again, after a pause. */
  | { readonly do: "send-again"; readonly place: Place; readonly attempt: number }
  | { readonly do: "await-receipt"; readonly place: Place; readonly attempt: number }
  /** The write took effect: find what it made, look at the expectations, complete. */
  | { readonly do: "complete"; readonly place: Place; readonly attempt: number }
  /** The service refused: expected or not. */
  | { readonly do: "judge-refusal"; readonly place: Place; readonly attempt: number }
  | { readonly do: "stop"; readonly place: Place; readonly outcome: StoppedOutcome; readonly problem: StepProblem }
  | { readonly do: "close"; readonly outcome: RunOutcome };

/** How often a write may be sent anew under one claim, when each sending surely had no effect. */
export const SENDINGS_PER_CLAIM = 5;

/**
 * What follows from what happened. Pure. `from` is the index below which all steps are known to be complete: the walk
 * starts there, so that a long run costs the same at each step.
 */
export function decide(plan: readonly PlanStep[], state: RunState, from = 0): Action {
  for (let index = from; index < plan.length; index++) {
    const step = plan[index];
    const place = step === undefined ? undefined : openPlace(step, index, state);
    if (step === undefined || place === undefined) continue;
    if (place === "expand") return { do: "expand", place: { index, address: step.id, round: undefined } };
    return decideStep(step, place, state.steps.get(place.address));
  }
  return { do: "close", outcome: "passed" };
}

// The first place of a step that is not complete; none when all of it is.
function openPlace(step: PlanStep, index: number, state: RunState): Place | "expand" | undefined {
  const whole = state.steps.get(step.id);
  if (whole?.completed !== undefined) return undefined;
  if (!step.foreach || whole?.stopped !== undefined) return { index, address: step.id, round: undefined };
  const expansion = state.expansions.get(step.id);
  if (expansion === undefined) return "expand";
  const round = expansion.rounds[expansion.complete];
  return round === undefined ? undefined : { index, address: addressOf(step.id, round.key), round: expansion.complete };
}

function decideStep(step: PlanStep, place: Place, state: StepState | undefined): Action {
  if (state?.stopped !== undefined) return { do: "close", outcome: state.stopped.outcome };
  const attempts = state?.attempts ?? [];
  const number = attempts.length - 1;
  const last = attempts[number];
  if (!step.writes || last === undefined || last.past) return { do: "begin", place };
  return decideAttempt(step, place, last, { number, sendings: attempts.filter(({ past }) => !past).length });
}

function decideAttempt(step: PlanStep, place: Place, last: AttemptState, count: { number: number; sendings: number }): Action {
  const attempt = count.number;
  if (last.settled !== undefined)
    return last.settled.verdict === "applied" ? { do: "complete", place, attempt } : { do: "send-again", place, attempt };
  if (last.receipt !== undefined) return { do: last.receipt.committed ? "complete" : "judge-refusal", place, attempt };
  if (last.answered === undefined) return { do: "stop", place, outcome: "unknown", problem: unanswered(last) };
  switch (last.answered.meaning) {
    case "ambiguous":
      return { do: "stop", place, outcome: "unknown", problem: ambiguous(last) };
    case "acknowledged":
      return { do: step.awaitsReceipt && last.answered.receiptId !== null ? "await-receipt" : "complete", place, attempt };
    case "refused":
      return { do: "judge-refusal", place, attempt };
    case "not-sent":
    case "refused-later":
      return count.sendings < SENDINGS_PER_CLAIM
        ? { do: "send-again", place, attempt }
        : { do: "stop", place, outcome: "failed", problem: notAccepted(last, count.sendings) };
  }
}

function unanswered({ intended, intendedAt }: AttemptState): StepProblem {
  return {
    code: "write.unanswered",
    message: `${intended.operation} was about to be sent at ${new Date(intendedAt).toISOString()}, and no answer was recorded`,
    why: "the process ended in between: the write may have taken effect, so it is not sent again",
  };
}

function ambiguous({ intended, intendedAt, answered }: AttemptState): StepProblem {
  return {
    code: "write.ambiguous",
    message: `${intended.operation}, sent at ${new Date(intendedAt).toISOString()}, has no answer that can be trusted: ${answered?.message ?? "no answer"}`,
    why: "it may have taken effect, or still take effect, so it is not sent again",
  };
}

function notAccepted({ intended, answered }: AttemptState, sendings: number): StepProblem {
  return {
    code: answered?.meaning === "not-sent" ? "service.unreachable" : "service.busy",
    message: `${intended.operation} could not be delivered in ${sendings} tries: ${answered?.message ?? "no answer"}`,
    why: "the service took none of them, so nothing has changed",
  };
}

/** The exit code that stands for a run's outcome. */
export function exitOf(outcome: RunOutcome): ExitCode {
  switch (outcome) {
    case "passed":
      return EXIT.passed;
    case "failed":
      return EXIT.failed;
    case "pending":
      return EXIT.pending;
    case "unknown":
      return EXIT.unknown;
    case "interrupted":
      return EXIT.interrupted;
  }
}
