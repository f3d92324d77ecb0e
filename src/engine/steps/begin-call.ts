import { organizationOf } from "../../environment/target.ts";
import { Failure } from "../../base/failure.ts";
import { objectOf } from "../../base/maps.ts";
import { inOrganization, includedInputs } from "../../playbook/inputs/given-inputs.ts";
import { type CallStep, type IncludeStep, isWrite } from "../../playbook/model.ts";
import { bind } from "../../playbook/expressions/template.ts";
import { bindCall, completedCall } from "../service/bind-call.ts";
import type { RunContext } from "../run/run-context.ts";
import type { BegunStep, Place } from "../run/plan-steps.ts";
import { compare } from "../compare/compare.ts";
import { check } from "./check.ts";
import { holdsAlready } from "./ensure.ts";
import { readStep } from "./read-step.ts";
import { send } from "../write/send.ts";
import { skipIfFalse } from "./skip-if-false.ts";

/** Begins a step. Evaluates `if`, then binds and checks the input, then reads, or records the intent and sends, or opens the steps that it holds. */
export async function begin(context: RunContext, place: Place): Promise<void> {
  const { step, address } = place;
  const startedAt = context.ports.clock.now();
  if (step.kind === "call") context.notify({ kind: "step.started", step: address, at: startedAt });
  if (step.foreach === undefined && skipIfFalse(context, place, startedAt)) return;
  switch (step.kind) {
    case "call":
      return beginCall(context, { place, step, startedAt });
    case "check": {
      const { looks } = step;
      await context.hold("before", place);
      await context.untilReadsAreRecent(address);
      if (context.stopping) return;
      if (looks.kind === "compare") return compare(context, { place, step, looks, startedAt });
      return check(context, { place, step, looks, startedAt });
    }
    case "block":
      await context.hold("before", place);
      if (context.stopping) return;
      return context.note({ kind: "step.begun", step: address });
    case "include":
      return beginInclude(context, { place, step, startedAt });
  }
}

async function beginCall(context: RunContext, { place, step, startedAt }: BegunStep<CallStep>): Promise<void> {
  const bound = bindCall(context, place, step);
  await context.hold("before", place, () => (isWrite(step) ? completedCall(context, place, step, bound) : bound).input);
  if (context.stopping) return;
  // `ensure` comes first: if nothing has to be sent, an input without a value does no harm.
  const { ensure } = step;
  if (ensure !== undefined) {
    await context.untilReadsAreRecent(place.address);
    if (await holdsAlready(context, { place, step, ensure, startedAt, bound })) return;
  }
  if ("problem" in bound) return context.stop(place, { startedAt, outcome: "failed", problem: bound.problem });
  if (!isWrite(step)) return readStep(context, { place, step, startedAt, bound });
  context.actAs({ operation: step.operation, caller: bound.caller });
  return send(context, { place, step, bound: completedCall(context, place, step, bound), startedAt });
}

async function beginInclude(context: RunContext, { place, step, startedAt }: BegunStep<IncludeStep>): Promise<void> {
  const scope = context.scopeAt(place);
  const given = objectOf(step.inputs, (template) => bind(template, scope));
  try {
    const inputs = inOrganization(step.playbook, includedInputs(step.playbook, given), organizationOf(context.target));
    await context.hold("before", place, () => inputs);
    if (context.stopping) return;
    context.note({ kind: "step.begun", step: place.address, inputs });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    context.stop(place, { startedAt, outcome: "failed", problem: { code: "input.invalid", message: error.message } });
  }
}
