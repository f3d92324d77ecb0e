import { Failure } from "../../base/failure.ts";
import { systemClock } from "../../base/ports.ts";
import { leftBy } from "../../engine/run/earlier/writes-left-open.ts";
import type { RunSummary } from "../../journal/run-summary.ts";
import type { JournalStore } from "../../journal/store.ts";
import { overviewPage } from "../../report/html/pages/overview.ts";
import { html, type WebPage } from "./page.ts";
import { unacknowledgedDrifts } from "./drifts.ts";
import type { RunDetails } from "./run-details.ts";
import { listedRuns } from "./runs.ts";
import { listedSchedules } from "./schedules.ts";
import type { StatePlace } from "../../sql/place.ts";

/** The first page of a state directory. */
export function overviewOf(state: StatePlace, store: JournalStore, details: RunDetails): WebPage {
  const { shown } = listedSchedules(state);
  const runs = listedRuns(store, details);
  const unsettled = store.unsettled().filter((run) => leavesOpen(store, run));
  const open = new Set(unsettled.map(({ id }) => id));
  return html(overviewPage({ runs, open, drifts: unacknowledgedDrifts(state), schedules: shown, now: systemClock.now() }));
}

// A run whose records cannot be read may have left a write open.
function leavesOpen(store: JournalStore, run: RunSummary): boolean {
  try {
    return leftBy(store, run) !== undefined;
  } catch (error) {
    if (error instanceof Failure) return true;
    throw error;
  }
}
