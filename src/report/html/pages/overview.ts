import { count } from "../../../base/text/text.ts";
import type { KnownDrift } from "../../../protocol/drift.ts";
import { keyOf, wordsOf } from "../../comparison.ts";
import { oneLine } from "../../formats/foreign-text.ts";
import { RUN_WORDS } from "../../words.ts";
import { framed, section } from "../frame.ts";
import { type Child, el, type Markup } from "../markup.ts";
import { moment } from "../parts/moment.ts";
import { momentOf } from "../parts/drift-table.ts";
import { outcomesOverTime } from "../parts/outcomes.ts";
import { driftLink, listPath, runLink, scheduleLink } from "../parts/places.ts";
import { type ListedRun, playbookOf, runCells, RUN_COLUMNS } from "./runs.ts";
import { type ListedSchedule, localMoment } from "./schedules.ts";
import { type TableRow, tableOf } from "../parts/table.ts";

/** What the first page of a state directory is made from. */
export interface StateOverview {
  /** The latest runs, the last one first. */
  readonly runs: readonly ListedRun[];
  /** The ids of runs that have left a write open. */
  readonly open: ReadonlySet<string>;
  /** The drifts that nobody has acknowledged, the newest first. */
  readonly drifts: readonly KnownDrift[];
  /** The first schedules, as they are now. */
  readonly schedules: readonly ListedSchedule[];
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
}

const MOST_ITEMS = 20;
const LATEST_RUNS = 10;

/** The first page: what needs attention, how runs ended over time, what fires next, and the latest runs. Pure. */
export function overviewPage({ runs, open, drifts, schedules, now }: StateOverview): Iterable<string> {
  const items = [...runItems(runs, open), ...scheduleItems(schedules), ...driftItems(drifts)];
  return framed({ title: "Overview – tokenbook", place: "overview" }, [
    el("h1", {}, "Overview").html,
    section("Needs attention", items.length === 0 && runs.length === 0 ? NOTHING : attentionOf(items)).html,
    section("Runs over time", outcomesOverTime(runs, now)).html,
    section("Next firings", firingsOf(schedules)).html,
    section("Latest runs", latestOf(runs)).html,
  ]);
}

// Where nothing has run, or the journal is not there any more, nothing can be called well.
const NOTHING = el("p", {}, "Nothing has run yet.");

interface Item {
  readonly tone: string;
  readonly word: string;
  readonly text: Child;
}

function attentionOf(items: readonly Item[]): Markup {
  if (items.length === 0) return el("p", { class: "calm" }, "✓ Nothing needs attention.");
  const shown = items.slice(0, MOST_ITEMS);
  const left = items.length - shown.length;
  return el(
    "ul",
    { class: "items" },
    shown.map(({ tone, word, text }) => el("li", { class: tone }, el("span", { class: "badge" }, word), " ", text)),
    left === 0 ? undefined : el("li", {}, `and ${count(left, "more")}`.replace(/s$/, "")),
  );
}

// A run counts while no later one of its playbook has taken its place; a write with unknown outcome counts until it is resolved.
function runItems(runs: readonly ListedRun[], open: ReadonlySet<string>): readonly Item[] {
  const seen = new Set<string>();
  return runs.flatMap((run) => {
    const place = JSON.stringify([run.playbook, run.environment]);
    const isLatest = !seen.has(place);
    seen.add(place);
    const isUnderWay = run.outcome === "running" && run.heldBy !== null;
    const outcome = open.has(run.id) && run.outcome !== "conflict" ? "unknown" : run.outcome;
    const isLasting = outcome === "unknown" || outcome === "conflict";
    if (!isLasting && (outcome === "passed" || isUnderWay || !isLatest)) return [];
    const { mark, word } = RUN_WORDS[outcome];
    const text = [playbookOf(run), ", ", oneLine(run.environment), ", ", moment(run.openedAt), ": ", runLink(run.id)];
    return [{ tone: outcome, word: `${mark} ${word}`, text }];
  });
}

function scheduleItems(schedules: readonly ListedSchedule[]): readonly Item[] {
  return schedules.flatMap(({ id, blockedBy, unserved, missed }): readonly Item[] => {
    const link = scheduleLink(id);
    if (blockedBy !== null) {
      return [{ tone: "blocked", word: "! kept back", text: [link, " by the run ", runLink(blockedBy.runId)] }];
    }
    if (unserved !== null) return [{ tone: "missed", word: "! not served", text: [link, " since ", moment(unserved)] }];
    if (missed.count === 0) return [];
    const last = missed.last === null ? "" : [", the last ", moment(missed.last)];
    return [{ tone: "missed", word: "! missed", text: [link, ` missed ${count(missed.count, "firing")}`, last] }];
  });
}

function driftItems(drifts: readonly KnownDrift[]): readonly Item[] {
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
    el("div", { class: "runs" }, tableOf("Latest runs", RUN_COLUMNS, runs.slice(0, LATEST_RUNS).map(runCells))),
    el("p", {}, el("a", { href: listPath("runs") }, "All runs")),
  ];
}
