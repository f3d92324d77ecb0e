import { COUNTED_AS, VERDICTS } from "./formats/cases.ts";
import type { RunReport } from "./shape.ts";

/**
 * A step that passed in one run of `--repeat` and failed in another. A step that is unknown, in conflict or pending in any of these runs is not flaky, because
 * reports that count a flaky step as passed must not hide it.
 */
interface FlakyStep {
  /** The file of the playbook. */
  readonly file: string;
  /** The address of the step. */
  readonly step: string;
  /** The number of runs in which it passed. */
  readonly passed: number;
  /** The number of runs in which it did not pass. */
  readonly failed: number;
}

/** Returns the steps with different outcomes in repeated runs. */
export function flakySteps(reports: Iterable<RunReport>): readonly FlakyStep[] {
  const steps = new Map<string, FlakyStep>();
  const inDoubt = new Set<string>();
  for (const { repeat, run, steps: rows } of reports) {
    if (repeat === undefined) continue;
    for (const { kind, step, outcome } of rows) {
      if (kind !== "call" && kind !== "check") continue;
      const { file } = run.playbook;
      const key = JSON.stringify([file, step]);
      const verdict = VERDICTS[outcome]; // a step that was skipped or was not run proves nothing
      if (COUNTED_AS[verdict].junit === "error") inDoubt.add(key);
      const { passed, failed } = steps.get(key) ?? { passed: 0, failed: 0 };
      const [isPassed, isFailed] = [verdict === "passed", verdict === "failed"];
      steps.set(key, { file, step, passed: passed + Number(isPassed), failed: failed + Number(isFailed) });
    }
  }
  const certain = [...steps].filter(([key]) => !inDoubt.has(key)).map(([, step]) => step);
  return certain.filter(({ passed, failed }) => passed > 0 && failed > 0);
}

/** Returns a line for each step with different outcomes: `flaky  mint.yaml  mint: passed in 4 of 5 runs`. */
export function flakyLines(reports: Iterable<RunReport>): readonly string[] {
  return flakySteps(reports).map(
    ({ file, step, passed, failed }) => `flaky  ${file}  ${step}: passed in ${passed} of ${passed + failed} runs`,
  );
}
