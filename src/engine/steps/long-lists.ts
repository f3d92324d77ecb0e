import { Failure } from "../../base/failure.ts";
import { ifKnown, type Scope } from "../../expression/expression.ts";
import { unknownValue } from "../../expression/unknown.ts";
import type { CheckStep, Playbook, Step } from "../../playbook/model.ts";
import { bind } from "../../playbook/expressions/template.ts";
import type { GivenToRun } from "../run/concurrency-groups.ts";
import { foreseenInputs } from "../run/foresee.ts";
import { tooManyRounds } from "./expand-foreach.ts";

/**
 * Checks the length of each `foreach` list that is known before the first step: from the playbook, an input or a data file. Throws a Failure,
 * so that no step runs if a later one is certain to exceed the limit.
 */
export function refuseLongLists(playbook: Playbook, { inputs, env }: GivenToRun): void {
  refuseIn(playbook, [...playbook.steps, ...playbook.checks], { ...UNKNOWN, inputs, env: env[playbook.file] ?? {} }, env);
}

const UNKNOWN: Scope = Object.fromEntries(
  ["steps", "run", "actors", "secrets"].map((name) => [name, unknownValue(`${name} is known only in the run`)]),
);

function refuseIn(playbook: Playbook, steps: readonly (Step | CheckStep)[], scope: Scope, env: GivenToRun["env"]): void {
  for (const step of steps) {
    if (step.if !== undefined && ifKnown(() => step.if?.evaluate(scope), undefined) !== true) continue; // the step may be skipped
    const inside =
      step.foreach === undefined ? scope : { ...scope, [step.foreach.variable]: unknownValue("an item is known in its round") };
    if (step.foreach !== undefined) {
      const { list } = step.foreach;
      const items = ifKnown(() => bind(list, scope), undefined); // a list without a value yet is checked during the run
      const problem = Array.isArray(items) ? tooManyRounds(items) : undefined;
      if (problem !== undefined) throw tooLong(playbook, step, problem.message);
      if (Array.isArray(items) && items.length === 0) continue;
    }
    if (step.kind === "block") refuseIn(playbook, [...step.steps, ...step.always], inside, env);
    if (step.kind === "include") refuseLongLists(step.playbook, { inputs: foreseenInputs(step, inside), env });
  }
}

function tooLong(playbook: Playbook, { id, line }: Step | CheckStep, message: string): Failure {
  return new Failure({
    code: "foreach.limit",
    message: `${playbook.file}:${line} (${id}): ${message}`,
    why: "tokenbook checks this before the first step, so nothing was sent",
    next: "split the list, and run the playbook once for each part",
  });
}
