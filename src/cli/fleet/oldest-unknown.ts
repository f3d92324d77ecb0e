import { leftBy } from "../../engine/run/earlier/writes-left-open.ts";
import type { RunSummary } from "../../journal/run-summary.ts";
import type { JournalStore } from "../../journal/store.ts";

/** Finds the oldest run that has left a write open. What is asked every few seconds reads no run twice that has not changed. */
export class OldestUnknown {
  /** Runs that had left nothing open, by their ids: how many records they had, and under which claim they were held. */
  #clean = new Map<string, string>();

  /** Returns how old that run is, in milliseconds; 0 only when no run has left a write open, however the clock was set since. */
  ageIn(store: JournalStore): number {
    const oldest = this.runIn(store);
    return oldest === undefined ? 0 : Math.max(1, store.clock.now() - oldest.openedAt);
  }

  /** Returns the oldest run that has left a write open; nothing when none has. */
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
