import { isoTime, isoTimeOrNull } from "../base/time/date.ts";
import type { Firing } from "./firing.ts";
import type { FiringEntry } from "../report/schedule/shape.ts";

/** Returns a firing in the form that lists show. */
export function firingEntry(firing: Firing): FiringEntry {
  const { schedule, tick, due, state, runId, tries, startedAt, endedAt, holder, problem } = firing;
  return {
    schedule,
    tick: isoTime(tick),
    due: isoTime(due),
    state,
    run: runId ?? null,
    tries,
    startedAt: isoTimeOrNull(startedAt),
    endedAt: isoTimeOrNull(endedAt),
    holder: holder ?? null,
    problem: problem ?? null,
  };
}
