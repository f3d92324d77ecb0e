import type { RunReport } from "../shape.ts";
import { type Case, casesOf, COUNTED_AS } from "./cases.ts";

/** The cases of one step in the repeated runs of one playbook, for the runs that reached it. */
interface RepeatedStep {
  readonly good: readonly Case[];
  readonly bad: readonly Case[];
  /** The cases that must not count as passed: a write is unknown or in conflict, or something waits. */
  readonly errors: readonly Case[];
  /** All other cases: the step was skipped or not run. */
  readonly others: readonly Case[];
}

/** Returns whether a step passed in one run and failed in another. If it is an error in any run, it is not flaky, because a flaky step counts as passed. */
export function isFlaky({ good, bad, errors }: RepeatedStep): boolean {
  return good.length > 0 && bad.length > 0 && errors.length === 0;
}

/** Returns each step of repeated runs of one playbook once, with its case in each run that reached it. */
export function repeatedSteps(reports: readonly RunReport[]): readonly RepeatedStep[] {
  const steps = Map.groupBy(reports.flatMap(casesOf), ({ step }) => step?.step ?? "");
  return Array.from(steps.values(), (all) => {
    // A step after a failed one was not run, which shows nothing about that step.
    const ran = all.filter((each) => each.step?.outcome !== "not-run");
    const good = ran.filter(({ verdict }) => verdict === "passed");
    const bad = ran.filter(({ verdict }) => verdict === "failed");
    const errors = ran.filter(({ verdict }) => COUNTED_AS[verdict].junit === "error");
    const known = new Set([...good, ...bad, ...errors]);
    return { good, bad, errors, others: all.filter((each) => !known.has(each)) };
  });
}
