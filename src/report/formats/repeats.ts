import type { RunReport } from "../shape.ts";
import { type Case, casesOf, COUNTED_AS } from "./cases.ts";

/** The cases of one step in the repeated runs of one playbook, as far as the runs came to it. */
export interface RepeatedStep {
  /** The file of the playbook. */
  readonly file: string;
  /** The address of the step; empty: the run itself. */
  readonly step: string;
  /** The cases in which it passed. */
  readonly good: readonly Case[];
  /** The cases in which it failed. */
  readonly bad: readonly Case[];
  /** The cases that nobody may take for a pass: a write is unknown or in conflict, or something waits. */
  readonly errors: readonly Case[];
  /** All other cases: it was skipped, or was not run. */
  readonly others: readonly Case[];
}

/** Whether a step is green in one run and failed in another. An error in any run is the step's error, since a flaky step counts as passed. */
export function isFlaky({ good, bad, errors }: RepeatedStep): boolean {
  return good.length > 0 && bad.length > 0 && errors.length === 0;
}

/** Returns the runs of each playbook that `--repeat` ran, in their order. */
export function repeatedRuns(reports: readonly RunReport[]): readonly (readonly RunReport[])[] {
  const repeated = reports.filter(({ repeat }) => repeat !== undefined);
  return [...Map.groupBy(repeated, ({ run }) => run.playbook.file).values()];
}

/** Returns each step of repeated runs of one playbook once, with its case in each run that came to it. */
export function repeatedSteps(reports: readonly RunReport[]): readonly RepeatedStep[] {
  const steps = Map.groupBy(reports.flatMap(casesOf), ({ step }) => step?.step ?? "");
  const file = reports[0]?.run.playbook.file ?? "";
  return Array.from(steps, ([step, all]) => {
    // A step after one that failed was not run, which says nothing about that step.
    const ran = all.filter((each) => each.step?.outcome !== "not-run");
    const good = ran.filter(({ verdict }) => verdict === "passed");
    const bad = ran.filter(({ verdict }) => verdict === "failed");
    const errors = ran.filter(({ verdict }) => COUNTED_AS[verdict].junit === "error");
    const known = new Set([...good, ...bad, ...errors]);
    return { file, step, good, bad, errors, others: all.filter((each) => !known.has(each)) };
  });
}
