import { systemClock } from "../../base/ports.ts";
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
  return html(overviewPage({ runs, drifts: unacknowledgedDrifts(state), schedules: shown, now: systemClock.now() }));
}
