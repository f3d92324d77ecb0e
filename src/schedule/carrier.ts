import { adviceText, command } from "../base/command-line.ts";
import { EXIT, type ExitCode } from "../base/exit.ts";
import { formatDuration } from "../base/time/duration.ts";
import { LIMITS } from "../base/limits.ts";
import { pauseAfter } from "../base/time/backoff.ts";
import { masked } from "../base/secret.ts";
import type { Schedule } from "../playbook/model.ts";
import type { RunReport } from "../report/shape.ts";
import type { Courier } from "./notify/courier.ts";
import { type OpenWriteQuestion, type Firing, problemsIn, type Released, type RunResult } from "./firing.ts";
import { LOST_FIRING } from "./firings.ts";
import type { FiringEnd, Heartbeat, HeartbeatPorts } from "./notify/heartbeat.ts";
import type { Metrics } from "./metrics.ts";
import { type EventName, eventOf, noteOfFiring, showsState } from "./notify/notification.ts";
import { mayPass } from "../sql/failure.ts";
import type { ScheduleStore } from "./store.ts";
import { streakAfter } from "./notify/streak.ts";
import type { KeptFailure } from "../base/failure.ts";
import { isoTime } from "../base/time/date.ts";
import { present } from "../base/present.ts";
import type { EndedState, Blocking, AboutSchedule } from "../report/schedule/shape.ts";

/** A playbook to run, with its schedule. */
export interface Scheduled extends AboutSchedule {
  /** The schedule; undefined if only an external scheduler runs the playbook. */
  readonly schedule: Schedule | undefined;
  /** Whether the playbook, or a playbook that it includes, calls an operation that writes. */
  readonly writes: boolean;
}

/** Makes one run and returns how it ended. Calls `begun` with the run's id before anything is sent. Never throws an expected error. */
export type MakeRun = (
  scheduled: Scheduled,
  given: {
    readonly signal: AbortSignal;
    readonly begun: (runId: string) => void;
    /** Called in the transaction that makes the run known. Throws a Failure if another process has taken the firing for dead. */
    readonly admit: () => void;
    readonly released: readonly Released[];
  },
) => Promise<RunResult>;

/** The parts of a scheduler. */
export interface Parts extends HeartbeatPorts {
  /** Where schedules, firings and waiting notifications are stored. */
  readonly store: ScheduleStore;
  /** The metrics that `/metrics` shows. */
  readonly metrics: Metrics;
  /** Stores notifications and delivers them to their channels. */
  readonly courier: Courier;
  /** Pings the monitoring service at the start and the end of each firing. */
  readonly heartbeat: Heartbeat;
  /** Makes each run of a firing, one for each try. */
  readonly makeRun: MakeRun;
  /** Returns the run that needs attention before another one may be made. */
  readonly blocking: (asked: OpenWriteQuestion) => Blocking | undefined;
  /** Waits until one more run may be made in parallel. */
  readonly inSlot: <T>(work: () => Promise<T>) => Promise<T>;
}

/** Why a run is stopped. */
export type StopReason = "time-limit" | "cancelled" | "stopping";

/** A firing that has ended, with its exit code. */
export interface Carried {
  /** The outcome of the firing. */
  readonly state: EndedState;
  /** The exit code of its last run; `failed` if the time limit stopped that run. */
  readonly exit: ExitCode;
}

interface EndedFiring {
  readonly report: RunReport | undefined;
  readonly blocking: Blocking | undefined;
  /** Why the firing did not pass. The first problem is the firing's own. */
  readonly problems: readonly KeptFailure[];
  readonly at: number;
}

type KeptEnd = Partial<FiringEnd & Pick<EndedFiring, "blocking" | "problems">>;

/** Runs firings to their end and reports them. */
export class Carrier {
  readonly #parts: Parts;
  readonly #stopping = new AbortController();
  #isEnding = false;
  #inProgress = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** From now on, starts no run, not even for a firing that waits for a slot, its next try or the database. Returns how many runs are in progress. */
  stop(): number {
    this.#stopping.abort();
    return this.#inProgress;
  }

  /** Stops a firing because this process ends. If the firing was already stopped, it keeps its reason and no longer waits for a database. */
  end(stop: AbortController): void {
    this.#isEnding = true;
    stop.abort("stopping" satisfies StopReason);
  }

