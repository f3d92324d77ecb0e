import { Failure } from "../../base/failure.ts";
import { LIMITS } from "../../base/limits.ts";
import { unlessArchived } from "../../journal/archives/archives.ts";
import type { JournalStore } from "../../journal/store.ts";
import { reportOf } from "../../report/model.ts";
import { countsOf } from "../../report/text.ts";
import type { RunDetail } from "../../report/html/pages/runs.ts";

interface KeptDetail {
  /** How many records the run had when we read it. */
  readonly records: number;
  readonly detail: RunDetail | null;
}

/** The details of runs that only their records hold. A run is read again only when it has new records. */
export class RunDetails {
  readonly #kept = new Map<string, KeptDetail>();

  /** Returns a reader for one page. It reads at most `LIMITS.viewRecords` records, and returns null for the remaining runs. */
  readerOf(store: JournalStore): (runId: string) => RunDetail | null {
    if (this.#kept.size > 2 * LIMITS.viewRuns) this.#kept.clear();
    let left: number = LIMITS.viewRecords;
    return (runId) => {
      const records = unlessArchived(() => store.count(runId));
      if (records === undefined) return null;
      const kept = this.#kept.get(runId);
      if (kept?.records === records) return kept.detail;
      left -= records;
      if (left < 0) return null;
      const detail = detailOf(store, runId);
      this.#kept.set(runId, { records, detail });
      return detail;
    };
  }
}

// The list is shown even if the records of one run cannot be read.
function detailOf(store: JournalStore, runId: string): RunDetail | null {
  try {
    const { run, totals } = reportOf(store.read(runId));
    return { name: run.playbook.name, durationMs: run.durationMs, counts: countsOf(totals) };
  } catch (error) {
    if (error instanceof Failure) return null;
    throw error;
  }
}
