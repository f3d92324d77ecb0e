import type { Playbook } from "../../playbook/model.ts";
import { mustCompare, stepsIn } from "../../playbook/playbook-walk.ts";
import { frameOf, stepOf } from "../../protocol/address.ts";
import type { StepProblem } from "../../protocol/record.ts";

const MAY_BE_LEFT_OUT = "write `empty: pass` in the comparisons of that playbook, and `severity: warn` in its `conserve` checks";

/** The problem of a `foreach` without rounds that includes a playbook that compares. */
export const NO_ROUND: StepProblem = {
  code: "reconcile.empty",
  message: "nothing was compared: the list of `foreach` is empty",
  why: "the included playbook compares, and without a round there is no evidence that anything agrees",
  next: `look at the list; if it may be empty, ${MAY_BE_LEFT_OUT}`,
};

const NONE_MADE: StepProblem = {
  code: "reconcile.empty",
  message: "nothing was compared: each step that includes a comparison was skipped",
  why: "the playbook is there to compare, and without a comparison there is no evidence that anything agrees",
  next: `look at the \`if\` of these steps; if all of them may be skipped, ${MAY_BE_LEFT_OUT}`,
};

/** Returns the problem of a run that compared nothing although its playbook only compares (decision 199). `made` gives the addresses of its steps. */
export function nothingCompared(playbook: Playbook, made: () => Iterable<string>): StepProblem | undefined {
  if (!playbook.readOnly || !playbook.steps.some(mustCompare)) return undefined;
  const comparing = new Set(comparingIn(playbook, ""));
  for (const address of made()) if (comparing.has(stepOf(address))) return undefined;
  return NONE_MADE;
}

// The addresses, without rounds, of all comparisons. A check with `that` compares nothing.
function* comparingIn({ steps, checks }: Playbook, frame: string): Generator<string> {
  for (const { id, looks } of checks) if (looks.kind !== "look") yield `${frame}${id}`;
  for (const step of stepsIn(steps))
    if (step.kind === "include") yield* comparingIn(step.playbook, frameOf(`${frame}${step.id}`));
}
