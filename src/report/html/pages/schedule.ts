import { rounded, type Child, el, type Markup } from "../markup.ts";
import { hint } from "../parts/phrases.ts";
import { command } from "../../../base/command-line.ts";
import { formatDuration } from "../../../base/time/duration.ts";
import { LIMITS } from "../../../base/limits.ts";
import { count } from "../../../base/text/text.ts";
import { oneLine } from "../../formats/foreign-text.ts";
import { FIRING_WORDS } from "../../words.ts";
import { framed, section } from "../frame.ts";
import { moment } from "../parts/moment.ts";
import { runLink } from "../parts/places.ts";
import { firingState, type ListedFiring, type ListedSchedule, localMoment, runningNow } from "./schedules.ts";
import { factList, type Facts } from "../parts/step.ts";
import { type TableRow, tableOf } from "../parts/table.ts";
import { commandMarkup, nextMarkup } from "../parts/copy.ts";

/**
 * Returns the page of one schedule: when it fires next, its current state, and the outcomes of its firings. `firings` are the latest ones, the last one first.
 * Pure.
 */
export function schedulePage(schedule: ListedSchedule, firings: readonly ListedFiring[]): Iterable<string> {
  const { id, last } = schedule;
  return framed({ title: oneLine(id), place: "schedules" }, [
    el("h1", {}, last === null ? "" : [firingState(last), " "], oneLine(id)),
    factList(factsOf(schedule)),
    section("Next firings", nextOf(schedule)),
    section("Firings", firingsOf(firings)),
  ]);
}

function factsOf(schedule: ListedSchedule): Facts {
  const { playbook, environment, cron, timezone, last, lastSuccess, running, unserved, waiting, missed, blockedBy } = schedule;
  return [
    ["playbook", oneLine(playbook)],
    ["environment", oneLine(environment)],
    [
      "fires",
      cron === null
        ? "when another scheduler runs schedule --once"
        : [el("code", {}, oneLine(cron)), ` ${oneLine(timezone ?? "")}`],
    ],
    [
      "last",
      last === null ? "never" : [firingState(last), " ", moment(last.tick), last.run === null ? "" : [" ", runLink(last.run)]],
    ],
    ["last pass", lastSuccess === null ? "never" : moment(lastSuccess)],
    ["runs now", running === null ? undefined : runningNow(running)],
    ["not served", unserved === null ? undefined : ["since ", moment(unserved), ": nothing fires by itself"]],
    ["waiting", waiting === 0 ? undefined : count(waiting, "firing")],
    ["missed", missed.count === 0 ? undefined : [`${missed.count}, the last `, moment(missed.last ?? "")]],
    [
      "blocked",
      blockedBy === null ? undefined : ["by the run ", runLink(blockedBy.runId), `, which is ${oneLine(blockedBy.outcome)}`],
    ],
  ];
}

function nextOf({ next, timezone, cron }: ListedSchedule): Markup {
  if (cron === null) return el("p", {}, "It has no cron of its own.");
  if (next.length === 0) return el("p", {}, "None ever comes.");
  const rows = next.map((each): TableRow => [localMoment(each), moment(each.utc)]);
  return el("div", { class: "upcoming" }, tableOf("Next firings", [oneLine(timezone ?? "Local"), "UTC"], rows));
}

const COLUMNS = ["Firing", "Outcome", "Duration", "Run", "Tries", "Run by", "Why"];

function firingsOf(firings: readonly ListedFiring[]): Child {
  if (firings.length === 0) return el("p", {}, "Nothing has fired yet.");
  const shown = firings.slice(0, LIMITS.viewHistory);
  return [
    barsOf(firings),
    el("div", { class: "firings" }, tableOf("Firings, the latest first", COLUMNS, shown.map(rowOf))),
    firings.length < LIMITS.viewHistory
      ? undefined
      : hint(`The latest ${LIMITS.viewHistory}; to list more: `, commandMarkup(command`schedule history`)),
  ];
}

function rowOf(firing: ListedFiring): TableRow {
  const { tick, run, tries, heldBy, problem } = firing;
  return [
    moment(tick),
    firingState(firing),
    formatDuration(durationOf(firing)),
    run === null ? "" : runLink(run),
    tries === 0 ? "" : String(tries),
    heldBy === null ? "" : oneLine(heldBy),
    problem === null
      ? ""
      : [
          ...[problem.message, problem.why].flatMap((text) => text ?? []).map(said),
          problem.next === undefined ? undefined : nextMarkup(problem.next),
        ],
  ];
}

function said(text: string): Markup {
  return el("p", {}, oneLine(text));
}

function durationOf({ startedAt, endedAt }: ListedFiring): number | null {
  return startedAt === null || endedAt === null ? null : Math.max(0, Date.parse(endedAt) - Date.parse(startedAt));
}

const WIDTH = 480;
const HEIGHT = 60;
const MARGIN = 6;
const LEAST_HEIGHT = 4;
const MOST_WIDTH = 12;
const GAP = 0.2;

/** Returns a bar for each firing, the earliest first. Its length is the duration, its color the outcome. */
function barsOf(firings: readonly ListedFiring[]): Markup {
  const drawn = firings.slice(0, LIMITS.plotPoints).toReversed();
  const longest = Math.max(0, ...drawn.map((firing) => durationOf(firing) ?? 0));
  const step = Math.min(MOST_WIDTH, (WIDTH - 2 * MARGIN) / drawn.length);
  const bars = drawn.map((firing, at) => {
    const part = longest === 0 ? 0 : (durationOf(firing) ?? 0) / longest;
    const height = LEAST_HEIGHT + part * (HEIGHT - 2 * MARGIN - LEAST_HEIGHT);
    return el("rect", {
      class: firing.state,
      x: rounded(MARGIN + at * step, 2),
      y: rounded(HEIGHT - MARGIN - height, 2),
      width: rounded(step * (1 - GAP), 2),
      height: rounded(height, 2),
    });
  });
  const caption = captionOf(drawn, longest);
  return el(
    "div",
    { class: "plot bars" },
    el("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": caption }, bars),
    hint(caption),
  );
}

function captionOf(drawn: readonly ListedFiring[], longest: number): string {
  const became = Array.from(
    Map.groupBy(drawn, ({ state }) => state),
    ([state, { length }]) => `${length} ${FIRING_WORDS[state].word}`,
  );
  const [first, last] = [drawn[0]?.tick ?? "", drawn.at(-1)?.tick ?? ""];
  const span = drawn.length > 1 ? `, ${oneLine(first)} to ${oneLine(last)}` : "";
  return `How long ${count(drawn.length, "firing")} took${span}: ${became.join(", ")}${longest === 0 ? "" : `; the longest ${formatDuration(longest)}`}`;
}
