import { createHash } from "node:crypto";
import type { Cron } from "../base/time/cron.ts";
import { LIMITS } from "../base/limits.ts";
import type { Schedule } from "../playbook/model.ts";

/** The parts of a schedule that decide when it fires. */
export interface FiringPlan extends Pick<Schedule, "cron" | "overlap" | "catchupMs" | "jitterMs"> {
  /** The id of the schedule: `playbook@environment`, with a digest of the inputs if there are any. */
  readonly id: string;
}

/** The state of a schedule. The ticks up to `since` are settled. */
export interface ScheduleState {
  /** Milliseconds since the Unix epoch. */
  readonly since: number;
  /** Whether a firing is under way and its process is alive. */
  readonly isRunning: boolean;
  /** Ticks that wait for it, the earliest first. */
  readonly waiting: readonly number[];
  /** Since when no firing is under way. Milliseconds since the Unix epoch; 0 if no firing that was started has ended. */
  readonly freeSince: number;
  /** Whether an earlier run needs attention. Called only when a firing would begin. */
  readonly isBlocked: () => boolean;
}

/** The outcome of one tick. */
export interface TickDecision {
  /** The moment that the pattern names, in milliseconds since the Unix epoch. */
  readonly tick: number;
  /** The tick plus its jitter. */
  readonly due: number;
  /** The outcome of the tick: a firing that begins, one that waits, or one that is not run. */
  readonly state: "running" | "queued" | "skipped" | "missed" | "replaced" | "blocked";
}

/** The decision for a plan, its state, and the time. */
export interface Decision {
  /** The outcomes of the decided ticks, in the order of the decisions. */
  readonly steps: readonly TickDecision[];
  /** The ticks up to this moment are settled: milliseconds since the Unix epoch. */
  readonly since: number;
  /** Whether the firing under way must stop. */
  readonly cancels: boolean;
  /** Whether more ticks were missed than are listed. */
  readonly isCut: boolean;
}

/** Returns when a tick is due: the tick plus its jitter. The jitter depends only on the schedule and the tick, so that every process computes the same one. */
export function dueOf({ id, jitterMs }: Pick<FiringPlan, "id" | "jitterMs">, tick: number): number {
  if (jitterMs === 0) return tick;
  const digest = createHash("sha256").update(`${id}\n${tick}`).digest();
  return tick + (digest.readUIntBE(0, 6) % (jitterMs + 1));
}

/** Returns the next moment at which a plan fires, including jitter; `undefined` if there is none. */
export function nextDue(plan: FiringPlan, since: number): number | undefined {
  const tick = plan.cron.next(since);
  return tick === undefined ? undefined : dueOf(plan, tick);
}

/** Returns the next actions. Every process that decides on the same table decides the same. */
export function decide(plan: FiringPlan, state: ScheduleState, now: number): Decision {
  const { ticks, isCut } = dueTicks(plan, state.since, now);
  const since = Math.max(state.since, ticks.at(-1) ?? state.since);
  const deciding = new Deciding(plan, state, now);
  const late = deciding.beginWaiting();
  deciding.fireLast([...late, ...ticks]);
  return { steps: deciding.steps, since, cancels: deciding.cancels, isCut };
}

/** Returns the ticks that are due, the earliest first. If there are very many, returns only the last ones. */
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

  /** Starts the firing that has waited for one that has ended. Returns the ticks that have waited while no process looked. */
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

  /** Fires only the last of several ticks. It replaces those that could still be made up for; the others were missed. */
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
