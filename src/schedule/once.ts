import { EXIT, type ExitCode } from "../base/exit.ts";
import { LIMITS } from "../base/limits.ts";
import { isoTime } from "../base/time/date.ts";
import { spellHolder } from "../journal/holder.ts";
import { aboutFiring, Carrier, type Parts, type Scheduled } from "./carrier.ts";
import type { Firing } from "./firing.ts";
import { blockedBy, blockingOf } from "./service.ts";
import type { Blocking } from "../report/schedule/shape.ts";

/**
 * Runs a playbook now, regardless of its schedule, for an external scheduler. It uses the same lease, history and notifications as a firing. Returns the exit
 * code of its run; `locked` if it is already under way.
 */
export async function runNow(parts: Parts, scheduled: Scheduled, stopping: AbortSignal): Promise<ExitCode> {
  const { store, clock } = parts;
  const { id, playbook, environment, schedule } = scheduled;
  store.register({ id, playbook, environment, cron: undefined, timezone: undefined, jitterMs: schedule?.jitterMs ?? 0 });
  const carrier = new Carrier(parts);
  const took = store.takeNow(id, (died) => {
    for (const firing of died) carrier.reportEnd(scheduled, firing);
  });
  if ("inTheWay" in took) return reportHeld(parts, took.inTheWay);
  const blocking = blockingOf(parts, scheduled);
  if (blocking !== undefined) return reportBlocked(parts, carrier, { scheduled, firing: took.taken, blocking });
  const stop = new AbortController();
  const over = new AbortController();
  const onStop = (): void => {
    const grace = LIMITS.scheduleGraceMs / 1_000;
    if (carrier.stop() > 0) parts.log("info", "schedule.stopping", `stopping; the run may continue for ${grace} s`);
    void clock.sleep(LIMITS.scheduleGraceMs, over.signal).then(() => carrier.end(stop));
  };
  if (stopping.aborted) carrier.end(stop);
  stopping.addEventListener("abort", onStop, { once: true });
  try {
    return (await carrier.carry(scheduled, took.taken, stop)).exit;
  } finally {
    over.abort();
    stopping.removeEventListener("abort", onStop);
  }
}

function reportHeld({ log }: Parts, firing: Firing): ExitCode {
  const by = firing.holder === undefined ? "another process" : spellHolder(firing.holder);
  const since = isoTime(firing.startedAt ?? firing.tick);
  log("warn", "firing.held", `${firing.schedule}: not run, it is under way already (${by}, since ${since})`, aboutFiring(firing));
  return EXIT.locked;
}

interface KeptFiring {
  readonly scheduled: Scheduled;
  readonly firing: Firing;
  readonly blocking: Blocking;
}

function reportBlocked({ store }: Parts, carrier: Carrier, { scheduled, firing, blocking }: KeptFiring): ExitCode {
  store.transaction(() => {
    const over = store.firings.end(firing, "blocked", blockedBy(blocking, scheduled));
    if (over !== undefined) carrier.reportEnd(scheduled, over, { blocking });
  });
  if (blocking.outcome === "held") return EXIT.locked;
  return blocking.outcome === "pending" ? EXIT.pending : EXIT.unknown;
}
