import type { Holder } from "../protocol/record.ts";
import {
  type Blocking,
  type EndedState,
  type Firing,
  type FiringState,
  type FiringProblem,
  timeOf,
  timeOrNull,
} from "./firing.ts";

// What `schedule list` and `schedule history` print as JSON; `schemas/schedule.schema.json` describes it. What is not known is null.

/** A schedule as it is now. Times are ISO 8601, UTC. */
export interface ScheduleEntry {
  readonly id: string;
  readonly playbook: string;
  readonly environment: string;
  /** Null: only a system's own scheduler has run it. */
  readonly cron: string | null;
  readonly timezone: string | null;
  /** With their jitter. */
  readonly next: readonly { readonly utc: string; readonly local: string }[];
  readonly last: FiringEntry | null;
  /** The outcome of the last firing that shows the state of the schedule. */
  readonly lastState: EndedState | null;
  readonly lastSuccess: string | null;
  /** `alive`: its process is not known to be gone. */
  readonly running: (FiringEntry & { readonly alive: boolean }) | null;
  /** The first tick that nothing has looked at although it is past: no process serves the schedule. */
  readonly unserved: string | null;
  readonly waiting: number;
  readonly missed: { readonly count: number; readonly last: string | null };
  /** The run that a person must look after first. */
  readonly blockedBy: Blocking | null;
}

/** A firing, and its outcome. */
export interface FiringEntry {
  readonly schedule: string;
  readonly tick: string;
  readonly due: string;
  readonly state: FiringState;
  readonly run: string | null;
  readonly tries: number;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  readonly holder: Holder | null;
  readonly problem: FiringProblem | null;
}

export function firingEntry(firing: Firing): FiringEntry {
  const { schedule, tick, due, state, runId, tries, startedAt, endedAt, holder, problem } = firing;
  return {
    schedule,
    tick: timeOf(tick),
    due: timeOf(due),
    state,
    run: runId ?? null,
    tries,
    startedAt: timeOrNull(startedAt),
    endedAt: timeOrNull(endedAt),
    holder: holder ?? null,
    problem: problem ?? null,
  };
}
