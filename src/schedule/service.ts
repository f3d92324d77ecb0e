import { adviceText, command } from "../base/command-line.ts";
import { messageOf, type KeptFailure } from "../base/failure.ts";
import { resolvingCommands } from "../journal/failures.ts";
import { LIMITS } from "../base/limits.ts";
import { rested } from "../base/time/turns.ts";
import { count } from "../base/text/text.ts";
import { isoTime } from "../base/time/date.ts";
import { keepsHold, spellHolder } from "../journal/holder.ts";
import { aboutFiring, Carrier, type Parts, type Scheduled, type StopReason } from "./carrier.ts";
import { type Decision, type FiringPlan, nextDue } from "./decide.ts";
import type { Firing } from "./firing.ts";
import type { RunReport } from "../report/shape.ts";
import { mayPass } from "../sql/failure.ts";
import { ScheduleMemory } from "./memory.ts";
import { noteOfMissed } from "./notify/notification.ts";
import type { ScheduleLook } from "./store.ts";
import type { Blocking } from "../report/schedule/shape.ts";

/** A scheduled playbook that has a schedule of its own. */
export interface Ticking extends Scheduled {
  /** The schedule of the playbook. */
  readonly schedule: NonNullable<Scheduled["schedule"]>;
}

/** What the scheduler needs besides the parts of every firing. */
export interface SchedulerParts extends Parts {
  /** Returns the playbooks as their files are now. */
  readonly current: () => readonly Ticking[];
  /** Returns the report of a run of any process from the journal; nothing if it cannot be read. */
  readonly reportOf: (runId: string) => RunReport | undefined;
}

interface Running {
  readonly stop: AbortController;
  readonly over: Promise<void>;
}

/** Fires playbooks at their ticks until it is stopped. */
export class Scheduler {
  readonly #parts: SchedulerParts;
  readonly #carrier: Carrier;
  readonly #memory: ScheduleMemory;
  /** The firings that this process runs. */
  readonly #running = new Map<string, Running>();
  #scheduled: readonly Ticking[] = [];
  #reloadedAt = Number.NEGATIVE_INFINITY;
  /** The registered playbooks by id. */
  readonly #begun = new Map<string, Ticking>();
  /** The schedules whose metrics are outdated. */
  readonly #changed = new Set<string>();
  #wake = new AbortController();
  #crash: { readonly error: unknown } | undefined;
  #isStopping = false;
  /** Whether the database was unavailable at the last look. */
  #isAway = false;

  constructor(parts: SchedulerParts) {
    this.#parts = parts;
    this.#carrier = new Carrier(parts);
    this.#memory = new ScheduleMemory(parts.store, parts.clock);
  }

