import { Cron, localTime } from "../../base/time/cron.ts";
import { LIMITS } from "../../base/limits.ts";
import { isoTime, isoTimeOrNull } from "../../base/time/date.ts";
import { leftBy, leftOpenOf } from "../../engine/run/earlier/writes-left-open.ts";
import { keepsHold } from "../../journal/holder.ts";
import type { JournalStore } from "../../journal/store.ts";
import { dueOf } from "../../schedule/decide.ts";
import type { Firing, OpenWriteQuestion } from "../../schedule/firing.ts";
import { firingEntry } from "../../schedule/firing-entry.ts";
import type { KnownSchedule, ScheduleStore } from "../../schedule/store.ts";
import type { Blocking, ScheduleEntry } from "../../report/schedule/shape.ts";

/** What the entry of a schedule is made from. */
export interface EntrySource {
  /** The store of schedules and their firings. */
  readonly store: ScheduleStore;
  readonly known: KnownSchedule;
  /** Returns the run that blocks the next one; undefined if there is none. */
  readonly blocking: (asked: OpenWriteQuestion) => Blocking | undefined;
}

/** Returns a schedule as it is now, with at most `most` of its next firings. */
export function entryOf({ store, known, blocking }: EntrySource, most: number): ScheduleEntry {
  const now = store.clock.now();
  const { id, playbook, environment, cron, timezone, lastState, lastSuccess } = known;
  const { open, running, lives } = underWay(store, id);
  const last = store.firings.lastEnded(id);
  return {
    id,
    playbook,
    environment,
    cron: cron ?? null,
    timezone: timezone ?? null,
    next: nextOf(known, { settled: store.isAhead(known) ? 0 : known.since, now, most }),
    last: last === undefined ? null : firingEntry(last),
    lastState: lastState ?? null,
    lastSuccess: isoTimeOrNull(lastSuccess),
    running: running === undefined ? null : { ...firingEntry(running), alive: lives },
    unserved: unservedSince(store.known(id), now),
    waiting: open.filter(({ state }) => state === "queued").length,
    missed: {
      count: store.firings.countOf(id, "missed"),
      last: isoTimeOrNull(store.firings.lastOf(id, "missed")?.tick),
    },
    blockedBy: lives ? null : (blocking(store.openWriteQuestion(known)) ?? null),
  };
}

interface UnderWay {
  readonly open: readonly Firing[];
  readonly running: Firing | undefined;
  readonly lives: boolean;
}

// The process of a firing may end after we read the firing and before we check that it is alive. Then it has ended its firing, so we read again.
function underWay(store: ScheduleStore, id: string, dead?: Firing): UnderWay {
  const open = store.firings.open(id);
  const running = open.find(({ state }) => state === "running");
  const lives = running !== undefined && keepsHold(store.firings.lifeOf(running));
  const isSure = running === undefined || lives || running.tick === dead?.tick;
  return isSure ? { open, running, lives } : underWay(store, id, running);
}

// The scheduler looks at each tick, whatever its outcome. So a late tick shows that no scheduler serves it.
function unservedSince(stored: KnownSchedule | undefined, now: number): string | null {
  if (stored?.cron === undefined || stored.timezone === undefined) return null;
  const { id, jitterMs, since } = stored;
  const tick = new Cron(stored.cron, stored.timezone).next(since);
  const isLate = tick !== undefined && now - dueOf({ id, jitterMs }, tick) > LIMITS.scheduleLateMs;
  return isLate ? isoTime(tick) : null;
}

function nextOf(
  { id, cron, timezone, jitterMs }: KnownSchedule,
  { settled, now, most }: Readonly<Record<"settled" | "now" | "most", number>>,
): ScheduleEntry["next"] {
  if (cron === undefined || timezone === undefined) return [];
  const pattern = new Cron(cron, timezone);
  const next: ScheduleEntry["next"][number][] = [];
  const from = Math.max(settled, now - jitterMs);
  for (let tick = pattern.next(from); tick !== undefined && next.length < most; tick = pattern.next(tick)) {
    const due = dueOf({ id, jitterMs }, tick);
    if (due >= now) next.push({ utc: isoTime(due), local: localTime(due, timezone) });
  }
  return next;
}

/**
 * Returns the run that needs attention before a playbook writes again. It is the schedule's last run if that waits for approval or has left a write open, or
 * any other run of the playbook that has left a write open.
 */
export function blockingIn(
  store: JournalStore,
  { playbook, environment, lastRun, released }: OpenWriteQuestion,
): Blocking | undefined {
  const own = lastRun === undefined ? undefined : blockingOwn(store, lastRun);
  if (own !== undefined) return own;
  const other = leftOpenOf(store, { file: playbook, folder: undefined }, environment).find(
    ({ run }) => !released.includes(run.id),
  );
  if (other === undefined) return undefined;
  const { run, write } = other;
  const outcome = (run.outcome as Blocking["outcome"] | undefined) ?? (run.held === undefined ? "not finished" : "held");
  return run.id === lastRun ? { runId: run.id, outcome } : { runId: run.id, outcome, step: write.step };
}

function blockingOwn(store: JournalStore, runId: string): Blocking | undefined {
  if (!store.knows(runId)) return undefined;
  const { held, outcome } = store.summary(runId);
  if (held !== undefined) return { runId, outcome: "held" };
  const waits = outcome === "pending" || outcome === "unknown" || outcome === "conflict";
  if (!waits && leftBy(store, { id: runId, held }) === undefined) return undefined;
  return { runId, outcome: (outcome as Blocking["outcome"] | undefined) ?? "not finished" };
}
