import { Failure } from "../base/failure.ts";
import type { JournalStore } from "../journal/store.ts";
import { decideAttempts } from "../protocol/attempts.ts";
import type { AttemptSettled } from "../protocol/record.ts";
import { type RunState, stateOf } from "../protocol/state.ts";

/** What a person says became of a write, and why they know. */
export interface Resolution {
  /** The step's address. */
  readonly step: string;
  readonly verdict: Exclude<AttemptSettled["verdict"], "superseded">;
  readonly because: string;
  readonly who: string;
}

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

/**
 * Settles a write by a person's word, which is kept with their name and reason. Nothing is sent; `resume` goes on from there. Throws a
 * Failure when the run is held, or has no such write.
 */
export function resolveWrite(store: JournalStore, runId: string, resolution: Resolution): OpenWrite {
  const found = openWrites(stateOf(store.read(runId)));
  const write = found.find(({ step }) => step === resolution.step);
  if (write === undefined) throw nothingToResolve(runId, resolution.step, found);
  const { journal } = store.claim(runId);
  const { verdict, because, who } = resolution;
  journal.note({ kind: "attempt.settled", step: write.step, attempt: write.attempt, verdict, evidence: { who, because } });
  journal.note({ kind: "run.closed", outcome: "interrupted", outputs: {} });
  store.release(journal, "interrupted");
  return write;
}

function nothingToResolve(runId: string, step: string, found: readonly OpenWrite[]): Failure {
  const [first] = found;
  return new Failure({
    code: "resolve.nothing",
    message: `the run ${runId} has no write of the step "${step}" whose effect is unknown`,
    why: found.length === 0 ? "no write of this run is unknown" : `unknown: ${found.map((each) => each.step).join(", ")}`,
    next:
      first === undefined
        ? `tokenbook resume ${runId}`
        : `tokenbook resolve ${runId} --step "${first.step}" --as applied --because …`,
  });
}