  /** Returns why nothing would fire now. */
  notReady(): string | undefined {
    if (this.#isStopping) return "stopping";
    if (this.#isAway) return "the database cannot be used now";
    const [first] = this.#scheduled;
    if (first === undefined) return "no playbook has a schedule";
    return this.#memory.known(first.id) === undefined ? "not begun" : undefined;
  }

  /**
   * Resolves after a stop when all runs have ended, within `LIMITS.scheduleGraceMs` and the time for stopping. Throws an error that makes it impossible to
   * continue, such as a full disk.
   */
  async run(stopping: AbortSignal): Promise<void> {
    stopping.addEventListener("abort", () => this.#wake.abort(), { once: true });
    await this.#untilCrash(() => this.#serve(stopping));
    this.#isStopping = true;
    await this.#untilCrash(() => this.#windUp());
    if (this.#crash !== undefined) throw this.#crash.error;
  }

  async #serve(stopping: AbortSignal): Promise<void> {
    while (!stopping.aborted && this.#crash === undefined) {
      this.#wake = new AbortController();
      let napMs: number = LIMITS.schedulePollMs;
      await this.#unlessAway(async () => {
        this.#lookAtAll();
        napMs = this.#napMs();
      });
      void this.#deliver();
      await this.#parts.clock.sleep(napMs, this.#wake.signal);
    }
  }

  #lookAtAll(): void {
    this.#parts.store.assertUsable();
    for (const id of this.#memory.read()) this.#changed.add(id);
    this.#reload();
    for (const ticking of this.#scheduled) if (this.#isDue(ticking)) this.#look(ticking);
    this.#isAway = false;
  }

  // Work that fails while the database is unavailable is done when it is back.
  async #unlessAway(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!mayPass(error)) throw error;
      if (!this.#isAway) this.#parts.log("warn", "schedule.database", messageOf(error));
      this.#isAway = true;
    }
  }

  async #untilCrash(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#crash ??= { error };
    }
  }

  // Checking thousands of files for edits takes a while, so it is not done with each firing.
  #reload(): void {
    const { current, clock, metrics } = this.#parts;
    const elapsed = clock.elapsed();
    if (elapsed - this.#reloadedAt < LIMITS.schedulePollMs) return;
    this.#reloadedAt = elapsed;
    const now = current();
    for (const ticking of now) if (!this.#isBegun(ticking)) this.#begin(ticking);
    if (now === this.#scheduled) return;
    this.#scheduled = now;
    const ids = new Set(now.map(({ id }) => id));
    for (const id of this.#begun.keys()) {
      if (ids.has(id)) continue;
      this.#begun.delete(id);
      metrics.next(id, undefined);
    }
  }

  #isBegun(ticking: Ticking): boolean {
    const known = this.#memory.known(ticking.id);
    return this.#begun.get(ticking.id) === ticking && (known === undefined || !this.#parts.store.isAhead(known));
  }

  #begin(ticking: Ticking): void {
    const { store, metrics, log, clock } = this.#parts;
    const { id, playbook, environment, schedule } = ticking;
    const { pattern: cron, timezone } = schedule.cron;
    const { jitterMs } = schedule;
    const before = this.#memory.known(id);
    const isSetBack = before !== undefined && store.isAhead(before);
    if (!store.isRegistered(before, { cron, timezone, jitterMs })) {
      store.register({ id, playbook, environment, cron, timezone, jitterMs }, (missed) => this.#reportMissed(ticking, missed));
      this.#memory.readOne(id);
    }
    this.#begun.set(id, ticking);
    this.#changed.add(id);
    metrics.begin(id);
    const next = nextDue(planOf(ticking), Math.max(clock.now(), this.#memory.known(id)?.since ?? 0));
    metrics.next(id, next);
    const when = next === undefined ? "never" : isoTime(next);
    if (isSetBack) {
      const ahead = `its firings up to ${isoTime(before.since)} were counted by a clock that has been set back since`;
      log("warn", "schedule.set-back", `${id}: ${ahead}; it fires again by the new time`, { schedule: id });
    }
    log("info", "schedule.begun", `${id}: fires at "${cron}" (${timezone}), next at ${when}`, { schedule: id, cron, timezone });
  }

  /** Updates the metrics for a reader. For that, it reads the runs of other processes. */
  async showState(): Promise<void> {
    const { store, metrics, reportOf } = this.#parts;
    for (const id of this.#changed) {
      this.#changed.delete(id);
      if (!this.#begun.has(id)) continue;
      const lastSuccess = this.#memory.known(id)?.lastSuccess;
      metrics.showState(id, { lastSuccess, lastRun: store.firings.lastEndedRun(id) }, reportOf);
      await rested();
    }
  }

  #isDue(ticking: Ticking): boolean {
    const due = this.#memory.nextDue(planOf(ticking));
    return (due !== undefined && due <= this.#parts.clock.now()) || this.#needsLook(this.#memory.open(ticking.id));
  }

  // Each look is a transaction, so firings that are simply under way are not looked at: there may be thousands of them.
  #needsLook(open: readonly Firing[]): boolean {
    const { firings } = this.#parts.store;
    const running = open.filter(({ state }) => state === "running");
    if (running.length === 0) return open.length > 0;
    return running.some((firing) =>
      this.#isHere(firing) ? firing.isToStop : firings.isMine(firing) || !keepsHold(firings.lifeOf(firing)),
    );
  }

  #isHere(firing: Firing): boolean {
    return this.#running.has(keyOf(firing));
  }

  #look(ticking: Ticking): void {
    const { store, metrics } = this.#parts;
    let blocking: Blocking | undefined;
    const isBlocked = (): boolean => {
      blocking = blockingOf(this.#parts, ticking);
      return blocking !== undefined;
    };
    const plan = planOf(ticking);
    store.look(plan, isBlocked, (looked) => this.#report(ticking, looked, blocking));
    this.#readAgain(ticking.id);
    metrics.next(ticking.id, this.#memory.nextDue(plan));
    // This also finds a claim of an earlier look that the server stored before it went away without an answer.
    for (const firing of this.#memory.open(ticking.id)) {
      if (!this.#isHere(firing) && store.firings.isMine(firing)) this.#start(ticking, firing);
      if (firing.isToStop) this.#running.get(keyOf(firing))?.stop.abort("cancelled" satisfies StopReason);
    }
  }

  #readAgain(id: string): void {
    this.#memory.readOne(id);
    this.#changed.add(id);
  }

  // Called within the transaction, so that the notifications are stored together with the decision or not at all.
  #report(ticking: Ticking, { decision, died }: ScheduleLook, blocking: Blocking | undefined): void {
    const { store, log, metrics } = this.#parts;
    for (const firing of died) this.#carrier.reportEnd(ticking, firing);
    this.#reportMissed(ticking, decision);
    const held = this.#heldBy(ticking);
    for (const step of decision.steps) {
      const about = aboutFiring({ schedule: ticking.id, tick: step.tick });
      if (step.state === "blocked" && blocking !== undefined) {
        const firing = store.firings.explain(ticking.id, step.tick, blockedBy(blocking, ticking));
        this.#carrier.reportEnd(ticking, firing, { blocking });
      } else if (held !== undefined && (step.state === "skipped" || step.state === "replaced")) {
        this.#carrier.reportEnd(ticking, store.firings.explain(ticking.id, step.tick, held));
      } else if (step.state === "skipped") {
        metrics.fired(ticking.id, "skipped", 1);
        log("warn", "firing.skipped", `${ticking.id}: skipped ${isoTime(step.tick)}, the run before is still under way`, about);
      } else if (step.state === "replaced") {
        metrics.fired(ticking.id, "replaced", 1);
        log("info", "firing.replaced", `${ticking.id}: a later firing replaces the one at ${isoTime(step.tick)}`, about);
      } else if (step.state === "queued") {
        log("info", "firing.queued", `${ticking.id}: ${isoTime(step.tick)} waits for the run before`, about);
      }
    }
  }

  // A firing without an end may belong to a process that is gone. We cannot tell for a process on another host.
  #heldBy({ id, playbook }: Ticking): KeptFailure | undefined {
    const { store, clock } = this.#parts;
    const { holder, startedAt } = store.firings.running(id) ?? {};
    if (holder === undefined || startedAt === undefined || clock.now() - startedAt < LIMITS.scheduleHeldMs) return undefined;
    return {
      code: "schedule.held",
      message: `not run: the run before it is under way since ${isoTime(startedAt)}, in ${spellHolder(holder)}`,
      next: adviceText(["when that process is gone:", command`schedule release ${playbook} --because TEXT`]),
    };
  }

  #reportMissed(ticking: Ticking, { steps, isCut }: Pick<Decision, "steps" | "isCut">): void {
    const { store, courier, heartbeat, metrics, log, clock, redact } = this.#parts;
    const ticks = steps.filter(({ state }) => state === "missed").map(({ tick }) => tick);
    if (ticks.length === 0) return;
    const note = noteOfMissed(ticks, { about: ticking, isCut, before: store.setState(ticking.id, "missed"), at: clock.now() });
    courier.put(note, redact);
    heartbeat.missed(ticking.id, note.summary);
    metrics.fired(ticking.id, "missed", ticks.length);
    log("error", "firing.missed", note.summary, { schedule: ticking.id, missed: note.missed });
  }

  #start(ticking: Ticking, firing: Firing): void {
    const { log } = this.#parts;
    const stop = new AbortController();
    const over = this.#carrier
      .carry(ticking, firing, stop)
      .then(() => this.#unlessAway(async () => this.#readAgain(ticking.id)))
      .catch((error: unknown) => {
        log("error", "schedule.crashed", `${ticking.id}: ${messageOf(error)}`, aboutFiring(firing));
        this.#crash ??= { error };
      })
      .finally(() => {
        this.#running.delete(keyOf(firing));
        this.#wake.abort();
      });
    this.#running.set(keyOf(firing), { stop, over });
  }

  async #deliver(): Promise<void> {
    await this.#untilCrash(() =>
      this.#unlessAway(async () => {
        if (await this.#parts.courier.work()) this.#wake.abort();
      }),
    );
    if (this.#crash !== undefined) this.#wake.abort();
  }

  // Sleeps until something is due, or until another process may have done something. A clock that was set is noticed within one nap.
  #napMs(): number {
    const { clock, courier } = this.#parts;
    let next = courier.nextAt() ?? Number.POSITIVE_INFINITY;
    for (const ticking of this.#scheduled) next = Math.min(next, this.#memory.nextDue(planOf(ticking)) ?? next);
    const most = this.#scheduled.some((ticking) => this.#isWatched(ticking)) ? LIMITS.schedulePollMs : LIMITS.scheduleNapMs;
    return Math.max(0, Math.min(next - clock.now(), most));
  }

  // Another process may end its own firing, or may ask a firing here to stop.
  #isWatched({ id, schedule }: Ticking): boolean {
    const open = this.#memory.open(id);
    return open.length > 0 && (schedule.overlap === "cancel" || !open.some((firing) => this.#isHere(firing)));
  }

  async #windUp(): Promise<void> {
    const { clock, log, courier, heartbeat } = this.#parts;
    const inProgress = this.#carrier.stop();
    const grace = LIMITS.scheduleGraceMs / 1_000;
    if (inProgress > 0) log("info", "schedule.stopping", `stopping; ${count(inProgress, "run")} may continue for ${grace} s`);
    const running = [...this.#running.values()];
    if (running.length > 0) {
      const over = new AbortController();
      const all = Promise.all(running.map((each) => each.over)).then(() => over.abort());
      await clock.sleep(LIMITS.scheduleGraceMs, over.signal);
      for (const { stop } of this.#running.values()) this.#carrier.end(stop);
      await all;
    }
    await Promise.all([this.#unlessAway(() => courier.drain()), heartbeat.settle()]);
    log("info", "schedule.stopped", "stopped");
  }
}

function keyOf({ schedule, tick }: Firing): string {
  return `${tick} ${schedule}`;
}

const plans = new WeakMap<Ticking, FiringPlan>();

/** Returns the parts of a scheduled playbook that decide when it fires. */
function planOf(ticking: Ticking): FiringPlan {
  let plan = plans.get(ticking);
  if (plan === undefined) plans.set(ticking, (plan = { id: ticking.id, ...ticking.schedule }));
  return plan;
}

/** Returns the run that needs attention before a playbook that writes may be run again. */
export function blockingOf({ store, blocking }: Pick<Parts, "store" | "blocking">, scheduled: Scheduled): Blocking | undefined {
  return scheduled.writes ? blocking(store.openWriteQuestion(scheduled)) : undefined;
}

/** Returns the problem of a firing that an earlier run blocks. */
export function blockedBy({ runId, outcome, step }: Blocking, { playbook }: Scheduled): KeptFailure {
  if (step !== undefined) {
    return {
      code: "schedule.blocked",
      message: `not run: the run ${runId} of this playbook is ${outcome}, and left the write "${step}" open`,
      why: "the playbook writes, and would do the same a second time if that write took effect",
      next: adviceText([
        "check the ledger again and continue that run:",
        command`resume ${runId}`,
        "or, once you know what the write did, record it:",
        ...resolvingCommands(runId, step),
      ]),
    };
  }
  return {
    code: "schedule.blocked",
    message: `not run: the run ${runId} before it is ${outcome}`,
    why: "the playbook writes, and it is not settled what that run has done",
    next: adviceText([
      "continue that run:",
      command`resume ${runId}`,
      "or, when it needs no attention any more:",
      command`schedule release ${playbook} --because TEXT`,
    ]),
  };
}
