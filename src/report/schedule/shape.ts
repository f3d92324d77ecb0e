import type { KeptFailure } from "../../base/failure.ts";
import type { Holder, RunOutcome } from "../../protocol/record.ts";

// What `schedule list` and `schedule history` print as JSON; `schemas/schedule.schema.json` describes it. What is not known is null.

/** A schedule as it is now. Times are ISO 8601, UTC. */
export interface ScheduleEntry extends AboutSchedule {
  /** Null: only a system's own scheduler has run it. */
  readonly cron: string | null;
  /** The time zone in which the pattern counts; null where `cron` is null. */
  readonly timezone: string | null;
  /** With their jitter. */
  readonly next: readonly { readonly utc: string; readonly local: string }[];
  /** The last firing that is over; null when none is. */
  readonly last: FiringEntry | null;
  /** The outcome of the last firing that shows the state of the schedule. */
  readonly lastState: EndedState | null;
  /** When a run passed last; null when none has. */
  readonly lastSuccess: string | null;
  /** `alive`: its process is not known to be gone. */
  readonly running: (FiringEntry & { readonly alive: boolean }) | null;
  /** The time of the first firing that is past and that nothing has looked at: no process serves the schedule. */
  readonly unserved: string | null;
  /** How many firings wait for the one under way. */
  readonly waiting: number;
  /** How many of the remembered firings were missed, and the time of the last one; null when none was. */
  readonly missed: { readonly count: number; readonly last: string | null };
  /** The run that a person must look after first. */
  readonly blockedBy: Blocking | null;
}

/** A firing, and its outcome. */
export interface FiringEntry {
  /** The id of the schedule: `playbook@environment`, with a digest of the inputs where some are given. */
  readonly schedule: string;
  /** The moment that the pattern names, or at which a firing outside of it was taken. Times are ISO 8601, UTC. */
  readonly tick: string;
  /** `tick` with its jitter. */
  readonly due: string;
  /** What it is now, or how it ended. */
  readonly state: FiringState;
  /** The last run that was made for it; null when none was. */
  readonly run: string | null;
  /** How many runs were made for it. */
  readonly tries: number;
  /** When a process took it; null of a firing that did not start. */
  readonly startedAt: string | null;
  /** When it ended, or was decided against; null while it waits or runs. Of one that died: when it started. */
  readonly endedAt: string | null;
  /** The process that runs it, or ran it; null of a firing that did not start. */
  readonly holder: Holder | null;
  /** Why it did not pass; or, under the code `schedule.released`, what a person says of its run. */
  readonly problem: KeptFailure | null;
}

/**
 * What a firing is, or became. A run was made: its outcome, `cancelled` for a later one, or `died` with its process. None was made:
 * `skipped`, for the one before was under way; `missed`, too late to be made up for; `replaced` by a later one; `blocked`, for an
 * earlier run waits for a person.
 */
export type FiringState = "queued" | "running" | EndedState;
/** How a firing ended, in the words of {@link FiringState}. */
export type EndedState = RunOutcome | "cancelled" | "died" | "skipped" | "missed" | "replaced" | "blocked";

/** A run that a person must look after before another is made. */
export interface Blocking {
  /** The id of the run in the journal. */
  readonly runId: string;
  /** `held`: somebody is continuing it now. */
  readonly outcome: RunOutcome | "held" | "not finished";
  /** The step whose write is open, of a run that the schedule did not make. */
  readonly step?: string;
}

/** The name of a schedule, and what it runs. */
export interface AboutSchedule {
  /** By what the schedule is known, such as `playbook@environment`; of a submitted run, its key. */
  readonly id: string;
  /** The playbook's path, from the project. */
  readonly playbook: string;
  /** The name of the environment. */
  readonly environment: string;
}
