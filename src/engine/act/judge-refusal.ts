import { refusalMeets } from "../../operations/answer.ts";
import type { CallStep } from "../../playbook/model.ts";
import type { StepProblem } from "../../protocol/record.ts";
import type { AttemptState } from "../../protocol/state.ts";
import type { RunContext } from "../context.ts";
import type { Attempted } from "./attempted.ts";

/** Completes a step that was to be refused, when it was refused as expected; otherwise the refusal is its failure. */
export function judgeRefusal(context: RunContext, { place, step, state }: Attempted): void {
  const refusal = refusalOf(state);
  const startedAt = state.intendedAt;
  if (step.fails !== undefined && refusalMeets(step.fails, refusal)) {
    const value = { outcome: "ok", refusal: refusal.message };
    return context.note({ kind: "step.completed", step: place.address, outcome: "ok", value, startedAt, requests: 1 });
  }
  context.stop(place, { startedAt, outcome: "failed", problem: problemOf(step, state, refusal.message) });
}

function refusalOf({ answered, receipt }: AttemptState): { readonly message: string; readonly condition: string | undefined } {
  const said = receipt?.receipt["message"];
  if (receipt !== undefined)
    return { message: typeof said === "string" ? said : "the receipt says FAILED", condition: undefined };
  return { message: answered?.message ?? "", condition: answered?.condition ?? undefined };
}

function problemOf(step: CallStep, { answered, receipt }: AttemptState, message: string): StepProblem {
  if (receipt !== undefined)
    return { code: "receipt.failed", message: `the ledger did not commit: ${message}`, evidence: receipt.receipt };
  const expected = step.fails === undefined ? {} : { why: `it was to be refused with "${step.fails}"` };
  return { code: answered?.status === 401 ? "service.key-refused" : "service.refused", message, ...expected };
}
