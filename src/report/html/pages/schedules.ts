import { hint, outcomeMarkup } from "../parts/phrases.ts";
import { command } from "../../../base/command-line.ts";
import { count } from "../../../base/text/text.ts";
import { oneLine } from "../../formats/foreign-text.ts";
import { FIRING_WORDS } from "../../words.ts";
import { framed } from "../frame.ts";
import { type Child, el, type Markup } from "../markup.ts";
import { moment } from "../parts/moment.ts";
import { runLink, scheduleLink } from "../parts/places.ts";
import { type TableRow, tableOf } from "../parts/table.ts";
import { commandMarkup } from "../parts/copy.ts";
import type { ScheduleEntry, FiringEntry } from "../../schedule/shape.ts";

/** A schedule as it is now. Times are ISO 8601, UTC. */
export interface ListedSchedule extends Omit<ScheduleEntry, "last" | "lastState" | "running" | "blockedBy"> {
  /** The last firing that ended; null if there is none. */
  readonly last: ListedFiring | null;
  /** The firing under way, and whether its process may still be alive; null if there is none. */
  readonly running: (ListedFiring & { readonly alive: boolean }) | null;
  /** The run that needs attention first. */
  readonly blockedBy: { readonly runId: string; readonly outcome: string } | null;
}

/** A firing and its outcome. Times are ISO 8601, UTC. */
export interface ListedFiring extends Pick<FiringEntry, "tick" | "state" | "run" | "tries" | "startedAt" | "endedAt"> {
  /** The process that runs it or has run it. */
  readonly heldBy: string | null;
  /** What went wrong, why, and what to do next; null if nothing did. */
  readonly problem: { readonly message: string; readonly why?: string; readonly next?: string } | null;
}

/** Returns the first schedules of a state directory, which has `total` of them. Pure. */
export function schedulesPage(schedules: readonly ListedSchedule[], total: number): Iterable<string> {
  const more = total - schedules.length;
  return framed({ title: "Schedules", place: "schedules" }, [
    el("h1", {}, count(total, "schedule")),
    total === 0 ? el("p", {}, NONE) : el("div", { class: "schedules" }, tableOf("Schedules", COLUMNS, schedules.map(rowOf))),
    more > 0 ? hint(`${more} more: `, commandMarkup(command`schedule list`)) : "",
  ]);
}

const NONE =
  "Nothing has run on a schedule. What tokenbook schedule runs is listed here: when it fires next, its last outcome, who runs it, what was missed.";

const COLUMNS = ["Schedule", "Next", "Last", "Runs now", "Missed", "Blocked"];

function rowOf(schedule: ListedSchedule): TableRow {
  const { id, next, last, running, unserved, missed, blockedBy } = schedule;
  const [first] = next;
  return [
    scheduleLink(id),
    unserved !== null
      ? ["not served since ", moment(unserved)]
      : first === undefined
        ? "not by itself"
        : [localMoment(first), " ", moment(first.utc)],
    last === null ? "never" : [firingState(last), " ", moment(last.tick)],
    runningNow(running),
    missed.count === 0 ? "" : String(missed.count),
    blockedBy === null ? "" : ["by ", runLink(blockedBy.runId)],
  ];
}

/** Returns the outcome of a firing. */
export function firingState({ state }: Pick<ListedFiring, "state">): Markup {
  return outcomeMarkup(state, FIRING_WORDS[state]);
}

/** Returns which process runs a schedule, and since when. */
export function runningNow(running: ListedSchedule["running"]): Child {
  if (running === null) return "";
  const { heldBy, alive, startedAt } = running;
  const since = startedAt === null ? undefined : [", since ", moment(startedAt)];
  return [oneLine(heldBy ?? "nobody"), alive ? "" : " (gone)", since];
}

/** Returns a moment in the time zone of the schedule. */
export function localMoment({ utc, local }: ListedSchedule["next"][number]): Markup {
  return el("time", { datetime: utc }, oneLine(local));
}
