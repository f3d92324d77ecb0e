import { createHash } from "node:crypto";
import { LIMITS } from "../../base/limits.ts";
import type { EndedState, Firing } from "../firing.ts";

/** Firings of a schedule, one after the other, that came to the same for the same reason. */
export interface Streak {
  /** What they have in common, as a digest. */
  readonly reason: string;
  /** The ticks of the first one, and of the last one that was reported. */
  readonly since: number;
  /** The tick of the last one that was reported. */
  readonly notifiedAt: number;
  /** How many firings it has. */
  readonly times: number;
}

// A drift has values that somebody may wait for, and is acknowledged by itself; missed firings are reported once for all.
const REPEATING: ReadonlySet<EndedState> = new Set([
  "failed",
  "died",
  "interrupted",
  "pending",
  "unknown",
  "conflict",
  "blocked",
  "skipped",
  "replaced",
  "cancelled",
]);

/** Continues a streak by a firing that shows the state of the schedule; nothing when there is no streak any more. Pure. */
export function streakAfter(before: Streak | undefined, { tick, state, problem }: Firing): Streak | undefined {
  if (!REPEATING.has(state as EndedState)) return undefined;
  const { code = "", message = "", why = "" } = problem ?? {};
  const reason = digestOf([state, code, lasting(message), lasting(why)]);
  if (before?.reason !== reason) return { reason, since: tick, notifiedAt: tick, times: 1 };
  const isDue = Math.abs(tick - before.notifiedAt) >= LIMITS.reminderMs;
  return { ...before, times: before.times + 1, notifiedAt: isDue ? tick : before.notifiedAt };
}

// What is another each time: moments, runs, ids that a service makes up, processes. Digits alone are an amount.
const PASSING = /\d{4}-\d\d-\d\dT[\d:.]+Z|\b\d{8}T\d{6}-\w{8}\b|\b(?=[\d-]*[a-f])[\da-f]{8}[\da-f-]*\b|\bprocess \d+/gi;

function lasting(message: string): string {
  return message.replaceAll(PASSING, "#");
}

function digestOf(parts: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64url");
}
