import { Failure } from "../../base/failure.ts";
import { LIMITS } from "../../base/limits.ts";
import { leftBy } from "../../engine/run/earlier/writes-left-open.ts";
import type { RunSummary } from "../../journal/run-summary.ts";
import type { JournalStore } from "../../journal/store.ts";
import { LATEST_RUNS, overviewPage } from "../../report/html/pages/overview.ts";
import { firstDayOf } from "../../report/html/parts/outcomes.ts";
import { html, type WebPage } from "./page.ts";
import { openInDrifts } from "./drifts.ts";
import type { RunDetails } from "./run-details.ts";
import { listing, reported } from "./runs.ts";
import { listedSchedules } from "./schedules.ts";
import type { StatePlace } from "../../sql/place.ts";

/** Returns the overview of a state directory. */
export function overviewOf(state: StatePlace, store: JournalStore, details: RunDetails): WebPage {
  const { shown } = listedSchedules(state);
  const now = store.clock.now();
  const days = store.runs.outcomesByDay(firstDayOf(now)).map((each) => ({ ...each, outcome: reported(each.outcome) }));
  const unsettled = store.runs.unsettled().filter((run) => leavesOpen(store, run));
  const open = new Set(unsettled.map(({ id }) => id));
  // A run that left a write open is shown until the write is resolved, whatever has run since.
  const others = store.runs.lastNotPassed(LIMITS.viewRuns).filter(({ id }) => !open.has(id));
  const unfinished = [...unsettled, ...others].toSorted((a, b) => b.openedAt - a.openedAt);
  const asListed = listing(store, details);
  const [runs, latest] = [unfinished.map(asListed), store.runs.latest(LATEST_RUNS).map(asListed)];
  return html(overviewPage({ runs, open, latest, days, ...openInDrifts(state), schedules: shown, now }));
}

// If a run's records cannot be read, it may have left a write open.
function leavesOpen(store: JournalStore, run: RunSummary): boolean {
  try {
    return leftBy(store, run) !== undefined;
  } catch (error) {
    if (error instanceof Failure) return true;
    throw error;
  }
}
