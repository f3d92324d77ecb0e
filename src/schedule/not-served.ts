import type { Failure } from "../base/failure.ts";
import { Carrier, type Parts, type Scheduled } from "./carrier.ts";

/**
 * Reports each schedule as failed because its scheduler cannot start. Records no firing: a service manager may restart the scheduler every few seconds, which
 * would fill the history.
 */
export function reportNotServed(parts: Parts, all: readonly Scheduled[], failure: Failure): void {
  const { store, clock } = parts;
  const carrier = new Carrier(parts);
  const problem = { ...failure.toJSON(), message: `the scheduler cannot start, so nothing runs: ${failure.message}` };
  for (const scheduled of all)
    store.transaction(() => {
      const tick = clock.now();
      const never = { holder: undefined, runId: undefined, tries: 0, startedAt: undefined, isToStop: false };
      const firing = { ...never, schedule: scheduled.id, tick, due: tick, state: "failed", endedAt: tick, problem } as const;
      carrier.reportEnd(scheduled, firing);
    });
}
