import { LIMITS } from "../base/limits.ts";
import { type ComparisonCounts, type Drift, openFirst } from "../protocol/comparison.ts";
import type { RunReport } from "../report/shape.ts";

/** The number of keys in which the comparisons of a run differ, by the state of the difference, and the number of undecided keys. */
export type DriftCounts = Pick<
  ComparisonCounts,
  "new" | "persisting" | "changed" | "acknowledged" | "cleared" | "moving" | "notCompared"
>;

/** What the comparisons of a run have found. */
export interface DriftsNote {
  /** The sums over all comparisons of the run. */
  readonly counts: DriftCounts;
  /** The first open drifts. Acknowledged ones come last. */
  readonly first: readonly DriftNote[];
}

/** A difference, and the step that found it. */
export interface DriftNote extends Pick<Drift, "id" | "kind" | "key" | "left" | "right" | "difference" | "state"> {
  /** The address of the step. */
  readonly step: string;
}

/** The states in which differences are counted. */
export const DRIFT_STATES: readonly (keyof DriftCounts)[] = [
  "new",
  "persisting",
  "changed",
  "acknowledged",
  "cleared",
  "moving",
  "notCompared",
];

/** Returns the drifts of a run; null if it compared nothing. */
export function driftsIn({ steps }: RunReport): DriftsNote | null {
  const found = steps.flatMap(({ step, comparison }) => (comparison === null ? [] : [{ step, comparison }]));
  if (found.length === 0) return null;
  const sum = (state: keyof DriftCounts): number => found.reduce((total, { comparison }) => total + comparison.counts[state], 0);
  const all = found.flatMap(({ step, comparison }) =>
    comparison.drifts.map(({ since: _since, acknowledged: _acknowledged, ...drift }) => ({ step, ...drift })),
  );
  return {
    counts: Object.fromEntries(DRIFT_STATES.map((state) => [state, sum(state)])) as unknown as DriftCounts,
    first: openFirst(all).slice(0, LIMITS.notificationSteps),
  };
}
