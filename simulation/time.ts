import type { Clock } from "../src/base/ports.ts";
import type { Uptime } from "../src/base/uptime.ts";

const BEGINNING = Date.UTC(2026, 0, 5, 9);

/** More events than any schedule needs; beyond this, a schedule hangs. */
export const MOST_EVENTS = 20_000;

interface Event {
  readonly at: number;
  /** Two events at the same moment happen in the order in which they were scheduled. */
  readonly order: number;
  work: (() => void) | undefined;
}

/** Thrown if nothing can ever happen any more, or too much has happened. */
export class Hang extends Error {}

/** Time that passes only when everybody waits. Then it jumps to the next event, and nothing really sleeps. */
export class VirtualTime implements Clock {
  readonly #beginning: number;
  readonly #mostEvents: number;
  #now: number;
  #setBy = 0;
  #count = 0;
  #events: Event[] = [];
  #resting = 0;

  constructor(beginning: number = BEGINNING, mostEvents: number = MOST_EVENTS) {
    this.#beginning = beginning;
    this.#mostEvents = mostEvents;
    this.#now = beginning;
  }

  /** Returns the time of the wall clock, which people may set. */
  now(): number {
    return this.#now + this.#setBy;
  }

  /** Sets the wall clock ahead of or behind the elapsed time. */
  set(byMs: number): void {
    this.#setBy = byMs;
  }

  elapsed(): number {
    return this.#now;
  }

  uptime(): Uptime {
    return { boot: "the only one", ms: this.#now };
  }

  /** How many events were scheduled. */
  get count(): number {
    return this.#count;
  }

  /** Whether nobody waits for anything, except those who rest. */
  get isIdle(): boolean {
    return this.#events.filter(({ work }) => work !== undefined).length === this.#resting;
  }

  /** Returns to the beginning, or to a time before it. Whoever is waiting waits forever. */
  reset(beforeMs: number = 0): void {
    this.#now = this.#beginning - beforeMs;
    this.#setBy = 0;
    this.#count = 0;
    this.#events = [];
    this.#resting = 0;
  }

  /** Does the work after `ms`. The returned function cancels it. */
  after(ms: number, work: () => void): () => void {
    const event: Event = { at: this.#now + Math.max(0, Math.ceil(ms)), order: this.#count++, work };
    push(this.#events, event);
    return () => {
      event.work = undefined;
    };
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted === true) return resolve();
      const wake = (): void => {
        callOff();
        signal?.removeEventListener("abort", wake);
        resolve();
      };
      const callOff = this.after(ms, wake);
      signal?.addEventListener("abort", wake);
    });
  }

  /** Sleeps until nothing else happens. */
  async rest(ms: number): Promise<void> {
    this.#resting++;
    await this.sleep(ms);
    this.#resting--;
  }

  /** Lets time pass until the promise is settled. Throws Hang if that never happens. */
  async until<T>(promise: Promise<T>): Promise<T> {
    let settled = false;
    const settle = (): void => {
      settled = true;
    };
    promise.then(settle, settle);
    // Only a tick that is requested inside a promise reaction comes after all other reactions.
    await Promise.resolve();
    for (;;) {
      // When this resolves, everything has run that can run without time passing.
      await new Promise<void>((resolve) => process.nextTick(resolve));
      if (settled) return promise;
      if (!this.#fireNext()) throw new Hang("everybody waits, and nothing will ever happen");
      if (this.#count > this.#mostEvents) throw new Hang(`more than ${this.#mostEvents} things have happened`);
    }
  }

  #fireNext(): boolean {
    for (let event = pop(this.#events); event !== undefined; event = pop(this.#events)) {
      if (event.work === undefined) continue;
      this.#now = event.at;
      event.work();
      return true;
    }
    return false;
  }
}

function isBefore(a: Event, b: Event): boolean {
  return a.at === b.at ? a.order < b.order : a.at < b.at;
}

// There are only a handful of events at a time, so a sorted list is faster than a heap. The next event is the last item.
function push(events: Event[], event: Event): void {
  let place = events.length;
  for (let before = events[place - 1]; before !== undefined && isBefore(before, event); before = events[place - 1]) place--;
  events.splice(place, 0, event);
}

function pop(events: Event[]): Event | undefined {
  return events.pop();
}
