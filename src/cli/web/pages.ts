import { type Hint } from "../../base/command-line.ts";
import { Failure } from "../../base/failure.ts";
import { percentDecoded } from "../../base/text/percent.ts";
import { sanitise } from "../../base/text/text.ts";
import { RUN_ARCHIVED } from "../../journal/archives/archives.ts";
import { peekIntoJournal } from "../runs/open-journal.ts";
import { driftOf, driftsOf } from "./drifts.ts";
import { RunReference } from "../runs/run-reference.ts";
import { type PageRequest, type WebPage, type Pages, plain } from "./page.ts";
import { overviewOf } from "./overview.ts";
import { RunDetails } from "./run-details.ts";
import { allRuns, eventsOf, oneRun, twoRuns } from "./runs.ts";
import { scheduleOf, schedulesOf } from "./schedules.ts";
import type { StatePlace } from "../../sql/place.ts";
import { withHints } from "../../report/html/parts/copy.ts";

/**
 * Returns the pages of a state directory: an overview, and its runs, drifts and schedules. Each page is made on request, and none changes anything. `hint`
 * completes the commands on them.
 */
export function pagesOver(state: StatePlace, hint: Hint): Pages {
  const details = new RunDetails();
  return (asked) => {
    try {
      const page = pageOf({ state, details }, asked);
      return page.type === "text/html" ? { ...page, body: withHints(page.body, hint) } : page;
    } catch (error) {
      if (error instanceof Failure && NOT_THERE.has(error.code))
        return plain(404, sanitise(error.next === undefined ? error.message : `${error.message}\n${error.next}`));
      throw error;
    }
  };
}

const NOT_THERE: ReadonlySet<string> = new Set(["journal.no-such-run", "journal.several-runs", "drift.unknown", RUN_ARCHIVED]);

/** What pages are made from. */
interface PageMaterial {
  readonly state: StatePlace;
  readonly details: RunDetails;
}

// Every page lies in the folder of its list, so a link from any page to another begins with `../`.
function pageOf(source: PageMaterial, { path, query }: PageRequest): WebPage {
  const { state } = source;
  const [, list = "", id = "", part] = /^\/([a-z]+)\/([^/]*)(\/events)?$/.exec(path) ?? [];
  if (id === "") return part === undefined ? listOf(source, list, query) : nowhere();
  if (part !== undefined) return list === "runs" ? peekIntoJournal(state, (store) => eventsOf(store, runIn(id))) : nowhere();
  switch (list) {
    case "runs":
      return peekIntoJournal(state, (store) => oneRun(store, runIn(id)));
    case "drifts":
      return driftOf(state, percentDecoded(id));
    case "schedules":
      return scheduleOf(state, percentDecoded(id));
    default:
      return nowhere();
  }
}

function listOf({ state, details }: PageMaterial, list: string, query: URLSearchParams): WebPage {
  switch (list) {
    case "overview":
      return peekIntoJournal(state, (store) => overviewOf(state, store, details));
    case "runs":
      return peekIntoJournal(state, (store) => allRuns(store, query, details));
    case "compare":
      return peekIntoJournal(state, (store) => twoRuns(store, query.getAll("run").map(RunReference.parse)));
    case "drifts":
      return driftsOf(state, query);
    case "schedules":
      return schedulesOf(state);
    default:
      return nowhere();
  }
}

function nowhere(): WebPage {
  return plain(404, "there is no such page");
}

function runIn(address: string): RunReference {
  return new RunReference(percentDecoded(address));
}
