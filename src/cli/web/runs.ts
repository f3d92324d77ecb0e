import { LIMITS } from "../../base/limits.ts";
import { isoTime } from "../../base/time/date.ts";
import { spellHolder } from "../../journal/holder.ts";
import type { RunSummary } from "../../journal/run-summary.ts";
import type { JournalStore } from "../../journal/store.ts";
import { comparePage } from "../../report/html/pages/compare.ts";
import { runPage, type RunProgress } from "../../report/html/pages/page.ts";
import { type ListedRun, runsPage } from "../../report/html/pages/runs.ts";
import { reportOf } from "../../report/model.ts";
import type { ReportedOutcome, RunReport } from "../../report/shape.ts";
import { RUN_WORDS } from "../../report/words.ts";
import type { RunReference } from "../runs/run-reference.ts";
import { html, type WebPage, plain } from "./page.ts";
import type { RunDetails } from "./run-details.ts";

/** Returns the list of all runs, filtered. */
export function allRuns(store: JournalStore, query: URLSearchParams, details: RunDetails): WebPage {
  const filter = { outcome: query.get("outcome") ?? "", words: query.get("words") ?? "" };
  const runs = store.runs.latest(LIMITS.viewRuns).map(listing(store, details));
  return html(runsPage({ runs, total: store.runs.total() }, filter));
}

/** Returns a function that makes the list entry of a run. */
export function listing(store: JournalStore, details: RunDetails): (run: RunSummary) => ListedRun {
  const detailOf = details.readerOf(store);
  return (run) => ({ ...listed(run), detail: detailOf(run.id) });
}

function listed({ id, playbook, environment, openedAt, outcome, held }: RunSummary): Omit<ListedRun, "detail"> {
  return { id, playbook, environment, openedAt: isoTime(openedAt), outcome: reported(outcome), heldBy: holderOf(held) };
}

function holderOf(held: RunSummary["held"]): string | null {
  return held === undefined ? null : spellHolder(held.holder);
}

/** Returns the outcome of a run, in the words of reports. */
export function reported(outcome: string | undefined): ReportedOutcome {
  return outcome !== undefined && Object.hasOwn(RUN_WORDS, outcome) ? (outcome as ReportedOutcome) : "running";
}

/** Returns the page of one run. */
export function oneRun(store: JournalStore, run: RunReference): WebPage {
  const id = run.in(store);
  const progress = progressOf(store, id);
  return html(runPage(reportOf(store.read(id)), progress));
}

/** Returns the progress of a run. The run's page reloads when it changes. */
export function eventsOf(store: JournalStore, run: RunReference): WebPage {
  return { status: 200, type: "application/json", body: JSON.stringify(progressOf(store, run.in(store))) };
}

function progressOf(store: JournalStore, id: string): RunProgress {
  const { held } = store.summary(id);
  return { events: store.count(id), heldBy: holderOf(held) };
}

/** Returns two runs side by side. */
export function twoRuns(store: JournalStore, runs: readonly RunReference[]): WebPage {
  const [one, other] = runs;
  if (one === undefined || other === undefined || runs.length > 2)
    return plain(400, `chosen runs: ${runs.length}; go back, and choose two`);
  const reportOn = (run: RunReference): RunReport => reportOf(store.read(run.in(store)));
  const [a, b] = [reportOn(one), reportOn(other)];
  return html(a.run.startedAt <= b.run.startedAt ? comparePage(a, b) : comparePage(b, a));
}
