import { Cron, localTime } from "../../base/cron.ts";
import { LIMITS } from "../../base/limits.ts";
import type { JournalStore } from "../../journal/store.ts";
import { openWrites } from "../../protocol/open-writes.ts";
import { stateOf } from "../../protocol/state.ts";
import { dueOf } from "../../schedule/decide.ts";
import type { Blocking } from "../../schedule/firing.ts";
import { firingEntry, type ScheduleEntry } from "../../schedule/listing.ts";
import type { Known, ScheduleStore } from "../../schedule/store.ts";

/** What a schedule's entry is made of. */
export interface Look {
  readonly store: ScheduleStore;
  readonly known: Known;
  readonly now: number;
  readonly blocking: (runId: string) => Blocking | undefined;
}

/** A schedule as it stands, with at most so many of its next firings. */
export function entryOf({ store, known, now, blocking }: Look, most: number): ScheduleEntry {
  const { id, playbook, environment, cron, timezone, jitterMs, lastState, lastSuccess } = known;
  const open = store.firings.open(id);
  const last = store.firings.lastEnded(id);
  const running = open.find(({ state }) => state === "running");
  const lives = running !== undefined && store.firings.lifeOf(running) !== "dead";
  const missed = store.firings.lastOf(id, "missed");
  const run = store.lastRun(id);
  return {
    id,
    playbook,
    environment,
    cron: cron ?? null,
    timezone: timezone ?? null,
    next: cron === undefined || timezone === undefined ? [] : nextOf({ id, cron, timezone, jitterMs }, now, most),
    last: last === undefined ? null : firingEntry(last),
    lastState: lastState ?? null,
    lastSuccess: lastSuccess === undefined ? null : new Date(lastSuccess).toISOString(),
    running: running === undefined ? null : { ...firingEntry(running), alive: lives },
    unserved: unservedSince(store.known(id), now),
    waiting: open.filter(({ state }) => state === "queued").length,
    missed: {
      count: store.firings.countOf(id, "missed"),
      last: missed === undefined ? null : new Date(missed.tick).toISOString(),
    },
    blockedBy: run === undefined || lives ? null : (blocking(run) ?? null),
  };
}

// Whoever serves a schedule looks at each tick, whatever becomes of it.
function unservedSince(stored: Known | undefined, now: number): string | null {
  if (stored?.cron === undefined || stored.timezone === undefined) return null;
  const { id, jitterMs, since } = stored;
  const tick = new Cron(stored.cron, stored.timezone).next(since);
  const isLate = tick !== undefined && now - dueOf({ id, jitterMs }, tick) > LIMITS.scheduleLateMs;
  return isLate ? new Date(tick).toISOString() : null;
}

function nextOf(
  { id, cron, timezone, jitterMs }: { id: string; cron: string; timezone: string; jitterMs: number },
  now: number,
  most: number,
): ScheduleEntry["next"] {
  const pattern = new Cron(cron, timezone);
  const next: ScheduleEntry["next"][number][] = [];
  for (let tick = pattern.next(now - jitterMs); tick !== undefined && next.length < most; tick = pattern.next(tick)) {
    const due = dueOf({ id, jitterMs }, tick);
    if (due >= now) next.push({ utc: new Date(due).toISOString(), local: localTime(due, timezone) });
  }
  return next;
}

/** Whether what a run did must be looked after before the playbook writes again: it waits for a person, or a write of it is open. */
export function blockingIn(store: JournalStore, runId: string): Blocking | undefined {
  if (!store.knows(runId)) return undefined;
  if (store.leases.holding(runId)?.holder !== undefined) return { runId, outcome: "held" };
  const state = stateOf(store.read(runId));
  const outcome = state.closed?.outcome;
  const waits = outcome === "pending" || outcome === "unknown" || outcome === "conflict";
  return waits || openWrites(state).length > 0 ? { runId, outcome: outcome ?? "not finished" } : undefined;
}
