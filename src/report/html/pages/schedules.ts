import { command } from "../../../base/command-line.ts";
import { count } from "../../../base/text/text.ts";
import { oneLine } from "../../formats/foreign-text.ts";
import { FIRING_WORDS, type FiringWord } from "../../words.ts";
import { bareToolbar, framed } from "../frame.ts";
import { type Child, el, type Markup } from "../markup.ts";
import { moment } from "../parts/moment.ts";
import { runLink, scheduleLink } from "../parts/places.ts";
import { SCRIPT } from "../script.ts";
import { type TableRow, tableOf } from "../parts/table.ts";
import { commandMarkup } from "../parts/copy.ts";

/** A schedule, as it is now. Times are ISO 8601, UTC. */
export interface ListedSchedule {
  /** The name of the schedule. */
  readonly id: string;
  /** The file of the playbook. */
  readonly playbook: string;
  /** Its name in tokenbook.yaml. */
  readonly environment: string;
  /** Null: only a system's own scheduler has run it. */
  readonly cron: string | null;
  /** The time zone that `cron` counts in; null without one. */
  readonly timezone: string | null;
  /** The next firings with their jitter, the earliest first: in UTC, and by the clock of the time zone. */
  readonly next: readonly { readonly utc: string; readonly local: string }[];
  /** The last firing that ended; null when none has. */
  readonly last: ListedFiring | null;
  /** When a run of it passed last; null when none has. */
  readonly lastSuccess: string | null;
  /** The firing under way, and whether its process is not known to be gone; null when none is. */
  readonly running: (ListedFiring & { readonly alive: boolean }) | null;
  /** The time of the first firing that nothing has looked at: no process serves the schedule. */
  readonly unserved: string | null;
  /** How many wait for the one under way. */
  readonly waiting: number;
  /** How many firings were missed, and the time of the last, which is null when none was. */
  readonly missed: { readonly count: number; readonly last: string | null };
  /** The run that a person must look after first. */
  readonly blockedBy: { readonly runId: string; readonly outcome: string } | null;
}

/** A firing, and its outcome. Times are ISO 8601, UTC. */
export interface ListedFiring {
  /** The moment at which the playbook was to run, without jitter. */
  readonly tick: string;
  /** The outcome of its run, or why it has none. */
  readonly state: FiringWord;
  /** The last run that was made for it; null when none was. */
  readonly run: string | null;
  /** How many runs were made for it. */
  readonly tries: number;
  /** When it began; null when it has not. */
  readonly startedAt: string | null;
  /** When it ended; null when it has not. */
  readonly endedAt: string | null;
  /** The process that runs it, or did. */
  readonly heldBy: string | null;
  /** What went wrong, why, and what to do next; null when nothing did. */
  readonly problem: { readonly message: string; readonly why?: string; readonly next?: string } | null;
}

/** The first schedules of a state directory, which has `total`. Pure. */
export function schedulesPage(schedules: readonly ListedSchedule[], total: number): Iterable<string> {
  const more = total - schedules.length;
  return framed({ title: "Schedules – tokenbook", above: bareToolbar(), script: SCRIPT, place: "schedules" }, [
    el("h1", {}, count(total, "schedule")).html,
    (total === 0 ? el("p", {}, NONE) : el("div", { class: "schedules" }, tableOf("Schedules", COLUMNS, schedules.map(rowOf))))
      .html,
    more > 0 ? el("p", { class: "hint" }, `${more} more: `, commandMarkup(command`schedule list`)).html : "",
  ]);
}

const NONE =
  "Nothing has run on a schedule. What tokenbook schedule runs is listed here: when it fires next, its last outcome, who runs it, what was missed.";

const COLUMNS = ["Schedule", "Next", "Last", "Runs now", "Missed", "Kept back"];

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

/** The outcome of a firing. */
export function firingState({ state }: Pick<ListedFiring, "state">): Markup {
  const { mark, word } = FIRING_WORDS[state];
  return el("span", { class: `verdict ${state}` }, `${mark} ${word}`);
}

/** Who runs a schedule, and since when. */
export function runningNow(running: ListedSchedule["running"]): Child {
  if (running === null) return "";
  const { heldBy, alive, startedAt } = running;
  const since = startedAt === null ? undefined : [", since ", moment(startedAt)];
  return [oneLine(heldBy ?? "nobody"), alive ? "" : " (gone)", since];
}

/** A moment by the clock of the schedule's zone. */
export function localMoment({ utc, local }: ListedSchedule["next"][number]): Markup {
  return el("time", { datetime: utc }, oneLine(local));
}
