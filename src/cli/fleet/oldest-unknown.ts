import { leftBy } from "../../engine/run/earlier/writes-left-open.ts";
import type { RunSummary } from "../../journal/run-summary.ts";
import type { JournalStore } from "../../journal/store.ts";

/** Finds the oldest run that has left a write open. It is asked every few seconds, so it reads a run again only if that has changed. */
export class OldestUnknown {
  /** Runs that had left nothing open: for each id, the number of records and the epoch of the claim. */
  #clean = new Map<string, string>();

  /** Returns the age of that run in milliseconds. It is 0 only if no run has left a write open, even if the clock was set back. */
  ageIn(store: JournalStore): number {
    const oldest = this.runIn(store);
    return oldest === undefined ? 0 : Math.max(1, store.clock.now() - oldest.openedAt);
  }

  /** Returns the oldest run that has left a write open, if any. */
  runIn(store: JournalStore): RunSummary | undefined {
    const clean = new Map<string, string>();
    try {
      return store.runs.unsettled().findLast((run) => {
        const now = `${store.count(run.id)} ${run.held?.epoch}`;
        if (this.#clean.get(run.id) !== now && leftBy(store, run) !== undefined) return true;
        clean.set(run.id, now);
        return false;
      });
    } finally {
      this.#clean = clean;
    }
  }
}
