import { Failure } from "../../base/failure.ts";
import type { Json, JsonObject } from "../../base/json.ts";
import { EvaluationFailure, type Scope } from "../../expression/expression.ts";
import { Unforeseen, unknownValue } from "../../expression/unknown.ts";
import { someInputs } from "../../playbook/inputs/given-inputs.ts";
import type { CheckStep, IncludeStep, Playbook, Step } from "../../playbook/model.ts";
import type { Env } from "../../playbook/settings/open-secrets.ts";
import { bind, type Template } from "../../playbook/expressions/template.ts";
import { tooManyRounds } from "./expand-foreach.ts";

/**
 * Holds that no `foreach` has too many rounds whose list is known before the first step: one that is written out, comes from an input or from a
 * file of data. Throws a Failure, so that no step runs before a limit that is certain to be met.
 */
export function refuseLongLists(playbook: Playbook, { inputs, env }: { readonly inputs: JsonObject; readonly env: Env }): void {
  refuseIn(playbook, [...playbook.steps, ...playbook.checks], { ...UNKNOWN, inputs, env: env[playbook.file] ?? {} }, env);
}

const UNKNOWN: Scope = Object.fromEntries(
  ["steps", "run", "actors", "secrets"].map((name) => [name, unknownValue(`${name} is known only in the run`)]),
);

function refuseIn(playbook: Playbook, steps: readonly (Step | CheckStep)[], scope: Scope, env: Env): void {
  for (const step of steps) {
    if (step.if !== undefined && valueOf(() => step.if?.evaluate(scope)) !== true) continue; // it may be skipped
    const inside =
      step.foreach === undefined ? scope : { ...scope, [step.foreach.variable]: unknownValue("an item is known in its round") };
    if (step.foreach !== undefined) {
      const { list } = step.foreach;
      const items = valueOf(() => bind(list, scope));
      const problem = Array.isArray(items) ? tooManyRounds(items) : undefined;
      if (problem !== undefined) throw tooLong(playbook, step, problem.message);
      if (Array.isArray(items) && items.length === 0) continue;
    }
    if (step.kind === "block") refuseIn(playbook, [...step.steps, ...step.always], inside, env);
    if (step.kind === "include")
      refuseIn(step.playbook, [...step.playbook.steps, ...step.playbook.checks], scopeIn(step, inside, env), env);
  }
}

function scopeIn({ playbook, inputs }: IncludeStep, scope: Scope, env: Env): Scope {
  const given = Object.fromEntries(Array.from(inputs, ([name, template]) => [name, known(template, scope)] as const));
  const names = new Set(playbook.inputs.map(({ name }) => name).filter((name) => !inputs.has(name)));
  return { ...UNKNOWN, inputs: { ...someInputs(playbook, {}, names), ...given }, env: env[playbook.file] ?? {} };
}

function known(template: Template, scope: Scope): Json {
  return valueOf(() => bind(template, scope)) ?? unknownValue("it is known only in the run");
}

// What has no value, or none yet, is the run's to tell.
function valueOf(find: () => Json | undefined): Json | undefined {
  try {
    return find();
  } catch (error) {
    if (error instanceof Unforeseen || error instanceof EvaluationFailure) return undefined;
    throw error;
  }
}

function tooLong(playbook: Playbook, { id, line }: Step | CheckStep, message: string): Failure {
  return new Failure({
    code: "foreach.limit",
    message: `${playbook.file}:${line} (${id}): ${message}`,
    why: "it is known before the first step, and nothing was sent",
    next: "split the list, and run the playbook once for each part",
  });
}
