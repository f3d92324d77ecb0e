import { createHash } from "node:crypto";
import type { Cron } from "../base/time/cron.ts";
import { LIMITS } from "../base/limits.ts";
import type { Schedule } from "../playbook/model.ts";

/** What of a schedule decides when it fires. */
export interface FiringPlan extends Pick<Schedule, "cron" | "overlap" | "catchupMs" | "jitterMs"> {
  /** The id of the schedule: `playbook@environment`, with a digest of the inputs where some are given. */
  readonly id: string;
}

/** The state of a schedule: the ticks up to `since` are settled. */
export interface ScheduleState {
  /** Milliseconds since the Unix epoch. */
  readonly since: number;
  /** A firing is under way, and its process lives. */
  readonly isRunning: boolean;
  /** Ticks that wait for it, the earliest first; and since when nothing is under way any more. */
  readonly waiting: readonly number[];
  /** Milliseconds since the Unix epoch; 0 when no firing that was started has ended. */
  readonly freeSince: number;
  /** Whether an earlier run waits for a person. Asked only when a firing would begin. */
  readonly isBlocked: () => boolean;
}

/** The outcome of one tick. */
export interface TickDecision {
  /** The moment that the pattern names, in milliseconds since the Unix epoch. */
  readonly tick: number;
  /** The tick with its jitter. */
  readonly due: number;
  /** What the tick becomes: a firing that begins, one that waits, or one that is not run. */
  readonly state: "running" | "queued" | "skipped" | "missed" | "replaced" | "blocked";
}

/** What follows from a plan, its state, and the time. */
export interface Decision {
  /** The outcomes of the ticks that were decided, in the order of the decisions. */
  readonly steps: readonly TickDecision[];
  /** The ticks up to here are settled: milliseconds since the Unix epoch. */
  readonly since: number;
  /** The firing under way is to stop. */
  readonly cancels: boolean;
  /** More ticks were missed than are listed one by one. */
  readonly isCut: boolean;
}

/**
 * When a tick is due: put off by its jitter, which follows from the schedule and the tick alone, so that every process comes to the
 * same.
 */
export function dueOf({ id, jitterMs }: Pick<FiringPlan, "id" | "jitterMs">, tick: number): number {
  if (jitterMs === 0) return tick;
  const digest = createHash("sha256").update(`${id}\n${tick}`).digest();
  return tick + (digest.readUIntBE(0, 6) % (jitterMs + 1));
}

/** The next moment at which a plan fires, with its jitter; `undefined` when there is none. */
export function nextDue(plan: FiringPlan, since: number): number | undefined {
  const tick = plan.cron.next(since);
  return tick === undefined ? undefined : dueOf(plan, tick);
}

/** Returns the next actions. Every process that asks with the same table gets the same. */
export function decide(plan: FiringPlan, state: ScheduleState, now: number): Decision {
  const { ticks, isCut } = dueTicks(plan, state.since, now);
  const since = Math.max(state.since, ticks.at(-1) ?? state.since);
  const deciding = new Deciding(plan, state, now);
  const late = deciding.beginWaiting();
  deciding.fireLast([...late, ...ticks]);
  return { steps: deciding.steps, since, cancels: deciding.cancels, isCut };
}

/** The ticks that are due, the earliest first; of very many the last ones. */
function dueTicks(plan: FiringPlan, since: number, now: number): { readonly ticks: readonly number[]; readonly isCut: boolean } {
  const ticks: number[] = [];
  for (let tick = nextTick(plan.cron, since); dueOf(plan, tick) <= now; tick = nextTick(plan.cron, tick)) {
    ticks.push(tick);
    if (ticks.length <= LIMITS.firingsAtOnce) continue;
    const last = plan.cron.previous(now + 1, LIMITS.firingsAtOnce);
    return { ticks: last.filter((each) => each > since && dueOf(plan, each) <= now), isCut: true };
  }
  return { ticks, isCut: false };
}

function nextTick(cron: Cron, after: number): number {
  return cron.next(after) ?? Number.POSITIVE_INFINITY;
}

class Deciding {
  readonly steps: TickDecision[] = [];
  cancels = false;
  readonly #plan: FiringPlan;
  readonly #state: ScheduleState;
  readonly #now: number;
  #isRunning: boolean;
  #waiting: readonly number[];

  constructor(plan: FiringPlan, state: ScheduleState, now: number) {
    this.#plan = plan;
    this.#state = state;
    this.#now = now;
    this.#isRunning = state.isRunning;
    this.#waiting = state.waiting;
  }

  /** Begins what has waited for a firing that is over now; gives the ticks that have waited while nobody looked. */
  beginWaiting(): readonly number[] {
    const [first, ...rest] = this.#waiting;
    if (this.#isRunning || first === undefined) return [];
    const free = Math.max(dueOf(this.#plan, first), this.#state.freeSince);
    const isLate = this.#now - free > LIMITS.scheduleLateMs;
    this.#waiting = isLate ? [] : rest;
    if (isLate) return [first, ...rest];
    this.#begin(first);
    return [];
  }

  /** Of several ticks only the last fires, in place of those that could be made up for; the others were missed. */
  fireLast(ticks: readonly number[]): void {
    const last = ticks.at(-1);
    if (last === undefined) return;
    for (const tick of ticks.slice(0, -1)) this.#step(tick, this.#isTooLate(tick) ? "missed" : "replaced");
    if (this.#isTooLate(last)) this.#step(last, "missed");
    else if (this.#isRunning) this.#overlap(last);
    else this.#begin(last);
  }

  #isTooLate(tick: number): boolean {
    return this.#now - dueOf(this.#plan, tick) > Math.max(LIMITS.scheduleLateMs, this.#plan.catchupMs);
  }

  #begin(tick: number): void {
    const isBlocked = this.#state.isBlocked();
    this.#step(tick, isBlocked ? "blocked" : "running");
    this.#isRunning = !isBlocked;
  }

  #overlap(tick: number): void {
    const { overlap } = this.#plan;
    if (overlap === "cancel") {
      for (const waiting of this.#waiting) this.#step(waiting, "replaced");
      this.cancels = true;
    }
    const isFull = overlap === "queue" && this.#waiting.length >= LIMITS.firingsQueued;
    this.#step(tick, overlap === "skip" || isFull ? "skipped" : "queued");
  }

  #step(tick: number, state: TickDecision["state"]): void {
    this.steps.push({ tick, due: dueOf(this.#plan, tick), state });
  }
}
