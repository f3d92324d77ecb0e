import type { ExitCode } from "../base/exit.ts";
import type { Holder, RunOutcome } from "../protocol/record.ts";
import type { RunReport } from "../report/shape.ts";
import type { KeptFailure } from "../base/failure.ts";
import { present } from "../base/present.ts";
import type { FiringState, AboutSchedule } from "../report/schedule/shape.ts";

/** One moment at which a playbook was to run. Times are milliseconds since the Unix epoch. */
export interface Firing {
  /** The id of the schedule: `playbook@environment`, with a digest of the inputs where some are given. */
  readonly schedule: string;
  /** The moment that the pattern names, or at which a firing outside of the pattern was taken. */
  readonly tick: number;
  /** The tick with its jitter. */
  readonly due: number;
  /** What it is now, or how it ended. */
  readonly state: FiringState;
  /** The process that runs it, or ran it; nothing of a firing that did not start. */
  readonly holder: Holder | undefined;
  /** The last run that was made for it. */
  readonly runId: string | undefined;
  /** How many runs were made for it. */
  readonly tries: number;
  /** When a process took it; nothing of a firing that did not start. */
  readonly startedAt: number | undefined;
  /** When it ended, or was decided against; nothing while it waits or runs. Of one that died: when it started. */
  readonly endedAt: number | undefined;
  /** Why it did not pass; or, under the code `schedule.released`, what a person says of its run. */
  readonly problem: KeptFailure | undefined;
  /** Somebody wants it to stop, while it is under way. */
  readonly isToStop: boolean;
}

/** How a run ended. */
export interface RunResult {
  /** `failed` also when it could not start. */
  readonly outcome: RunOutcome;
  /** The exit code of the run as a command. */
  readonly exit: ExitCode;
  /** Nothing when it could not start. */
  readonly report: RunReport | undefined;
  /** Why it could not start, or broke off; nothing when only the report says why it did not pass. */
  readonly problem: KeptFailure | undefined;
  /** Whether it could not start because of a database that may be back soon. */
  readonly startsLater?: boolean;
}

/** A run that keeps its schedule back no more, for a person has said so. */
export interface Released {
  /** The id of the run in the journal. */
  readonly runId: string;
  /** Who, and why. */
  readonly says: string;
}

/** What is asked before a playbook that writes is run once more. */
export interface OpenWriteQuestion extends Pick<AboutSchedule, "playbook" | "environment"> {
  /** The last run of the schedule that nobody has released. */
  readonly lastRun: string | undefined;
  /** Its runs that somebody has released. */
  readonly released: readonly string[];
}

/** Why a run did not pass: its own problem, and then that of each step that has one. */
export function problemsIn({ run, steps }: RunReport): readonly KeptFailure[] {
  const own = run.problem === null ? [] : [withoutEvidence(run.problem)];
  const ofSteps = steps.flatMap(({ step, problem }) =>
    problem === null ? [] : [withoutEvidence({ ...problem, message: `${step}: ${problem.message}` })],
  );
  return [...own, ...ofSteps];
}

// Without what was seen, which may be long: the run's own report has it.
function withoutEvidence({ code, message, why, next }: KeptFailure): KeptFailure {
  return { code, message, ...present({ why, next }) };
}
