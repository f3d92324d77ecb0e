import type { GivenRefusal } from "../../operations/refusal.ts";
import type { StepProblem } from "../../protocol/record.ts";
import { mayStillArrive, refusalMessage } from "../../protocol/attempts.ts";
import type { AttemptState } from "../../protocol/attempt-state.ts";
import { stepIn } from "../../protocol/state.ts";
import type { RunContext } from "../run/run-context.ts";
import { isExpectedRefusal, notAsExpected, saidBy } from "../steps/expected-refusals.ts";
import type { Attempted } from "./attempted.ts";

/** Completes a step that was refused as expected. Any other refusal fails the step. */
export function judgeRefusal(context: RunContext, { place, step, state }: Attempted): void {
  const message = refusalMessage(state);
  const refusal = refusalOf(state, message);
  const startedAt = state.intendedAt;
  if (isExpectedRefusal(step, refusal)) {
    const value = { outcome: "ok", refusal: message };
    return context.complete(place, { outcome: "ok", value, startedAt, requests: 1 });
  }
  const problem = notAsExpected(step, refusal, problemOf(state, message));
  context.stop(place, { startedAt, outcome: "failed", problem });
}

/** Whether the service was too busy for the write, and the step expects exactly this. Then the write is not sent again. */
export function isBusyAsExpected(context: RunContext, { place, step, state }: Attempted): boolean {
  if (state.answered?.meaning !== "refused-later" || mayStillArrive(stepIn(context.state, place.address).attempts)) return false;
  return isExpectedRefusal(step, refusalOf(state, refusalMessage(state)));
}

// A receipt has no status code of its own. The status of the answer that contains it says nothing about the write.
function refusalOf({ answered, receipt }: AttemptState, message: string): GivenRefusal {
  if (receipt !== undefined) return { status: undefined, condition: undefined, message };
  return saidBy({ status: answered?.status ?? null, condition: answered?.condition ?? null, message });
}

function problemOf({ answered, receipt }: AttemptState, message: string): StepProblem {
  if (receipt !== undefined)
    return { code: "receipt.failed", message: `the ledger did not commit: ${message}`, evidence: receipt.receipt };
  return { code: answered?.status === 401 ? "service.key-refused" : "service.refused", message };
}
