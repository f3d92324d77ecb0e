import type { Clock } from "../base/ports.ts";
import { LIMITS } from "../base/limits.ts";
import { type FiringPlan, nextDue } from "./decide.ts";
import type { Firing } from "./firing.ts";
import type { KnownSchedule, ScheduleStore } from "./store.ts";

/**
 * A process's cache of its schedules between two looks, so that it queries all of them at once instead of each. Changes by other processes meanwhile do no
 * harm, because whether something fires is decided from the tables, in a transaction.
 */
export class ScheduleMemory {
  readonly #store: ScheduleStore;
  readonly #clock: Pick<Clock, "now" | "elapsed">;
  readonly #known = new Map<string, KnownSchedule>();
  readonly #open = new Map<string, readonly Firing[]>();
  // Finding the next tick takes longer than the rest of a look, so it is cached.
  readonly #dues = new Map<string, { readonly plan: FiringPlan; readonly at: number | undefined }>();
  #readAt: number | undefined;

  constructor(store: ScheduleStore, clock: Pick<Clock, "now" | "elapsed">) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Reads which firings are open, and after `LIMITS.scheduleNapMs` also the schedules. Returns the schedules that have changed. */
  read(): readonly string[] {
    this.#open.clear();
    for (const [id, firings] of Map.groupBy(this.#store.firings.openOfAll(), ({ schedule }) => schedule))
      this.#open.set(id, firings);
    const now = this.#clock.elapsed();
    if (this.#readAt !== undefined && now - this.#readAt < LIMITS.scheduleNapMs) return [];
    this.#readAt = now;
    return this.#store.all().flatMap((known) => (this.#keep(known) ? [known.id] : []));
  }

  /** Reads one schedule again, because this process has changed it. */
  readOne(id: string): void {
    this.#open.set(id, this.#store.firings.open(id));
    const known = this.#store.known(id);
    if (known !== undefined) this.#keep(known);
  }

  /** Returns a schedule as it was last read; nothing if it was not registered by then. */
  known(id: string): KnownSchedule | undefined {
    return this.#known.get(id);
  }

  /** Returns the firings of a schedule that are under way or wait. */
  open(id: string): readonly Firing[] {
    return this.#open.get(id) ?? [];
  }

  /** Returns when a plan fires next. */
  nextDue(plan: FiringPlan): number | undefined {
    const before = this.#dues.get(plan.id);
    if (before?.plan === plan) return before.at;
    const known = this.#known.get(plan.id);
    const at = nextDue(plan, known?.since ?? this.#clock.now());
    if (known !== undefined) this.#dues.set(plan.id, { plan, at });
    return at;
  }

  #keep(known: KnownSchedule): boolean {
    const before = this.#known.get(known.id);
    this.#known.set(known.id, known);
    if (before?.since !== known.since) this.#dues.delete(known.id);
    return before === undefined || JSON.stringify(before) !== JSON.stringify(known);
  }
}
