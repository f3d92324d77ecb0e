import { harmless } from "../../base/text/harmless.ts";
import { present } from "../../base/present.ts";
import { count, shortened } from "../../base/text/text.ts";
import { LIMITS } from "../../base/limits.ts";
import type { EVENTS } from "../../environment/schema.ts";
import { oneLine } from "../../report/formats/foreign-text.ts";
import type { RunReport, StepReport, Totals } from "../../report/shape.ts";
import { type DriftsNote, driftsIn } from "../drifts.ts";
import type { Firing } from "../firing.ts";
import type { Streak } from "./streak.ts";
import type { KeptFailure } from "../../base/failure.ts";
import { isoTime, isoTimeOrNull } from "../../base/time/date.ts";
import type { EndedState, AboutSchedule, FiringEntry } from "../../report/schedule/shape.ts";

/** The events that a channel can select. */
export type EventName = (typeof EVENTS)[number];

/** The content of a notification, which `schemas/notification.schema.json` describes. Fields are added, never renamed. Times are ISO 8601, UTC. */
export interface Notification {
  readonly format: 1;
  /** The event, which decides the channels. */
  readonly event: EventName;
  /** When the notification was made. */
  readonly at: string;
  /** One line for people. */
  readonly summary: string;
  /** The schedule: its id, the playbook's path in the project, and the name of the environment. */
  readonly schedule: { readonly id: string; readonly playbook: string; readonly environment: string };
  /** The firing; null if firings were missed. */
  readonly firing: FiringNote | null;
  /** The run; null if no run has ended. */
  readonly run: RunNote | null;
  /** The missed firings; null if none were missed. */
  readonly missed: MissedNote | null;
  /** Why the firing did not pass, or why the scheduler has stopped; null when there is nothing to say. */
  readonly problem: KeptFailure | null;
  /** The previous state of the schedule; null if unknown. */
  readonly before: EndedState | null;
  /** How often in a row the schedule came to this state for this reason; for a recovery, to the previous state. Null if it was only once. */
  readonly repeated: RepeatedNote | null;
}

/** Consecutive firings that ended in the same way for the same reason. */
export interface RepeatedNote {
  /** How many consecutive firings there were, at least 2. */
  readonly times: number;
  /** The time of the first firing. */
  readonly since: string;
}

/** The firing that a notification is about. */
export interface FiringNote extends Pick<FiringEntry, "tick" | "startedAt" | "endedAt" | "tries"> {
  /** How the firing ended. */
  readonly state: EndedState;
}

/** The last run of the firing, as in its report. */
export interface RunNote {
  /** The id of the run in the journal. */
  readonly id: string;
  /** The playbook's name. */
  readonly name: string;
  /** The outcome of the whole run. */
  readonly outcome: RunReport["run"]["outcome"];
  /** The duration in milliseconds; null if the report does not know it. */
  readonly durationMs: number | null;
  /** The number of rows in the report by outcome. */
  readonly totals: Totals;
  /** The first steps that did not pass. */
  readonly steps: readonly StepNote[];
  /** The drifts; null if it compared nothing. */
  readonly drifts: DriftsNote | null;
}

/** A step that did not pass. */
export interface StepNote {
  /** The address of the step. */
  readonly step: string;
  /** The operation or playbook that the step uses. */
  readonly uses: string;
  readonly outcome: StepReport["outcome"];
  /** Why it did not pass. */
  readonly problem: KeptFailure | null;
}

/** Firings at which nothing ran. */
export interface MissedNote {
  /** The number of missed firings, or a lower bound if `more` is true. */
  readonly count: number;
  /** Whether more firings were missed than are counted. */
  readonly more: boolean;
  /** The time of the earliest firing that was missed. */
  readonly first: string;
  /** The time of the latest one. */
  readonly last: string;
}

/** Returns whether the outcome of a firing shows the state of its schedule. A firing that gave way to another one shows it only if there is a problem. */
export function showsState({ state, problem }: Pick<Firing, "state" | "problem">): boolean {
  return state === "skipped" || state === "replaced" || state === "cancelled" ? problem !== undefined : true;
}

/** Returns the event of a firing, given the previous state. `waitsFor` is the run that blocks it. Returns nothing if nobody must be notified. */
export function eventOf(state: EndedState, before: EndedState | undefined, waitsFor: string | undefined): EventName | undefined {
  switch (state) {
    case "passed":
      return before === undefined || before === "passed" ? undefined : "recovery";
    case "drift":
    case "missed":
    case "pending":
    case "unknown":
      return state;
    case "conflict":
      return "unknown";
    case "skipped":
    case "replaced":
    case "cancelled":
      return "missed";
    case "failed":
    case "died":
    case "interrupted":
      return "failure";
    case "blocked":
      return waitsFor === "pending" ? "pending" : "unknown";
  }
}

