import { decideAttempts, mayStillArrive } from "./attempts.ts";
import type { AttemptState, RunState } from "./state.ts";

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
    return isOpen(attempts, state.epoch)
      ? [{ step, attempt: intended.attempt, operation: intended.operation, sentAt: intendedAt }]
      : [];
  });
}

// The investor interface has no receipts.
function isOpen(attempts: readonly AttemptState[], epoch: number): boolean {
  const awaitsReceipt = attempts.at(-1)?.intended.operation.startsWith("investor.") !== true;
  const decided = decideAttempts(attempts, { awaitsReceipt, epoch });
  switch (decided.do) {
    case "probe":
    case "await-receipt":
      return true;
    case "send-again":
      return mayStillArrive(attempts);
    case "stop":
      return decided.outcome === "unknown";
    default:
      return false;
  }
}
