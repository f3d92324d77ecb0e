import { addressText, carrierText, hint, outcomeMarkup } from "../parts/phrases.ts";
import { command, type CommandLine } from "../../../base/command-line.ts";
import { isObject, type Json, writeJson, textOrJson } from "../../../base/json/json.ts";
import { LIMITS } from "../../../base/limits.ts";
import { count } from "../../../base/text/text.ts";
import { difference } from "../../../base/numbers/total.ts";
import type { ComparedRead, ComparedRow, Comparison, ComparisonName } from "../../../protocol/comparison.ts";
import type { ExplainedDrift } from "../../../protocol/drift.ts";
import { countsLine, keyOf, kindWords, wordsOf } from "../../comparison.ts";
import { oneLine } from "../../formats/foreign-text.ts";
import type { RunHeading, StepReport } from "../../shape.ts";
import { environmentWords, RUN_WORDS, STEP_WORDS } from "../../words.ts";
import { Budget } from "../parts/budget.ts";
import { restMarkup, sidesMarkup } from "../parts/comparison.ts";
import { commandBox, commandMarkup, idMarkup } from "../parts/copy.ts";
import { acknowledgementsOf, saidOf } from "./drift.ts";
import { driftState, momentOf, number } from "../parts/drift-table.ts";
import { framed, section } from "../frame.ts";
import { openText, plotsOf } from "../parts/history.ts";
import { type Child, el, type Markup } from "../markup.ts";
import { moment } from "../parts/moment.ts";
import { factList, type Facts } from "../parts/step.ts";
import { type TableRow, tableOf } from "../parts/table.ts";

/** A comparison in one run, and the end of that run in the journal. */
export interface AuditedRun {
  /** The run as a whole. */
  readonly run: RunHeading;
  /** The outcome of the step that made the comparison. */
  readonly outcome: StepReport["outcome"];
  /** What the comparison found. */
  readonly comparison: Comparison;
  /** The number of the run's records in the journal. */
  readonly records: number;
  /** The hash of the run's last record, which depends on all records before it. */
  readonly digest: string;
}

/** A comparison with everything that an auditor asks for. */
interface AuditedComparison {
  readonly of: ComparisonName;
  /** Its name for people. */
  readonly title: string;
  readonly latest: AuditedRun;
  /** Whether a later run has begun it and not finished it, so that the sides may differ by now. */
  readonly isOutdated: boolean;
  /** The latest runs, ending with `latest`. */
  readonly runs: readonly AuditedRun[];
  /** The existing drifts, and those that the latest run cleared. */
  readonly drifts: readonly ExplainedDrift[];
  /** The total number of these drifts. `drifts` may contain only the first ones. */
  readonly driftCount: number;
  /** When the page was made, in milliseconds since the Unix epoch. */
  readonly now: number;
}

/**
 * Returns the page of one comparison for auditors: the reads with their times, the totals, the rows, each drift with its records, and the latest runs. Pure.
 */
export function auditPage(audited: AuditedComparison): Iterable<string> {
  const { title, latest, isOutdated, drifts, driftCount, now } = audited;
  const { comparison } = latest;
  const outcome = isOutdated && latest.outcome === "ok" ? "failed" : latest.outcome;
  const budget = new Budget();
  const more = driftCount - drifts.length;
  return framed({ title: oneLine(title) }, [
    el(
      "header",
      {},
      el("p", {}, outcomeMarkup(outcome, STEP_WORDS[outcome], "badge")),
      el("h1", {}, oneLine(title)),
      ...(isOutdated ? [el("p", {}, el("b", {}, OUTDATED))] : []),
      el("p", {}, el("b", {}, countsLine(comparison))),
      factList(factsOf(audited)),
    ),
    part("Both sides", sidesMarkup(comparison)),
    part("What was read", readsOf(comparison)),
    part("Rows", rowsOf(comparison, audited.of.environment)),
    drifts.map((drift) => driftMarkup(drift, budget, now)),
    more > 0 ? hint(`${count(more, "drift")} more: `, commandMarkup(command`drift list --limit ${String(driftCount)}`)) : "",
    driftCount === 0 ? part("Drifts", el("p", {}, withoutDrift(comparison))) : "",
    el("section", { class: "comparison" }, restMarkup(comparison)),
    part(`The last ${count(audited.runs.length, "run")} that compared`, [
      hint(NOT_LISTED),
      plotsOf(pointsOf(audited)),
      runTable(audited),
    ]),
    part("To verify the journal", verifying(latest.run.id)),
  ]);
}

const NOT_LISTED = `This page does not list runs that ended before they compared, archived runs, or runs before the last ${LIMITS.auditSearched} of the state.`;
const OUTDATED = "A later run has not finished this comparison. This is what the run before it found.";

function withoutDrift({ gaps, counts }: Comparison): string {
  if (gaps.length > 0) return "None was found, but a read did not finish.";
  return counts.moving > 0 ? "None was found, but some rows still moved." : "None.";
}

function part(title: string, content: Child): Markup {
  return section(title, content, "comparison explained");
}

function factsOf({ of, latest, now }: AuditedComparison): Facts {
  const { run, records, digest } = latest;
  return [
    ["comparison", el("code", {}, oneLine(of.comparison))],
    ["scope", of.scope === "" ? undefined : oneLine(of.scope)],
    ["playbook", oneLine(run.playbook.file)],
    ["its digest", idMarkup(run.playbook.digest)],
    ["environment", oneLine(environmentWords(run.target))],
    ["service", addressText(run)],
    ["run", idMarkup(run.id)],
    ["started", moment(run.startedAt)],
    ["ended", run.finishedAt === null ? undefined : moment(run.finishedAt)],
    ["run by", carrierText(run)],
    ["journal", [`${count(records, "record")}, the last `, idMarkup(digest)]],
    ["page made", momentOf(now)],
  ];
}

