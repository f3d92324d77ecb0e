import { randomBytes } from "node:crypto";
import type { Uptime } from "./uptime.ts";

/** The clock that the core uses. It gets all effects through such ports, and everything else is a value, so a crash schedule can be replayed. */
export interface Clock {
  /** Milliseconds since the Unix epoch by the wall clock. It may jump; it is for people and records. */
  now(): number;
  /** Milliseconds since some fixed moment. It never goes back, so all waits and deadlines use it. */
  elapsed(): number;
  /** How long the machine has been running, so that two processes can compute the time between them; `undefined` if unknown. */
  uptime(): Uptime | undefined;
  /** Resolves after `ms`, or at once when the signal is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The source of unguessable bytes. */
export interface Random {
  /** Returns this many random bytes. */
  bytes(count: number): Uint8Array;
}

// A longer timer would overflow and fire at once.
const LONGEST_TIMER_MS = 2_147_483_647;

/** The clock of this machine. The clock of a state knows more: `SqlDatabase.clock`. */
export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  uptime: () => undefined,
  sleep: async (ms, signal) => {
    const until = performance.now() + ms;
    // A timer counts whole milliseconds and may fire slightly early, so the rest is waited for afterwards.
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
