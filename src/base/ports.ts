import { randomBytes } from "node:crypto";
import type { Uptime } from "./uptime.ts";

/** What the core may ask of the world. Everything else is a value, so a crash schedule can be replayed. */
export interface Clock {
  /** Milliseconds since the Unix epoch by the wall clock: it may jump, and is for people and records. */
  now(): number;
  /** Milliseconds since some fixed moment. It never goes back, so all waits and deadlines use it. */
  elapsed(): number;
  /** How long the machine has been running, by which two processes know what passed between them; `undefined` where that is not known. */
  uptime(): Uptime | undefined;
  /** Resolves after `ms`, or at once when the signal is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Where unguessable bytes come from. */
export interface Random {
  /** Returns as many random bytes. */
  bytes(count: number): Uint8Array;
}

// A longer timer overflows, and would fire at once.
const LONGEST_TIMER_MS = 2_147_483_647;

/** The clock of this machine. The clock of a state knows more: `SqlDatabase.clock`. */
export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  uptime: () => undefined,
  sleep: async (ms, signal) => {
    const until = performance.now() + ms;
    // A timer counts whole milliseconds, and may fire before the last one is over: what is due then would come too early.
    await timer(Math.min(Math.ceil(ms), LONGEST_TIMER_MS), signal);
    const leftMs = until - performance.now();
    if (leftMs > 0 && signal?.aborted !== true) await systemClock.sleep(leftMs, signal);
  },
};

function timer(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) return resolve();
    const done = (): void => {
      clearTimeout(running);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const running = setTimeout(done, ms);
    signal?.addEventListener("abort", done);
  });
}

/** The random bytes of the system. */
export const systemRandom: Random = {
  bytes: (count) => randomBytes(count),
};
