import type { KeptFailure } from "../../base/failure.ts";
import type { Holder, RunOutcome } from "../../protocol/record.ts";

// The JSON output of `schedule list` and `schedule history`. `schemas/schedule.schema.json` describes it. Unknown values are null.

/** A schedule as it is now. Times are ISO 8601, UTC. */
export interface ScheduleEntry extends AboutSchedule {
  /** The pattern; null if only an external scheduler has run it. */
  readonly cron: string | null;
  /** The time zone of the pattern; null if `cron` is null. */
  readonly timezone: string | null;
  /** The next firings, including jitter. */
  readonly next: readonly { readonly utc: string; readonly local: string }[];
  /** The last firing that has ended; null if there is none. */
  readonly last: FiringEntry | null;
  /** The outcome of the last firing that shows the state of the schedule. */
  readonly lastState: EndedState | null;
  /** When a run last passed; null if none has. */
  readonly lastSuccess: string | null;
  /** The firing under way. `alive` is false only if its process is known to be gone. */
  readonly running: (FiringEntry & { readonly alive: boolean }) | null;
  /** The time of the first past firing that no process has looked at, which means that no process serves the schedule. */
  readonly unserved: string | null;
  /** How many firings wait for the current one. */
  readonly waiting: number;
  /** How many of the recorded firings were missed, and the time of the last one; null if none was. */
  readonly missed: { readonly count: number; readonly last: string | null };
  /** The run that needs attention first. */
  readonly blockedBy: Blocking | null;
}

/** A firing and its outcome. */
export interface FiringEntry {
  /** The id of the schedule: `playbook@environment`, with a digest of the inputs if there are any. */
  readonly schedule: string;
  /** The moment that the pattern names. For a firing outside the pattern, the moment at which it was taken. Times are ISO 8601, UTC. */
  readonly tick: string;
  /** `tick` plus its jitter. */
  readonly due: string;
  /** Its current state, or how it ended. */
  readonly state: FiringState;
  /** The last run that was made for it; null if there is none. */
  readonly run: string | null;
  /** How many runs were made for it. */
  readonly tries: number;
  /** When a process took it; null if it did not start. */
  readonly startedAt: string | null;
  /** When it ended, or when it was decided not to run it; null while it waits or runs. If its process died, the time at which it started. */
  readonly endedAt: string | null;
  /** The process that runs it or has run it; null if it did not start. */
  readonly holder: Holder | null;
  /** Why it did not pass. Under the code `schedule.released`, what a person said about its run. */
  readonly problem: KeptFailure | null;
}

/**
 * The state or outcome of a firing. If a run was made: the outcome of the run, `cancelled` in favour of a later run, or `died` with its process. If no run was
 * made: `skipped` because the previous firing was under way, `missed` because it was too late to make up for it, `replaced` by a later firing, or `blocked`
 * because an earlier run needs attention.
 */
export type FiringState = "queued" | "running" | EndedState;
/** How a firing ended, in the words of {@link FiringState}. */
export type EndedState = RunOutcome | "cancelled" | "died" | "skipped" | "missed" | "replaced" | "blocked";

/** A run that needs attention before another one may be made. */
export interface Blocking {
  /** The id of the run in the journal. */
  readonly runId: string;
  /** The outcome. `held` means that somebody is resuming it now. */
  readonly outcome: RunOutcome | "held" | "not finished";
  /** The step whose write is open, if the schedule did not make the run. */
  readonly step?: string;
}

/** The name of a schedule, and what it runs. */
export interface AboutSchedule {
  /** The id of the schedule, such as `playbook@environment`. For a submitted run, its key. */
  readonly id: string;
  /** The playbook's path in the project. */
  readonly playbook: string;
  /** The name of the environment. */
  readonly environment: string;
}
