import { invariant } from "../../base/failure.ts";
import { fitsHeader } from "../../base/header.ts";
import { didYouMean } from "../../base/text.ts";
import { isObject, type Json, type JsonObject, writeJson } from "../../base/json.ts";
import { validatorOf } from "../../contract/validators.ts";
import { credentialsOf, type Target } from "../../environment/target.ts";
import type { Scope } from "../../expression/expression.ts";
import type { Operation } from "../../operations/operation.ts";
import type { CallStep, SideRead } from "../../playbook/model.ts";
import type { Secrets } from "../../playbook/settings/open-secrets.ts";
import { bind, type Template } from "../../playbook/expressions/template.ts";
import { withSchema } from "../../playbook/steps/call-input.ts";
import type { StepProblem } from "../../protocol/record.ts";
import { hasEntities } from "../../services/services.ts";
import { type Caller, callerOf, credentialFor, entityFor } from "./caller.ts";
import { completed as withChosen } from "../write/completed-input.ts";
import type { RunContext } from "../run/run-context.ts";
import type { Looking } from "../run/reading-context.ts";
import { namesOf } from "../run/run-names.ts";
import type { Place } from "../run/plan-steps.ts";

/** A call with everything decided about it. */
export interface Bound {
  readonly input: JsonObject;
  readonly caller: Caller;
}

/** Binds the input of a call, and checks it: what an expression gave is known only now. Throws an EvaluationFailure when one gives nothing. */
export function bindCall(
  context: Looking,
  place: Pick<Place, "frame" | "rounds">,
  use: SideRead,
): Bound | (Bound & { readonly problem: StepProblem }) {
  return bindIn(context, context.scopeAt(place), use);
}

/** The same, with names that are known already. */
export function bindIn(context: Looking, scope: Scope, use: SideRead): Bound | (Bound & { readonly problem: StepProblem }) {
  const input = bindObject(use.with, scope);
  const caller = callerOf(use.as, scope);
  const problem =
    callerProblem(use.operation, caller, context.target) ??
    maskProblem([input, entityFor(use.operation.service, caller) ?? ""], context.ports.secrets) ??
    inputProblem(use.operation, input);
  return problem === undefined ? { input, caller } : { input, caller, problem };
}

/** Returns why nobody can call an operation as this caller. */
export function callerProblem(operation: Operation, caller: Caller, target: Target): StepProblem | undefined {
  return credentialProblem(operation, caller, target) ?? headerProblem(operation, caller, target);
}

// One that an expression gave: those that are written out were looked for before the run began.
function credentialProblem({ service }: Operation, caller: Caller, target: Target): StepProblem | undefined {
  const credential = credentialFor(service, caller);
  const known = credentialsOf(target[service.name]);
  if (credential === undefined || target[service.name] === undefined || known.has(credential)) return undefined;
  const near = didYouMean(credential, [...known.keys()]);
  return {
    code: "environment.incomplete",
    message: `the environment "${target.environment}" has no credential "${credential}"${near === undefined ? "" : `; did you mean "${near}"?`}`,
    next: `add it at ${target.whereIs(`${service.name}.credentials`)}`,
  };
}

function headerProblem({ service }: Operation, caller: Caller, { profile, whereIs }: Target): StepProblem | undefined {
  const actingEntity = entityFor(service, caller) ?? "";
  if (!hasEntities(service)) return undefined;
  const { in: place, name } = service.identity.onBehalfOf(profile);
  if (place !== "header" || fitsHeader(actingEntity)) return undefined;
  return {
    code: "actor.not-in-header",
    message: `"${actingEntity}" cannot be named in the header ${name}, which takes the letters of Latin-1 only`,
    why: "nothing was sent: the service would not know on whose behalf",
    next: `if the service takes it in the query, say so: profile: { ${service.name}: { onBehalfOf: { in: query, name: NAME } } } at ${whereIs("profile")}`,
  };
}

/** Binds the input of a write, and completes it: with chosen ids and our mark. The same run and step give the same each time. */
export function bindWrite(context: RunContext, place: Place, step: CallStep): Bound | { readonly problem: StepProblem } {
  const bound = bindCall(context, place, step);
  return "problem" in bound ? bound : completed(context, place, step, bound);
}

/** The call with everything that we add to its input. */
export function completed(context: RunContext, place: Place, step: CallStep, bound: Bound): Bound {
  const names = namesOf(context.opened.runId, place.address);
  return { ...bound, input: withChosen(step.operation, bound.input, { names, profile: context.target.profile }) };
}

// What earlier steps gave is kept with secrets masked. A mask among it stands for a value that is not known here, and is never sent.
function maskProblem(sent: Json, secrets: Secrets): StepProblem | undefined {
  const mask = secrets.maskIn(writeJson(sent));
  if (mask === undefined) return undefined;
  return {
    code: "input.masked",
    message: `what is to be sent holds ${mask} as it is kept of an earlier step, with the secret masked`,
    why: "the service would be sent the mask instead of the value; nothing was sent",
    next: "write the secret itself into with:, instead of what an earlier step gave",
  };
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