function readsOf({ reads, readCount = 0 }: Comparison): Child {
  if (reads === undefined) return el("p", {}, "The run did not record it.");
  const rows = reads.map((read): TableRow => [
    oneLine(read.side),
    el("code", {}, oneLine(read.operation)),
    isEmpty(read.input) ? "" : el("code", {}, oneLine(writeJson(read.input))),
    oneLine(read.actor ?? ""),
    String(read.pages),
    String(read.rows),
    momentOf(read.from),
    momentOf(read.to),
  ]);
  const more = readCount - reads.length;
  return [
    tableOf("Reads", ["Side", "Read", "With", "As", "Pages", "Rows", "From", "To"], rows),
    more > 0 ? hint(`${count(more, "more read")}; a run keeps the first ${LIMITS.readsKept}.`) : undefined,
  ];
}

function isEmpty(input: Json): boolean {
  return input === null || (isObject(input) && Object.keys(input).length === 0);
}

function rowsOf({ rows, left, right, counts, gaps, reads = [] }: Comparison, environment: string): Child {
  if (rows === undefined) return el("p", {}, "The run did not record them.");
  const columns = ["Key", oneLine(left.name), oneLine(right.name), "Difference"];
  const all = counts.compared + counts.notCompared;
  const typed = reads.flatMap((read) => commandOf(read, environment));
  const commands = [...new Map(typed.map((each) => [each.text, each])).values()].slice(0, COMMANDS);
  return [
    tableOf(
      "Rows in the order of their keys, as first read",
      columns,
      rows.map((row): TableRow => [
        keyOf(row.key),
        cellOf(row.leftRows, row.left),
        cellOf(row.rightRows, row.right),
        number(differenceOf(row)),
      ]),
    ),
    gaps.length === 0 ? undefined : hint("A read did not finish: where a cell is empty, the row may exist but was not read."),
    all <= rows.length
      ? undefined
      : [
          hint(
            `The first ${rows.length} of ${count(all, "key")}; a run keeps no more.${commands.length === 0 ? "" : " To read all rows, as they are now:"}`,
          ),
          commands.map(commandBox),
        ],
  ];
}

const COMMANDS = 4;

// Rows from a file or a step have no operation, and older runs have not recorded who made the request.
function commandOf({ operation, input, as }: ComparedRead, environment: string): readonly CommandLine[] {
  if (!/^[a-z]+(?:\.[a-zA-Z]+)+$/.test(operation) || !isObject(input) || as === undefined) return [];
  const values = Object.entries(input).map(([name, value]) => `${name}=${textOrJson(value)}`);
  const caller = as === null ? [] : ["--as", as];
  return [command`call ${operation} ${[...values, ...caller, "--env", environment]}`];
}

function cellOf(rows: number, value: string | null): Child {
  if (rows === 0) return "";
  return [value === null ? "there" : number(value), rows === 1 ? "" : ` (${count(rows, "row")})`];
}

function differenceOf({ left, right }: ComparedRow): string | null {
  return left === null || right === null ? null : difference(left, right);
}

function driftMarkup(drift: ExplainedDrift, budget: Budget, now: number): Markup {
  const { id, key, kind, sides, since, lastSeen, lastRun, clearedAt } = drift;
  return part(`Drift ${oneLine(id)}: ${keyOf(key)}`, [
    el("p", {}, driftState(drift), " ", wordsOf(drift, sides)),
    factList([
      ["kind", kindWords(kind, sides)],
      ["since", momentOf(since)],
      ["last seen", [momentOf(lastSeen), ` by run ${oneLine(lastRun)}`]],
      ["cleared", clearedAt === null ? undefined : momentOf(clearedAt)],
    ]),
    saidOf(drift, budget),
    acknowledgementsOf(drift, now),
  ]);
}

function pointsOf({ runs }: AuditedComparison): Parameters<typeof plotsOf>[0] {
  return runs.map(({ run, comparison }) => ({ at: run.startedAt, comparison }));
}

function runTable({ runs, latest }: AuditedComparison): Markup {
  const { left, right } = latest.comparison;
  const columns = ["Run", "Outcome", "Started", `Sum of ${oneLine(left.name)}`, `Sum of ${oneLine(right.name)}`];
  const rows = runs.toReversed().map(({ run, comparison, records, digest }): TableRow => {
    return [
      oneLine(run.id),
      outcomeMarkup(run.outcome, RUN_WORDS[run.outcome]),
      moment(run.startedAt),
      number(comparison.left.sum),
      number(comparison.right.sum),
      openText(comparison),
      String(comparison.counts.acknowledged),
      String(comparison.counts.cleared),
      String(records),
      idMarkup(digest),
    ];
  });
  return tableOf("Runs, the latest first", [...columns, "Open", "Acknowledged", "Cleared", "Records", "Last hash"], rows);
}

function verifying(run: string): Child {
  return [
    el(
      "p",
      {},
      "Each record of a run holds the hash of the one before it, so the last hash changes with any record. It is printed by",
    ),
    commandBox(command`runs verify ${run}`),
  ];
}
