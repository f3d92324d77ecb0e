import { count } from "../../../base/text/text.ts";
import type { KnownDrift } from "../../../protocol/drift.ts";
import { keyOf, unfinishedWords, wordsOf } from "../../comparison.ts";
import { oneLine } from "../../formats/foreign-text.ts";
import type { FiringState } from "../../schedule/shape.ts";
import { FIRING_WORDS, markedWord, RUN_WORDS } from "../../words.ts";
import { framed, section } from "../frame.ts";
import { type Child, el, type Markup } from "../markup.ts";
import { moment } from "../parts/moment.ts";
import { momentOf } from "../parts/drift-table.ts";
import { type CountedRuns, outcomesOverTime } from "../parts/outcomes.ts";
import { driftLink, listLink, listPath, type PageSection, runLink, scheduleLink } from "../parts/places.ts";
import { type ListedRun, playbookOf, runCells, RUN_COLUMNS } from "./runs.ts";
import { type ListedFiring, type ListedSchedule, localMoment } from "./schedules.ts";
import { type TableRow, tableOf } from "../parts/table.ts";

/** The data of the overview of a state directory. */
export interface StateOverview {
  /** The runs that have left a write open, and the last runs of their playbooks that did not pass; the latest first. */
  readonly runs: readonly ListedRun[];
  /** The ids of the runs that have left a write open. */
  readonly open: ReadonlySet<string>;
  /** The latest runs, the last one first. */
  readonly latest: readonly ListedRun[];
  /** The runs on the days that are shown. */
  readonly days: readonly CountedRuns[];
  /** The drifts that nobody has acknowledged, the newest first. */
  readonly drifts: readonly KnownDrift[];
  /** How many comparisons the last run did not finish. */
  readonly unfinishedComparisons: number;
  /** The first schedules as they are now. */
  readonly schedules: readonly ListedSchedule[];
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
}

const MOST_ITEMS = 20;
/** How many of the latest runs are shown. */
export const LATEST_RUNS = 10;

/** Returns the overview: what needs attention, how runs ended over time, what fires next, and the latest runs. Pure. */
export function overviewPage(overview: StateOverview): Iterable<string> {
  const { runs, open, latest, days, schedules, now } = overview;
  const items = [
    ...runItems(runs, open).map(inList("runs")),
    ...scheduleItems(schedules).map(inList("schedules")),
    ...[...unfinishedItems(overview), ...driftItems(overview)].map(inList("drifts")),
  ];
  return framed({ title: "Overview", place: "overview" }, [
    el("h1", {}, "Overview"),
    section("Needs attention", items.length === 0 && latest.length === 0 ? NOTHING : attentionOf(items, now)),
    section("Runs over time", outcomesOverTime(days, now)),
    section("Next firings", firingsOf(schedules)),
    section("Latest runs", latestOf(latest)),
  ]);
}

// If nothing has run, or if the journal is missing, we cannot say that all is well.
const NOTHING = el("p", {}, "Nothing has run yet.");

interface AttentionItem {
  readonly tone: string;
  readonly word: string;
  readonly text: Child;
}

interface ListedItem extends AttentionItem {
  /** The list that also shows it. */
  readonly list: PageSection;
}

function inList(list: PageSection): (item: AttentionItem) => ListedItem {
  return (item) => ({ ...item, list });
}

function attentionOf(items: readonly ListedItem[], now: number): Markup {
  if (items.length === 0) return el("p", { class: "calm" }, "✓ Nothing needed attention at ", momentOf(now), ".");
  const shown = items.slice(0, MOST_ITEMS);
  const left = items.slice(shown.length);
  const lists = [...new Set(left.map(({ list }) => list))].flatMap((list) => [", ", listLink(list)]).slice(1);
  return el(
    "ul",
    { class: "items" },
    shown.map(({ tone, word, text }) => el("li", { class: tone }, el("span", { class: "badge" }, word), " ", text)),
    left.length === 0 ? undefined : el("li", {}, `and ${left.length} more, in `, lists),
  );
}

