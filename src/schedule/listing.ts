import { type Firing, timeOf, timeOrNull } from "./firing.ts";
import type { FiringEntry } from "../report/schedule/shape.ts";

/** Returns a firing as lists show it. */
export function firingEntry(firing: Firing): FiringEntry {
  const { schedule, tick, due, state, runId, tries, startedAt, endedAt, holder, problem } = firing;
  return {
    schedule,
    tick: timeOf(tick),
    due: timeOf(due),
    state,
    run: runId ?? null,
    tries,
    startedAt: timeOrNull(startedAt),
    endedAt: timeOrNull(endedAt),
    holder: holder ?? null,
    problem: problem ?? null,
  };
}
