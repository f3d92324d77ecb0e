import { completedAdvice, type Hint } from "../base/command-line.ts";
import type { RunReport, StepReport } from "./shape.ts";

// Data for programs does not depend on where it is read. Text for people has commands that work in their folder.

/** Returns the same problem with commands that work when they are typed here. */
export function hintedProblem<Problem extends { readonly next?: string | null } | null>(problem: Problem, hint: Hint): Problem {
  return typeof problem?.next !== "string" ? problem : { ...problem, next: completedAdvice(problem.next, hint) };
}

/** Returns the same step with commands that work when they are typed here. */
export function hintedStep(step: StepReport, hint: Hint): StepReport {
  return { ...step, problem: hintedProblem(step.problem, hint), warning: hintedProblem(step.warning, hint) };
}

/** Returns the same run with commands that work when they are typed here. */
export function hintedReport(report: RunReport, hint: Hint): RunReport {
  const { run, steps } = report;
  return {
    ...report,
    run: { ...run, problem: hintedProblem(run.problem, hint) },
    steps: steps.map((step) => hintedStep(step, hint)),
  };
}
