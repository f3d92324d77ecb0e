import { DAY_MS, isoDay } from "../../../base/time/date.ts";
import { count } from "../../../base/text/text.ts";
import type { ReportedOutcome } from "../../shape.ts";
import { RUN_WORDS } from "../../words.ts";
import { type Child, el, type Markup, rounded } from "../markup.ts";
import { countItem } from "./phrases.ts";
import { type TableRow, tableOf } from "./table.ts";

/** The number of runs of one day that ended with one outcome. */
export interface CountedRuns {
  /** In days since the Unix epoch, in UTC. */
  readonly day: number;
  /** How they ended. */
  readonly outcome: ReportedOutcome;
  /** The number of these runs. */
  readonly runs: number;
}

interface Day {
  readonly date: string;
  readonly counts: ReadonlyMap<ReportedOutcome, number>;
  readonly total: number;
}

const DAYS = 30;
const WIDTH = 600;
const HEIGHT = 96;
const MARGIN = 4;
const GAP = 0.2;

/** Returns the first day that is shown, in days since the Unix epoch. `now` is in milliseconds. */
export function firstDayOf(now: number): number {
  return Math.floor(now / DAY_MS) - DAYS + 1;
}

/**
 * Returns a bar for each of the last days, with a part for each outcome of its runs, and a table with the same numbers. `now` is in milliseconds since the Unix
 * epoch.
 */
export function outcomesOverTime(runs: readonly CountedRuns[], now: number): Markup {
  const byDay = Map.groupBy(runs, ({ day }) => day);
  const days = Array.from({ length: DAYS }, (_, at): Day => {
    const day = firstDayOf(now) + at;
    return dayOf(isoDay(day * DAY_MS), byDay.get(day) ?? []);
  });
  const all = days.reduce((sum, { total }) => sum + total, 0);
  if (all === 0) return el("p", {}, `No run started in the last ${DAYS} days.`);
  const outcomes = OUTCOMES.filter((outcome) => days.some(({ counts }) => counts.has(outcome)));
  const caption = `${count(all, "run")} in the last ${DAYS} days: ${outcomes.map((each) => `${sumOf(days, each)} ${RUN_WORDS[each].word}`).join(", ")}`;
  return el(
    "div",
    { class: "plot days" },
    el(
      "svg",
      { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img", "aria-label": caption },
      barsOf(days),
    ),
    el("p", { class: "hint ends" }, el("span", {}, days[0]?.date ?? ""), el("span", {}, days.at(-1)?.date ?? "")),
    el(
      "ul",
      { class: "counts" },
      outcomes.map((outcome) => countItem(outcome, RUN_WORDS[outcome], sumOf(days, outcome))),
    ),
    el("details", {}, el("summary", {}, "Day by day"), tableOfDays(days, outcomes)),
  );
}

const OUTCOMES = Object.keys(RUN_WORDS) as readonly ReportedOutcome[];

function dayOf(date: string, counted: readonly CountedRuns[]): Day {
  const counts = new Map<ReportedOutcome, number>();
  for (const { outcome, runs } of counted) counts.set(outcome, (counts.get(outcome) ?? 0) + runs);
  return { date, counts, total: counted.reduce((sum, { runs }) => sum + runs, 0) };
}

function sumOf(days: readonly Day[], outcome: ReportedOutcome): number {
  return days.reduce((sum, { counts }) => sum + (counts.get(outcome) ?? 0), 0);
}

function barsOf(days: readonly Day[]): Child {
  const most = Math.max(...days.map(({ total }) => total));
  const step = (WIDTH - 2 * MARGIN) / days.length;
  return days.map(({ counts }, at) => {
    let y = HEIGHT - MARGIN;
    return OUTCOMES.flatMap((outcome) => {
      const number = counts.get(outcome) ?? 0;
      if (number === 0) return [];
      const height = (number / most) * (HEIGHT - 2 * MARGIN);
      y -= height;
      const [x, width] = [MARGIN + (at + GAP / 2) * step, step * (1 - GAP)];
      return [
        el("rect", { class: outcome, x: rounded(x, 2), y: rounded(y, 2), width: rounded(width, 2), height: rounded(height, 2) }),
      ];
    });
  });
}

function tableOfDays(days: readonly Day[], outcomes: readonly ReportedOutcome[]): Markup {
  const rows = days
    .filter(({ total }) => total > 0)
    .map(({ date, counts }): TableRow => [date, ...outcomes.map((outcome) => String(counts.get(outcome) ?? 0))])
    .toReversed();
  return tableOf("Runs by day", ["Day (UTC)", ...outcomes.map((outcome) => RUN_WORDS[outcome].word)], rows);
}
