import { Failure } from "../../base/failure.ts";
import { LIMITS } from "../../base/limits.ts";
import { spellHolder } from "../../journal/holder.ts";
import type { JournalStore, RunSummary } from "../../journal/store.ts";
import { comparePage } from "../../report/html/compare.ts";
import { runPage } from "../../report/html/page.ts";
import { type ListedRun, runsPage } from "../../report/html/runs.ts";
import { reportOf } from "../../report/model.ts";
import type { ReportedOutcome } from "../../report/shape.ts";
import { RUN_WORDS } from "../../report/words.ts";
import type { Asked, Page, Pages } from "./server.ts";

/** Lends the journal for one look at it. */
export type Look = <T>(look: (store: JournalStore) => T) => T;

/** The pages over the runs of a state directory: the list, one run, two side by side. Each is made when it is asked for. */
export function pagesOver(look: Look): Pages {
  return (asked) => {
    try {
      return look((store) => pageOf(store, asked));
    } catch (error) {
      if (error instanceof Failure && error.code === "journal.no-such-run") return plain(404, error.message);
      throw error;
    }
  };
}

function pageOf(store: JournalStore, { path, query }: Asked): Page {
  const [, run, events] = /^\/runs\/([^/]+)(\/events)?$/.exec(path) ?? [];
  if (run !== undefined) return events === undefined ? oneRun(store, decoded(run)) : eventsOf(store, decoded(run));
  if (path === "/") return allRuns(store, query);
  if (path === "/compare") return twoRuns(store, query.getAll("run"));
  return plain(404, "there is no such page");
}

function allRuns(store: JournalStore, query: URLSearchParams): Page {
  const filter = { outcome: query.get("outcome") ?? "", words: query.get("words") ?? "" };
  return html(runsPage(store.list(LIMITS.viewRuns).map(listed), filter));
}

function listed({ id, playbook, environment, openedAt, outcome, held }: RunSummary): ListedRun {
  const heldBy = held === undefined ? null : spellHolder(held.holder);
  return { id, playbook, environment, openedAt: new Date(openedAt).toISOString(), outcome: reported(outcome), heldBy };
}

function reported(outcome: string | undefined): ReportedOutcome {
  return outcome !== undefined && Object.hasOwn(RUN_WORDS, outcome) ? (outcome as ReportedOutcome) : "running";
}

function oneRun(store: JournalStore, id: string): Page {
  const records = store.read(id);
  const report = reportOf(records);
  return html(runPage(report, { events: records.length, isLive: report.run.outcome === "running" }));
}

function eventsOf(store: JournalStore, id: string): Page {
  return { status: 200, type: "application/json", body: JSON.stringify({ events: store.count(id) }) };
}

function twoRuns(store: JournalStore, ids: readonly string[]): Page {
  if (ids.length !== 2) return plain(400, "choose two runs: /compare?run=RUN&run=RUN");
  const [before, after] = ids
    .map((id) => reportOf(store.read(id)))
    .toSorted((a, b) => a.run.startedAt.localeCompare(b.run.startedAt));
  return before === undefined || after === undefined ? plain(400, "choose two runs") : html(comparePage(before, after));
}

function html(pieces: Iterable<string>): Page {
  return { status: 200, type: "text/html", body: [...pieces].join("") };
}

function plain(status: 400 | 404, text: string): Page {
  return { status, type: "text/plain", body: `${text}\n` };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
