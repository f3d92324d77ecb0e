import { outcomeMarkup } from "../parts/phrases.ts";
import { formatDuration } from "../../../base/time/duration.ts";
import { count } from "../../../base/text/text.ts";
import { oneLine } from "../../formats/foreign-text.ts";
import type { NotBegun, RunReport } from "../../shape.ts";
import { countsOf, runsLine } from "../../text.ts";
import { environmentWords, markedWord, NOT_BEGUN, RUN_WORDS } from "../../words.ts";
import { Budget } from "../parts/budget.ts";
import { framed, themeButton } from "../frame.ts";
import { comparisonsOverTime } from "../parts/history.ts";
import { type Child, el, type Markup } from "../markup.ts";
import { moment } from "../parts/moment.ts";
import { isAtWork } from "../parts/step.ts";
import { notBegunMarkup, runPieces } from "./run.ts";
import { FOLLOW, SCRIPT } from "../script.ts";
import { type TableRow, tableOf } from "../parts/table.ts";

/**
 * Returns the reports as one HTML page that works without a network and without JavaScript. Its only script adds search, filters and a choice of colors. Its
 * policy keeps everything else from running or loading, whatever the texts contain. Pure.
 */
export function htmlReport(reports: readonly RunReport[], notBegun: readonly NotBegun[] = []): Iterable<string> {
  const title = titleOf(reports, notBegun);
  return framed({ title, above: toolbar(reports) }, reportPieces(reports, { notBegun, isServed: false }));
}

/** The progress of a run. */
export interface RunProgress {
  /** The number of its events. */
  readonly events: number;
  /** The process that runs it; null if there is none. */
  readonly heldBy: string | null;
}

/** Returns the served page of one run, with links to other pages. While the run is not finished, the page reloads whenever there is something new. Pure. */
export function runPage(report: RunReport, progress: RunProgress): Iterable<string> {
  const isLive = report.run.outcome === "running";
  const { heldBy } = progress;
  const isUnderWay = isLive && heldBy !== null;
  const shown = isUnderWay ? atWork(report) : report;
  const words =
    heldBy === null
      ? "No process runs it any more. This page follows whoever continues it."
      : `It is under way, by ${oneLine(heldBy)}. This page follows it. A read is shown once it has ended.`;
  const state = el("p", { class: "live", role: "status", "data-progress": JSON.stringify(progress) }, words);
  const script = isLive ? `${SCRIPT}${FOLLOW}` : SCRIPT;
  return framed(
    { title: titleOf([report], []), above: toolbar([shown]), script, place: "runs" },
    (function* () {
      if (isLive) yield state.html;
      yield* reportPieces([shown], { notBegun: [], isServed: true, isUnderWay });
    })(),
  );
}

// A write on its way has no known outcome yet, but nothing is wrong with it.
function atWork(report: RunReport): RunReport {
  const sent = report.steps.filter((step) => isAtWork(step) && step.outcome === "unknown");
  const { unknown, pending } = report.totals;
  return {
    ...report,
    totals: { ...report.totals, unknown: unknown - sent.length, pending: pending + sent.length },
    steps: report.steps.map((step) => (sent.includes(step) ? { ...step, outcome: "pending" } : step)),
  };
}

interface ReportsShown {
  readonly notBegun: readonly NotBegun[];
  readonly isServed: boolean;
  /** Whether a process runs it. */
  readonly isUnderWay?: boolean;
}

function* reportPieces(
  reports: readonly RunReport[],
  { notBegun, isServed, isUnderWay = false }: ReportsShown,
): Generator<string> {
  const isOnly = reports.length === 1 && notBegun.length === 0;
  if (!isOnly) yield indexOf(reports, notBegun).html;
  yield comparisonsOverTime(reports)?.html ?? "";
  const budget = new Budget();
  for (const each of notBegun) yield notBegunMarkup(each, budget).html;
  for (const [at, report] of reports.entries()) yield* runPieces(report, { id: runId(at), isOnly, isServed, isUnderWay, budget });
}

function titleOf(reports: readonly RunReport[], notBegun: readonly NotBegun[]): string {
  const [only, ...others] = reports;
  if (only === undefined || others.length > 0 || notBegun.length > 0) return runsLine(reports, notBegun);
  return `${markedWord(RUN_WORDS[only.run.outcome])}: ${oneLine(only.run.playbook.name)}`;
}

// The toolbar is shown by the script that makes it work.
function toolbar(reports: readonly RunReport[]): Markup {
  const outcomes = new Set(reports.flatMap(({ steps }) => steps.map(({ outcome }) => outcome)));
  return el(
    "div",
    { class: "toolbar", role: "search" },
    el("label", { for: "search" }, "Search"),
    el("input", { id: "search", type: "search", placeholder: "step, operation, transaction …  ( / )", autocomplete: "off" }),
    el(
      "span",
      { class: "filters", role: "group", "aria-label": "Outcomes shown" },
      [...outcomes].map((outcome) =>
        el(
          "button",
          { type: "button", "data-filter": outcome, "aria-pressed": "false", class: outcome },
          outcome.replace("-", " "),
        ),
      ),
    ),
    el("span", { class: "shown", role: "status" }),
    themeButton(),
  );
}

function indexOf(reports: readonly RunReport[], notBegun: readonly NotBegun[]): Markup {
  const outcomes = Array.from(
    Map.groupBy(reports, ({ run }) => run.outcome),
    ([outcome, { length }]) => `${length} ${RUN_WORDS[outcome].word}`,
  );
  const others = notBegun.length === 0 ? [] : [`${notBegun.length} ${NOT_BEGUN.word}`];
  return el(
    "nav",
    { class: "index", "aria-label": "Runs" },
    el("h1", {}, `${count(reports.length, "run")}: ${[...outcomes, ...others].join(", ") || "none"}`),
    tableOf(
      "The runs of this page",
      ["Playbook", "Outcome", "Environment", "Steps", "Started", "Duration"],
      [...reports.map(indexRow), ...notBegun.map(notBegunRow)],
    ),
  );
}

function indexRow({ run, totals }: RunReport, at: number): TableRow {
  return [
    [el("a", { href: `#${runId(at)}` }, oneLine(run.playbook.name)), ...inFile(run.playbook)],
    outcomeMarkup(run.outcome, RUN_WORDS[run.outcome]),
    oneLine(environmentWords(run.target)),
    countsOf(totals),
    moment(run.startedAt),
    formatDuration(run.durationMs),
  ];
}

// Copies of a playbook have the same name, so we show the file.
function inFile({ name, file }: NotBegun["playbook"]): readonly Child[] {
  return name === file ? [] : [" ", el("span", { class: "name" }, oneLine(file))];
}

function notBegunRow({ playbook }: NotBegun): TableRow {
  return [[oneLine(playbook.name), ...inFile(playbook)], outcomeMarkup("failed", NOT_BEGUN), "", "", "", ""];
}

function runId(at: number): string {
  return `run-${at + 1}`;
}
