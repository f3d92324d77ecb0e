import { createHash } from "node:crypto";
import { LIMITS } from "../../base/limits.ts";
import type { Firing } from "../firing.ts";
import type { KeptFailure } from "../../base/failure.ts";
import type { EndedState } from "../../report/schedule/shape.ts";

/** Consecutive firings of a schedule that ended in the same state for the same reasons, or for fewer of them. */
export interface Streak {
  /** A digest of each problem of the last firing. */
  readonly reasons: readonly string[];
  /** The tick of the first firing. */
  readonly since: number;
  /** The tick of the last firing that was reported. */
  readonly notifiedAt: number;
  /** The number of firings. */
  readonly times: number;
}

// A drift has values that somebody may wait for, and is acknowledged separately. Missed firings are reported once for all.
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

/**
 * Continues a streak with a firing that shows the state of the schedule. Returns nothing if there is no streak any more. A problem that the previous firing did
 * not have starts a new streak. Pure.
 */
export function streakAfter(
  before: Streak | undefined,
  { tick, state }: Firing,
  problems: readonly KeptFailure[],
): Streak | undefined {
  if (!REPEATING.has(state as EndedState)) return undefined;
  const reasons = reasonsOf(state, problems);
  if (before === undefined || !reasons.every((reason) => before.reasons.includes(reason)))
    return { reasons, since: tick, notifiedAt: tick, times: 1 };
  const isDue = Math.abs(tick - before.notifiedAt) >= LIMITS.reminderMs;
  return { ...before, reasons, times: before.times + 1, notifiedAt: isDue ? tick : before.notifiedAt };
}

// Returns a reason for each problem that a notification shows, and one for all others together.
function reasonsOf(state: Firing["state"], problems: readonly KeptFailure[]): readonly string[] {
  const said = problems.map(({ code, message, why = "" }) => [code, lasting(message), lasting(why)]);
  const rest = said.slice(LIMITS.notificationSteps).flat();
  const shown = said.length === 0 ? [["", "", ""]] : said.slice(0, LIMITS.notificationSteps);
  return [...shown, ...(rest.length === 0 ? [] : [rest])].map((words) => digestOf([state, ...words]));
}

// Matches parts that differ each time: times, runs, generated ids, processes. Digits without letters are an amount.
const PASSING = /\d{4}-\d\d-\d\dT[\d:.]+Z|\b\d{8}T\d{6}-\w{8}\b|\b(?=[\d-]*[a-f])[\da-f]{8}[\da-f-]*\b|\bprocess \d+/gi;

function lasting(message: string): string {
  return message.replaceAll(PASSING, "#");
}

function digestOf(parts: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("base64url");
}