function runItems(runs: readonly ListedRun[], open: ReadonlySet<string>): readonly AttentionItem[] {
  return runs.flatMap((run) => {
    const isUnderWay = run.outcome === "running" && run.heldBy !== null;
    if (isUnderWay && !open.has(run.id)) return [];
    const outcome = open.has(run.id) && run.outcome !== "conflict" ? "unknown" : run.outcome;
    const text = [playbookOf(run), ", ", oneLine(run.environment), ", ", moment(run.openedAt), ": ", runLink(run.id)];
    return [{ tone: outcome, word: markedWord(RUN_WORDS[outcome]), text }];
  });
}

function scheduleItems(schedules: readonly ListedSchedule[]): readonly AttentionItem[] {
  return schedules.flatMap(({ id, blockedBy, last, unserved, missed }): readonly AttentionItem[] => {
    const link = scheduleLink(id);
    const broken = last === null ? [] : withoutRun(last, link);
    if (blockedBy !== null) {
      return [...broken, { tone: "blocked", word: "! blocked", text: [link, " by the run ", runLink(blockedBy.runId)] }];
    }
    if (unserved !== null)
      return [...broken, { tone: "missed", word: "! not served", text: [link, " since ", moment(unserved)] }];
    if (missed.count === 0) return broken;
    const ofLast = missed.last === null ? "" : [", the last ", moment(missed.last)];
    return [...broken, { tone: "missed", word: "! missed", text: [link, ` missed ${count(missed.count, "firing")}`, ofLast] }];
  });
}

// A firing without a run appears in no list of runs.
function withoutRun({ state, run, tick, problem }: ListedFiring, link: Markup): readonly AttentionItem[] {
  if (run !== null || !NEEDS_A_RUN[state]) return [];
  const why = problem === null ? "" : `: ${oneLine(problem.message)}`;
  return [{ tone: state, word: markedWord(FIRING_WORDS[state]), text: [link, ", ", moment(tick), `, without a run${why}`] }];
}

/** Whether a firing in this state needs attention if it has no run. The others wait, were decided against, or have an item of their own. */
const NEEDS_A_RUN: Readonly<Record<FiringState, boolean>> = {
  passed: true,
  failed: true,
  pending: true,
  unknown: true,
  conflict: true,
  drift: true,
  interrupted: true,
  died: true,
  queued: false,
  running: false,
  cancelled: false,
  skipped: false,
  missed: false,
  replaced: false,
  blocked: false,
};

function unfinishedItems({ unfinishedComparisons: unfinished }: StateOverview): readonly AttentionItem[] {
  if (unfinished === 0) return [];
  const text = el("a", { href: listPath("drifts") }, unfinishedWords(unfinished));
  return [{ tone: "missed", word: "! not compared", text }];
}

function driftItems({ drifts }: StateOverview): readonly AttentionItem[] {
  return drifts.map((drift) => {
    const { id, key, sides, since } = drift;
    const words = wordsOf(drift, sides);
    return { tone: "drift", word: "≠ drift", text: [driftLink(id), ` ${keyOf(key)}: ${words}, since `, momentOf(since)] };
  });
}

function firingsOf(schedules: readonly ListedSchedule[]): Markup {
  const next = schedules.flatMap((schedule) => schedule.next.slice(0, 1).map((at) => ({ schedule, at })));
  if (next.length === 0) return el("p", {}, "No schedule fires by itself.");
  const rows = next
    .toSorted((a, b) => a.at.utc.localeCompare(b.at.utc))
    .slice(0, MOST_ITEMS)
    .map(({ schedule, at }): TableRow => [
      scheduleLink(schedule.id),
      moment(at.utc),
      localMoment(at),
      schedule.unserved === null ? "" : "no process serves it",
    ]);
  return el("div", { class: "upcoming" }, tableOf("Next firings", ["Schedule", "Fires (UTC)", "Local time", "Note"], rows));
}

function latestOf(runs: readonly ListedRun[]): Child {
  if (runs.length === 0) return NOTHING;
  return [
    el("div", { class: "runs" }, tableOf("Latest runs", RUN_COLUMNS, runs.map(runCells))),
    el("p", {}, el("a", { href: listPath("runs") }, "All runs")),
  ];
}
