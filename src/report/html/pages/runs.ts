import { hint, outcomeMarkup } from "../parts/phrases.ts";
import { command } from "../../../base/command-line.ts";
import { formatDuration } from "../../../base/time/duration.ts";
import { count } from "../../../base/text/text.ts";
import { oneLine } from "../../formats/foreign-text.ts";
import type { ReportedOutcome } from "../../shape.ts";
import { RUN_WORDS } from "../../words.ts";
import { framed } from "../frame.ts";
import { type Child, el, type Markup } from "../markup.ts";
import { moment } from "../parts/moment.ts";
import { listPath, runLink } from "../parts/places.ts";
import { holdsWords, searchForm } from "../parts/search.ts";
import { type TableRow, tableOf } from "../parts/table.ts";
import { commandMarkup } from "../parts/copy.ts";

/** A run in the list of all runs. */
export interface ListedRun {
  /** The time and a random part: `20260131T120000-k3v9x2pq`. */
  readonly id: string;
  /** The file of the playbook. */
  readonly playbook: string;
  /** Its name in tokenbook.yaml. */
  readonly environment: string;
  /** When it was opened. ISO 8601, UTC. */
  readonly openedAt: string;
  /** How the run ended. */
  readonly outcome: ReportedOutcome;
  /** The process that runs it; null if there is none. */
  readonly heldBy: string | null;
  /** The details from its records; null if the records were not read. */
  readonly detail: RunDetail | null;
}

/** The details that only the records of a run hold. */
export interface RunDetail {
  /** The name of the playbook. */
  readonly name: string;
  /** In milliseconds, without the time between a stop and its resume; null while the run is not closed. */
  readonly durationMs: number | null;
  /** The number of steps by outcome. */
  readonly counts: string;
}

/** The filter of runs. An empty text matches all. */
interface RunFilter {
  /** An outcome of a run, such as `passed`. */
  readonly outcome: string;
  /** A part of the playbook's name or path, the environment or the run's id. */
  readonly words: string;
}

/** The latest runs of a state directory, and their total number. */
interface ListedRuns {
  readonly runs: readonly ListedRun[];
  /** The number of runs, including those that are not listed. */
  readonly total: number;
}

/** Returns the runs of a state directory that match the filter. Pure. */
export function runsPage({ runs, total }: ListedRuns, filter: RunFilter): Iterable<string> {
  const found = runs.filter((run) => isAskedFor(run, filter));
  return framed({ title: "Runs", place: "runs" }, [
    el("h1", {}, `${count(found.length, "run")}${found.length === total ? "" : ` of ${total}`}`),
    filterForm(filter),
    runs.length === 0 ? el("p", {}, "Nothing has run yet. Each run is listed here, with its outcome.") : listOf(found),
    runs.length === total
      ? ""
      : hint(`Looked for in the latest ${runs.length}; to list all: `, commandMarkup(command`runs --limit ${String(total)}`)),
  ]);
}

function isAskedFor({ id, playbook, environment, outcome, detail }: ListedRun, filter: RunFilter): boolean {
  const isNamed = holdsWords(`${id} ${playbook} ${detail?.name ?? ""} ${environment}`, filter.words);
  return (filter.outcome === "" || filter.outcome === outcome) && isNamed;
}

function filterForm({ outcome, words }: RunFilter): Markup {
  const choices = Object.entries(RUN_WORDS).map(([name, { word }]) =>
    el("option", { value: name, selected: name === outcome }, word),
  );
  return searchForm(
    { action: listPath("runs"), words, placeholder: "playbook, environment, run" },
    el("label", { for: "outcome" }, "Outcome"),
    el("select", { id: "outcome", name: "outcome" }, el("option", { value: "" }, "any"), choices),
  );
}

/** The columns of a table of runs. */
export const RUN_COLUMNS = ["Run", "Outcome", "Playbook", "Environment", "Started", "Duration", "Steps", "Run by"] as const;

function listOf(runs: readonly ListedRun[]): Markup {
  if (runs.length === 0) return el("p", {}, "There is no such run.");
  return el(
    "form",
    { class: "runs", action: listPath("compare") },
    tableOf("Runs", ["Compare", ...RUN_COLUMNS], runs.map(rowOf)),
    el(
      "p",
      { class: "choose" },
      el("button", { type: "submit" }, "Compare two"),
      el("span", { class: "hint" }, "Choose two runs of one playbook."),
    ),
  );
}

function rowOf(run: ListedRun): TableRow {
  const { id } = run;
  return [el("input", { type: "checkbox", name: "run", value: id, "aria-label": `Compare ${oneLine(id)}` }), ...runCells(run)];
}

/** Returns a row of a table of runs. */
export function runCells(run: ListedRun): TableRow {
  const { id, environment, openedAt, outcome, heldBy, detail } = run;
  return [
    runLink(id),
    outcomeMarkup(outcome, RUN_WORDS[outcome]),
    playbookOf(run),
    oneLine(environment),
    moment(openedAt),
    formatDuration(detail?.durationMs ?? null),
    detail?.counts ?? "",
    heldBy === null ? "" : oneLine(heldBy),
  ];
}

/** Returns the playbook of a run: its name and its file. */
export function playbookOf({ playbook, detail }: ListedRun): Child {
  if (detail === null || detail.name === playbook) return oneLine(playbook);
  return [oneLine(detail.name), " ", el("span", { class: "name" }, oneLine(playbook))];
}
