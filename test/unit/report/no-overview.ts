import type { StateOverview } from "../../../src/report/html/pages/overview.ts";

/** The overview of a state directory in which nothing has run. */
export const NO_OVERVIEW: StateOverview = {
  runs: [],
  open: new Set(),
  latest: [],
  days: [],
  drifts: [],
  unfinishedComparisons: 0,
  schedules: [],
  now: 0,
};
