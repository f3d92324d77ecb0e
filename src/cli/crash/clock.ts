import { type Clock, systemClock } from "../../base/ports.ts";

// A run looks for a lost write for seconds, but the sandbox commits within two milliseconds.
const HASTE = 20;

/** Returns a clock that runs twenty times as fast while somebody sleeps, and at the usual speed otherwise. */
export function hastyClock(): Clock {
  let aheadMs = 0;
  return {
    now: () => Math.floor(systemClock.now() + aheadMs),
    elapsed: () => systemClock.elapsed() + aheadMs,
    uptime: () => undefined,
    sleep: async (ms, signal) => {
      const sleptMs = Math.ceil(ms / HASTE);
      await systemClock.sleep(sleptMs, signal);
      aheadMs += ms - sleptMs;
    },
  };
}
