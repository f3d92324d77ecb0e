import { decideAttempts } from "./attempts.ts";
import type { RunState } from "./state.ts";

/** A write that nobody knows the effect of. */
export interface OpenWrite {
  readonly step: string;
  readonly attempt: number;
  readonly operation: string;
  readonly sentAt: number;
}

/** The writes of a run whose effect is not known. */
export function openWrites(state: RunState): readonly OpenWrite[] {
  return [...state.steps].flatMap(([step, { attempts, completed }]) => {
    const last = attempts.at(-1);
    if (completed !== undefined || last === undefined) return [];
    const { intended, intendedAt } = last;
    const decided = decideAttempts(attempts, { awaitsReceipt: true, epoch: state.epoch });
    const isOpen =
      decided.do === "probe" || decided.do === "await-receipt" || (decided.do === "stop" && decided.outcome === "unknown");
    return isOpen ? [{ step, attempt: intended.attempt, operation: intended.operation, sentAt: intendedAt }] : [];
  });
}
