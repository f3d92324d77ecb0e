import { invariant } from "../base/failure.ts";
import { isObject, type JsonObject } from "../base/json.ts";
import { validatorOf } from "../contract/validators.ts";
import type { Scope } from "../expression/expression.ts";
import type { Operation } from "../operations/operation.ts";
import type { SideRead } from "../playbook/model.ts";
import { bind, type Template } from "../playbook/template.ts";
import { withSchema } from "../playbook/with.ts";
import type { StepProblem } from "../protocol/record.ts";
import { type Caller, callerOf } from "./caller.ts";

/** A call with everything decided about it. */
export interface Bound {
  readonly input: JsonObject;
  readonly caller: Caller;
}

/** Binds the input of a call, and checks it: what an expression gave is known only now. Throws an EvaluationFailure when one gives nothing. */
export function bindCall(use: SideRead, scope: Scope): Bound | { readonly problem: StepProblem } {
  const input = bindObject(use.with, scope);
  const problem = inputProblem(use.operation, input);
  return problem === undefined ? { input, caller: callerOf(use.as, scope) } : { problem };
}

function bindObject(template: Template, scope: Scope): JsonObject {
  const input = bind(template, scope);
  invariant(isObject(input), "`with` is an object");
  return input;
}

/** What is wrong with an input of which all is known. */
export function inputProblem(operation: Operation, input: JsonObject): StepProblem | undefined {
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
