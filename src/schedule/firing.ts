import type { ExitCode } from "../base/exit.ts";
import type { Holder, RunOutcome } from "../protocol/record.ts";
import type { RunReport } from "../report/shape.ts";

/**
 * What a firing is, or became. A run was made: its outcome, `cancelled` for a later one, or `died` with its process. None was made:
 * `skipped`, for the one before was under way; `missed`, too late to be made up for; `replaced` by a later one; `blocked`, for an
 * earlier run waits for a person.
 */
export type FiringState = "queued" | "running" | EndedState;
export type EndedState = RunOutcome | "cancelled" | "died" | "skipped" | "missed" | "replaced" | "blocked";

/** Why a firing did not pass, as a person needs to hear it. */
export interface FiringProblem {
  readonly code: string;
  readonly message: string;
  readonly why?: string;
  readonly next?: string;
}

/** One moment at which a playbook was to run. Times are milliseconds since the Unix epoch. */
export interface Firing {
  readonly schedule: string;
  readonly tick: number;
  /** The tick with its jitter. */
  readonly due: number;
  readonly state: FiringState;
  readonly holder: Holder | undefined;
  /** The last run that was made for it. */
  readonly runId: string | undefined;
  /** How many runs were made for it. */
  readonly tries: number;
  readonly startedAt: number | undefined;
  readonly endedAt: number | undefined;
  readonly problem: FiringProblem | undefined;
  /** Somebody wants it to stop, while it is under way. */
  readonly isToStop: boolean;
}

/** How a run ended. */
export interface RunResult {
  /** `failed` also when it could not start. */
  readonly outcome: RunOutcome;
  readonly exit: ExitCode;
  /** Nothing when it could not start. */
  readonly report: RunReport | undefined;
  readonly problem: FiringProblem | undefined;
}

/** A run that a person must look after before another is made. */
export interface Blocking {
  readonly runId: string;
  /** `held`: somebody is continuing it now. */
  readonly outcome: RunOutcome | "held" | "not finished";
  /** The step whose write is open, of a run that the schedule did not make. */
  readonly step?: string;
}

/** A run that keeps its schedule back no more, for a person has said so. */
export interface Released {
  readonly runId: string;
  /** Who, and why. */
  readonly says: string;
}

/** What is asked before a playbook that writes is run once more. */
export interface OpenWriteQuestion {
  readonly playbook: string;
  readonly environment: string;
  /** The last run of the schedule that nobody has released. */
  readonly lastRun: string | undefined;
  /** Its runs that somebody has released. */
  readonly released: readonly string[];
}

/** Why a run did not pass: its own problem, or that of the first step that has one. */
export function problemIn({ run, steps }: RunReport): FiringProblem | undefined {
  if (run.problem !== null) return withoutEvidence(run.problem);
  const stopped = steps.find(({ problem }) => problem !== null);
  if (stopped === undefined || stopped.problem === null) return undefined;
  return withoutEvidence({ ...stopped.problem, message: `${stopped.step}: ${stopped.problem.message}` });
}

// Without what was seen, which may be long: the run's own report has it.
function withoutEvidence({ code, message, why, next }: FiringProblem): FiringProblem {
  return { code, message, ...(why === undefined ? {} : { why }), ...(next === undefined ? {} : { next }) };
}

/** The moment for people and records. */
export function timeOf(at: number): string {
  return new Date(at).toISOString();
}

export function timeOrNull(at: number | undefined): string | null {
  return at === undefined ? null : timeOf(at);
}