  /** Makes the runs of a firing that this process has claimed. The controller stops the firing, with the reason. */
  async carry(scheduled: Scheduled, firing: Firing, stop: AbortController): Promise<Carried> {
    const { store, log, inSlot } = this.#parts;
    const result = await inSlot(() => (this.#mayBegin(stop) ? this.#run(scheduled, firing, stop) : Promise.resolve(NOT_BEGUN)));
    const { state, problems: found } = endOf(result, stop.signal, scheduled);
    const exit = state === "failed" && result.exit === EXIT.interrupted ? EXIT.failed : result.exit;
    let say: (() => void) | undefined;
    const ended = await this.#whenBack(() =>
      store.transaction(() => {
        const isNever = state === "cancelled" && store.firings.lastEnded(scheduled.id)?.state === "cancelled";
        const problems = isNever ? [neverEnding()] : found;
        const over = store.firings.end(firing, state, problems[0]);
        if (over !== undefined)
          say = this.#keepEnd(scheduled, over, {
            report: result.report,
            exit: result === NOT_BEGUN ? undefined : exit,
            problems,
          });
        // The server may have stored the end and gone away before it answered.
        return over ?? store.firings.at(firing.schedule, firing.tick);
      }),
    );
    if (ended === undefined || ended.state === "died")
      log("error", "firing.lost", lostLine(scheduled, ended, result), { ...aboutFiring(firing), outcome: state });
    else say?.(); // only now, because a transaction that is rolled back is repeated
    return { state, exit };
  }

  // A firing that must stop makes no further run, whatever it waits for.
  #mayBegin(stop: AbortController): boolean {
    if (this.#stopping.signal.aborted) stop.abort("stopping" satisfies StopReason);
    return !stop.signal.aborted;
  }

  async #run(scheduled: Scheduled, firing: Firing, stop: AbortController): Promise<RunResult> {
    const { clock, log, metrics, heartbeat } = this.#parts;
    metrics.started(scheduled.id);
    heartbeat.started(firing);
    log("info", "firing.started", `${scheduled.id}: runs`, aboutFiring(firing));
    const began = clock.elapsed();
    const result = await this.#withinLimit(scheduled, firing, stop);
    metrics.ran(scheduled.id, clock.elapsed() - began, result.report);
    return result;
  }

  // If this process did not record the end of a firing, the firing would be under way as long as the process lives.
  async #whenBack<T>(work: () => T): Promise<T> {
    const { clock } = this.#parts;
    const began = clock.elapsed();
    for (;;) {
      try {
        return work();
      } catch (error) {
        if (!mayPass(error) || (this.#isEnding && clock.elapsed() - began >= LIMITS.databaseAwayMs)) throw error;
        await clock.sleep(LIMITS.schedulePollMs);
      }
    }
  }

  /** Reports a firing that has ended to the log, the metrics and the listeners, within the transaction that ends it. */
  reportEnd(scheduled: Scheduled, firing: Firing, ending: KeptEnd = {}): void {
    this.#keepEnd(scheduled, firing, ending)();
  }

  // Stores the state and the notifications in the transaction that ends the firing. Returns a function for the other reports, which cannot be rolled back.
  #keepEnd(scheduled: Scheduled, firing: Firing, { report, exit, blocking, problems = problemsOf(firing) }: KeptEnd): () => void {
    const { clock, metrics, heartbeat, log, redact } = this.#parts;
    const state = firing.state as EndedState;
    const event = showsState(firing)
      ? this.#notify(scheduled, firing, { report, blocking, problems, at: clock.now() })
      : undefined;
    return () => {
      metrics.fired(scheduled.id, state, 1);
      if (showsState(firing)) heartbeat.ended(firing, { exit, report });
      log(levelOf(firing), "firing.ended", redact(endedLine(scheduled, firing, event === "recovery")), {
        ...aboutFiring(firing),
        outcome: state,
        ...present({ run: firing.runId }),
        ...(firing.problem === undefined ? {} : { problem: masked(firing.problem, redact) }),
      });
    };
  }

  // Stores the state of the schedule. Returns the event of this firing, or nothing if it was already reported.
  #notify(scheduled: Scheduled, firing: Firing, { report, blocking, problems, at }: EndedFiring): EventName | undefined {
    const { store, courier, redact } = this.#parts;
    const state = firing.state as EndedState;
    const last = store.known(scheduled.id)?.streak;
    const streak = streakAfter(last, firing, problems);
    const before = store.setState(scheduled.id, state, streak);
    const event = eventOf(state, before, blocking?.outcome);
    if (event === undefined) return undefined;
    const isNews = streak === undefined || streak.notifiedAt === firing.tick;
    const note = noteOfFiring(event, firing, {
      about: scheduled,
      report,
      problems,
      before,
      streak: event === "recovery" ? last : streak,
      at,
    });
    courier.put(note, redact, isNews);
    return event;
  }

  async #withinLimit(scheduled: Scheduled, firing: Firing, stop: AbortController): Promise<RunResult> {
    const over = new AbortController();
    void this.#stopLate(scheduled.schedule?.timeLimitMs, stop, over.signal);
    try {
      return await this.#tries(scheduled, firing, stop);
    } finally {
      over.abort();
    }
  }

  async #stopLate(limitMs: number | undefined, stop: AbortController, over: AbortSignal): Promise<void> {
    if (limitMs === undefined) return;
    await this.#parts.clock.sleep(limitMs, over);
    if (!over.aborted) stop.abort("time-limit" satisfies StopReason);
  }

  async #tries(scheduled: Scheduled, firing: Firing, stop: AbortController): Promise<RunResult> {
    const { clock, log } = this.#parts;
    const retry = scheduled.schedule?.retry;
    for (let tries = 1; ; tries++) {
      const result = await this.#try(scheduled, firing, stop);
      if (result.problem?.code === LOST_FIRING) return result;
      if (retry === undefined || result.outcome !== "failed" || tries >= retry.attempts || !this.#mayBegin(stop)) return result;
      const pause = pauseAfter(retry, tries);
      const again = `${scheduled.id}: failed, is run again in ${formatDuration(pause)} (${tries} of ${retry.attempts})`;
      log("warn", "firing.retried", again, { ...aboutFiring(firing), tries });
      await clock.sleep(pause, this.#untilStop(stop));
      if (!this.#mayBegin(stop)) return { ...result, outcome: "interrupted", exit: EXIT.interrupted };
    }
  }

  // A run that cannot start while the database is unavailable starts when the database is back, unless the firing is stopped first.
  async #try(scheduled: Scheduled, firing: Firing, stop: AbortController): Promise<RunResult> {
    const { clock, log, makeRun, store } = this.#parts;
    for (let isWaiting = false; ; isWaiting = true) {
      const released = await this.#whenBack(() => store.firings.released(scheduled.id));
      if (!this.#mayBegin(stop)) return NOT_BEGUN;
      this.#inProgress++;
      const result = await makeRun(scheduled, {
        signal: stop.signal,
        begun: (runId) => store.firings.began(firing, runId),
        admit: () => store.firings.assertMine(firing),
        released,
      }).finally(() => void this.#inProgress--);
      if (result.startsLater !== true) return result;
      const why = `${scheduled.id}: waits for the database: ${result.problem?.message ?? ""}`;
      if (!isWaiting) log("warn", "firing.waits", why, aboutFiring(firing));
      await clock.sleep(LIMITS.schedulePollMs, this.#untilStop(stop));
    }
  }

  #untilStop(stop: AbortController): AbortSignal {
    return AbortSignal.any([stop.signal, this.#stopping.signal]);
  }
}

const NOT_BEGUN: RunResult = { outcome: "interrupted", exit: EXIT.interrupted, report: undefined, problem: undefined };

// If we stopped the run, the state says why. If the run meanwhile ended in another way, or as unknown, that outcome is the state.
function endOf(
  result: RunResult,
  signal: AbortSignal,
  { playbook, schedule }: Scheduled,
): { readonly state: EndedState; readonly problems: readonly KeptFailure[] } {
  const { outcome, report, problem } = result;
  const ofReport = report === undefined || outcome === "passed" ? [] : problemsIn(report);
  if (!signal.aborted || outcome !== "interrupted") return { state: outcome, problems: [problem ?? [], ofReport].flat() };
  switch (signal.reason as StopReason) {
    case "time-limit":
      return { state: "failed", problems: [timeLimitProblem(schedule?.timeLimitMs ?? 0)] };
    case "cancelled":
      return { state: "cancelled", problems: [] };
    case "stopping":
      return { state: "interrupted", problems: [stoppedProblem(playbook, result !== NOT_BEGUN)] };
  }
}

function problemsOf({ problem }: Firing): readonly KeptFailure[] {
  return problem === undefined ? [] : [problem];
}

function neverEnding(): KeptFailure {
  return {
    code: "schedule.cancelled",
    message: "a later firing cancelled this run, and this run had cancelled the one before: no run ends before the next firing",
    next: "let it fire less often, or write overlap: skip",
  };
}

function stoppedProblem(playbook: string, hasStarted: boolean): KeptFailure {
  return {
    code: "schedule.stopping",
    message: `the schedule was stopped before the run ${hasStarted ? "came to its end" : "started"}`,
    why: "tokenbook does not run it again before the next firing",
    next: adviceText(command`schedule --once ${playbook}`),
  };
}

function timeLimitProblem(limitMs: number): KeptFailure {
  return {
    code: "schedule.time-limit",
    message: `the run took longer than ${formatDuration(limitMs)} and was stopped`,
    why: "schedule.timeLimit of the playbook sets it",
    next: "give it more time, or let it read less",
  };
}

function endedLine({ id }: Scheduled, { state, runId, problem, tries }: Firing, isRecovery: boolean): string {
  const run = runId === undefined ? "" : `, run ${runId}`;
  const tried = tries > 1 ? `, ${tries} tries` : "";
  const why = problem === undefined ? "" : `: ${problem.message}`;
  return `${id}: ${isRecovery ? "passed again" : state}${run}${tried}${why}`;
}

// Another process has reported the firing as `died`. This reports the outcome of its run.
function lostLine({ id }: Scheduled, firing: Firing | undefined, { outcome, problem }: RunResult): string {
  const run = firing?.runId === undefined ? "no run" : `its run ${firing.runId}`;
  const why = problem === undefined ? "" : `: ${problem.message}`;
  return `${id}: another process took this one for dead; ${run} ended here as ${outcome}${why}`;
}

function levelOf(firing: Firing): "info" | "warn" | "error" {
  if (firing.state === "passed") return "info";
  return showsState(firing) ? "error" : "warn";
}

/** Returns the fields of every log line about a firing. */
export function aboutFiring({ schedule, tick }: Pick<Firing, "schedule" | "tick">): Readonly<Record<string, unknown>> {
  return { schedule, tick: isoTime(tick) };
}
