import { invariant } from "../../base/failure.ts";
import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import type { Profile } from "../../contract/profile.ts";
import { validatorOf } from "../../contract/validators.ts";
import type { Names } from "../../operations/meaning.ts";
import type { Operation } from "../../operations/operation.ts";
import type { Step } from "../../playbook/model.ts";
import { bind } from "../../playbook/template.ts";
import { withSchema } from "../../playbook/with.ts";
import type { Place } from "../../protocol/decide.ts";
import type { StepProblem } from "../../protocol/record.ts";
import { type Caller, callerOf } from "../caller.ts";
import type { RunContext } from "../context.ts";
import { namesOf } from "../names.ts";
import { readStep } from "./read-step.ts";
import { send } from "./send.ts";
import { skipIfTold } from "./skip.ts";

/** A call with everything decided about it. */
export interface Bound {
  readonly input: JsonObject;
  readonly caller: Caller;
}

/** Begins a step: evaluates `if`, binds and checks its input, then reads, or records the intent and sends. */
export async function begin(context: RunContext, step: Step, place: Place): Promise<void> {
  const startedAt = context.ports.clock.now();
  context.tell({ kind: "step.started", step: place.address, at: startedAt });
  if (step.foreach === undefined && skipIfTold(context, step, { place, startedAt })) return;
  const bound = bindStep(context, step, place);
  const problem = inputProblem(step.operation, bound.input);
  if (problem !== undefined) return context.stop(place, { startedAt, outcome: "failed", problem });
  if (!step.operation.writes) return readStep(context, step, { place, startedAt, bound });
  return send(context, step, {
    place,
    bound: {
      ...bound,
      input: completed(step.operation, bound.input, {
        names: namesOf(context.opened.runId, place.address),
        profile: context.target.profile,
      }),
    },
  });
}

// Throws an EvaluationFailure when an expression has no value.
function bindStep(context: RunContext, step: Step, place: Place): Bound {
  const scope = context.scopeAt(step, place);
  const input = bind(step.with, scope);
  invariant(isObject(input), "`with` is an object");
  return { input, caller: callerOf(step, scope) };
}

// What an expression gave is known only now.
function inputProblem(operation: Operation, input: JsonObject): StepProblem | undefined {
  const batch = operation.batches && input["items"] !== undefined;
  const [problem] = validatorOf(withSchema(operation, batch))(input);
  if (problem === undefined) return undefined;
  const where = ["with", ...problem.path].join(".");
  return {
    code: "input.invalid",
    message: `${where} ${problem.message}`,
    why: `the input of ${operation.name}; nothing was sent`,
  };
}

function completed(
  operation: Operation,
  input: JsonObject,
  { names, profile }: { readonly names: Names; readonly profile: Profile },
): JsonObject {
  const { complete } = operation.meaning;
  if (complete === undefined) return input;
  const { items } = input;
  if (!Array.isArray(items)) return complete(input, names, profile);
  return {
    ...input,
    items: items.map((item: Json, at) => (isObject(item) ? complete(item, itemNames(names, at), profile) : item)),
  };
}

function itemNames(names: Names, at: number): Names {
  return { id: (part = "") => names.id(`${part}${at}`), mark: `${names.mark}#${at}` };
}
