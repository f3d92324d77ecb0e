import { type Clock, systemClock } from "../../base/ports.ts";

// A run looks for a lost write for seconds, and a sandbox needs two milliseconds.
const HASTE = 20;

/** A clock that goes twenty times as fast while somebody sleeps by it, and as usual while anything is done. */
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
