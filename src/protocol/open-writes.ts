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
    if (completed !== undefined || last === undefined || last.past || last.settled !== undefined) return [];
    const { answered, receipt, intended, intendedAt } = last;
    const isOpen = receipt === undefined && (answered === undefined || answered.meaning === "ambiguous" || isAwaited(answered));
    return isOpen ? [{ step, attempt: intended.attempt, operation: intended.operation, sentAt: intendedAt }] : [];
  });
}

// Acknowledged, but its receipt never said a last word.
function isAwaited({ meaning, receiptId }: { readonly meaning: string; readonly receiptId: string | null }): boolean {
  return meaning === "acknowledged" && receiptId !== null;
}
