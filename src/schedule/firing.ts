import type { ExitCode } from "../base/exit.ts";
import type { Holder, RunOutcome } from "../protocol/record.ts";
import type { RunReport } from "../report/shape.ts";
import type { KeptFailure } from "../base/failure.ts";
import { present } from "../base/present.ts";
import type { FiringState, AboutSchedule } from "../report/schedule/shape.ts";

/** One moment at which a playbook should run. Times are milliseconds since the Unix epoch. */
export interface Firing {
  /** The id of the schedule: `playbook@environment`, with a digest of the inputs if there are any. */
  readonly schedule: string;
  /** The moment that the pattern names. For a firing outside the pattern, the moment at which it was taken. */
  readonly tick: number;
  /** The tick plus its jitter. */
  readonly due: number;
  /** Its current state, or how it ended. */
  readonly state: FiringState;
  /** The process that runs it or has run it; undefined if it did not start. */
  readonly holder: Holder | undefined;
  /** The last run that was made for it. */
  readonly runId: string | undefined;
  /** How many runs were made for it. */
  readonly tries: number;
  /** When a process took it; undefined if it did not start. */
  readonly startedAt: number | undefined;
  /** When it ended, or when it was decided not to run it; undefined while it waits or runs. If its process died, the time at which it started. */
  readonly endedAt: number | undefined;
  /** Why it did not pass. Under the code `schedule.released`, what a person said about its run. */
  readonly problem: KeptFailure | undefined;
  /** Whether somebody wants it to stop while it is under way. */
  readonly isToStop: boolean;
}

/** How a run ended. */
export interface RunResult {
  /** The outcome; also `failed` if the run could not start. */
  readonly outcome: RunOutcome;
  /** The exit code of the run as a command. */
  readonly exit: ExitCode;
  /** The report; undefined if the run could not start. */
  readonly report: RunReport | undefined;
  /** Why it could not start or was broken off; undefined if only the report says why it did not pass. */
  readonly problem: KeptFailure | undefined;
  /** Whether it could not start because of a database that may be back soon. */
  readonly startsLater?: boolean;
}

/** A run that no longer blocks its schedule, because a person has released it. */
export interface Released {
  /** The id of the run in the journal. */
  readonly runId: string;
  /** Who released it, and why. */
  readonly says: string;
}

/** The question that is asked before a playbook that writes is run again. */
export interface OpenWriteQuestion extends Pick<AboutSchedule, "playbook" | "environment"> {
  /** The last run of the schedule, unless it was released. */
  readonly lastRun: string | undefined;
  /** The released runs of the schedule. */
  readonly released: readonly string[];
}

/** Returns why a run did not pass: its own problem, and then the problem of each step that has one. */
export function problemsIn({ run, steps }: RunReport): readonly KeptFailure[] {
  const own = run.problem === null ? [] : [withoutEvidence(run.problem)];
  const ofSteps = steps.flatMap(({ step, problem }) =>
    problem === null ? [] : [withoutEvidence({ ...problem, message: `${step}: ${problem.message}` })],
  );
  return [...own, ...ofSteps];
}

// Leaves out the evidence, which may be long and is in the run's own report.
function withoutEvidence({ code, message, why, next }: KeptFailure): KeptFailure {
  return { code, message, ...present({ why, next }) };
}