/** What a notification needs besides the firing. */
interface NoteContext {
  readonly about: AboutSchedule;
  readonly report: RunReport | undefined;
  readonly problems: readonly KeptFailure[];
  readonly before: EndedState | undefined;
  readonly streak: Streak | undefined;
  readonly at: number;
}

/** Returns the notification of a firing that has ended. */
export function noteOfFiring(event: EventName, firing: Firing, context: NoteContext): Notification {
  const { about, report, problems, before, streak, at } = context;
  const state = firing.state as EndedState;
  const repeated = repeatedNote(streak);
  const what = event === "recovery" ? "passed again" : `${state}${reasonIn(problems)}`;
  const of = event === "recovery" ? `${before ?? ""} ` : "";
  const often = repeated === null ? "" : ` (${of}${repeated.times} times since ${repeated.since})`;
  return {
    ...common(event, about, at),
    summary: oneLine(`${about.playbook} (${about.environment}): ${what}${often}`, Infinity),
    firing: {
      tick: isoTime(firing.tick),
      state,
      startedAt: isoTimeOrNull(firing.startedAt),
      endedAt: isoTimeOrNull(firing.endedAt),
      tries: firing.tries,
    },
    run: report === undefined ? null : runNote(report),
    problem: problemNote(problems[0]),
    before: before ?? null,
    repeated,
  };
}

function reasonIn([first, ...others]: readonly KeptFailure[]): string {
  if (first === undefined) return "";
  const more = others.length === 0 ? "" : `, and ${count(others.length, "more problem")}`;
  return `: ${cut(first.message)}${more}`;
}

function repeatedNote(streak: Streak | undefined): RepeatedNote | null {
  return streak === undefined || streak.times < 2 ? null : { times: streak.times, since: isoTime(streak.since) };
}

/** Returns the notification of a submitted run that a worker has ended or could not start. */
export function noteOfSubmitted(
  event: EventName,
  outcome: string,
  { about, report, problems, at }: Pick<NoteContext, "about" | "report" | "problems" | "at">,
): Notification {
  return {
    ...common(event, about, at),
    summary: oneLine(`${about.playbook} (${about.environment}): ${outcome}${reasonIn(problems)}`, Infinity),
    run: report === undefined ? null : runNote(report),
    problem: problemNote(problems[0]),
    before: null,
  };
}

/** Returns the notification of missed firings. */
export function noteOfMissed(
  ticks: readonly number[],
  { about, isCut, before, at }: { about: AboutSchedule; isCut: boolean; before: EndedState | undefined; at: number },
): Notification {
  const [first = at, last = first] = [ticks[0], ticks.at(-1)];
  const times = ticks.length === 1 ? "time" : "times";
  const span = ticks.length === 1 ? isoTime(first) : `from ${isoTime(first)} to ${isoTime(last)}`;
  return {
    ...common("missed", about, at),
    summary: oneLine(
      `${about.playbook} (${about.environment}): did not run ${isCut ? "at least " : ""}${ticks.length} ${times}, ${span}`,
      Infinity,
    ),
    missed: { count: ticks.length, more: isCut, first: isoTime(first), last: isoTime(last) },
    before: before ?? null,
  };
}

/** Returns the notification that nothing runs because of `what`, and why. */
export function noteOfOutage(what: string, problem: KeptFailure, about: AboutSchedule, at: number): Notification {
  const summary = `${about.playbook} (${about.environment}): ${what}: ${cut(problem.message)}`;
  return { ...common("failure", about, at), summary: oneLine(summary, Infinity), problem: problemNote(problem), before: null };
}

type Common = Omit<Notification, "summary" | "before">;

function common(event: EventName, { id, playbook, environment }: AboutSchedule, at: number): Common {
  const schedule = { id, playbook, environment };
  return { format: 1, event, at: isoTime(at), schedule, firing: null, run: null, missed: null, problem: null, repeated: null };
}

function runNote(report: RunReport): RunNote {
  const { run, totals, steps } = report;
  const stopped = steps.filter(({ problem }) => problem !== null).slice(0, LIMITS.notificationSteps);
  return {
    id: run.id,
    name: run.playbook.name,
    outcome: run.outcome,
    durationMs: run.durationMs,
    totals,
    steps: stopped.map(({ step, uses, outcome, problem }) => ({
      step,
      uses,
      outcome,
      problem: problemNote(problem ?? undefined),
    })),
    drifts: driftsIn(report),
  };
}

function problemNote(problem: KeptFailure | undefined): KeptFailure | null {
  if (problem === undefined) return null;
  const { code, message, why, next } = problem;
  return { code, message: cut(message), ...present({ why: why && cut(why), next: next && cut(next) }) };
}

// People read these texts in many places, so invisible characters are shown, and no log reader obeys them.
function cut(words: string): string {
  return shortened(harmless(words), LIMITS.notificationChars);
}
