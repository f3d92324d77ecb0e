import { invariant } from "../../base/failure.ts";
import { fitsHeader } from "../../base/text/header.ts";
import { didYouMean } from "../../base/text/text.ts";
import { isObject, type JsonObject, writeJson } from "../../base/json/json.ts";
import { validatorOf } from "../../contract/validators.ts";
import { credentialsOf, type Target } from "../../environment/target.ts";
import type { Scope } from "../../expression/expression.ts";
import type { Operation } from "../../operations/operation.ts";
import type { CallStep, SideRead } from "../../playbook/model.ts";
import type { Secrets } from "../../playbook/settings/open-secrets.ts";
import { bind } from "../../playbook/expressions/template.ts";
import { withSchema } from "../../playbook/steps/call-input.ts";
import { demandAt } from "../../schema/demand.ts";
import { essential } from "../../source/problems.ts";
import type { StepProblem } from "../../protocol/record.ts";
import { hasEntities } from "../../services/services.ts";
import { type Caller, callerOf, credentialFor, entityFor } from "./caller.ts";
import { completedInput } from "../../operations/completed-input.ts";
import type { RunContext } from "../run/run-context.ts";
import type { ReadingContext } from "../run/reading-context.ts";
import { namesOf } from "../run/run-names.ts";
import type { Place } from "../run/plan-steps.ts";

/** A call that is ready to be sent. */
export interface Bound {
  /** The input of the operation, with the values of its expressions. */
  readonly input: JsonObject;
  /** On whose behalf the call is made. */
  readonly caller: Caller;
}

/** A call, and the problem that keeps it from being sent, if it has one. */
export type BoundOrNot = Bound | (Bound & { readonly problem: StepProblem });

/**
 * Binds and checks the input of a call. This happens only now, because the values of expressions were not known earlier. Throws an
 * EvaluationFailure if an expression has no value.
 */
export function bindCall(context: ReadingContext, place: Pick<Place, "frame" | "rounds">, use: SideRead): BoundOrNot {
  return bindIn(context, context.scopeAt(place), use);
}

/** Does the same with names that are known already. */
export function bindIn(context: ReadingContext, scope: Scope, use: SideRead): BoundOrNot {
  const input = bind(use.with, scope);
  invariant(isObject(input), "`with` is an object");
  const caller = callerOf(use.as, scope);
  const sent = writeJson([input, entityFor(use.operation.service, caller) ?? ""]);
  const problem =
    callerProblem(use.operation, caller, context.target) ??
    maskProblem(sent, context.ports.secrets) ??
    halfCharacterProblem(sent) ??
    inputProblem(use.operation, input);
  return problem === undefined ? { input, caller } : { input, caller, problem };
}

/** Returns why this caller cannot call an operation. */
export function callerProblem(operation: Operation, caller: Caller, target: Target): StepProblem | undefined {
  return credentialProblem(operation, caller, target) ?? headerProblem(operation, caller, target);
}

// Only a name from an expression can be wrong here: literal names were checked before the run began.
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
    why: "nothing was sent, because the service would not know on whose behalf to act",
    next: `if the service takes it in the query, declare this: profile: { ${service.name}: { onBehalfOf: { in: query, name: NAME } } } at ${whereIs("profile")}`,
  };
}

/** Binds the input of a write, and adds chosen ids and our mark. The same run and step always give the same input. */
export function bindWrite(context: RunContext, place: Place, step: CallStep): Bound | { readonly problem: StepProblem } {
  const bound = bindCall(context, place, step);
  return "problem" in bound ? bound : completedCall(context, place, step, bound);
}

/** Returns the call with everything that tokenbook adds to its input. */
export function completedCall(context: RunContext, place: Place, step: CallStep, bound: Bound): Bound {
  const names = namesOf(context.opened.runId, place.address);
  return { ...bound, input: completedInput(step.operation, bound.input, { names, profile: context.target.profile }) };
}

// Values of earlier steps are kept with their secrets masked. A mask is never sent, because the value behind it is not known here.
function maskProblem(sent: string, secrets: Secrets): StepProblem | undefined {
  const mask = secrets.maskIn(sent);
  if (mask === undefined) return undefined;
  return {
    code: "input.masked",
    message: `the input holds ${mask}, which masks a secret in the value of an earlier step`,
    why: "the service would receive the mask instead of the secret; nothing was sent",
    next: "use the secret itself in with:, not the value of an earlier step",
  };
}

// JSON escapes only half a character in this way. An address would silently get another character instead.
const HALF = /(?<!\\)(?:\\\\)*\\ud[89a-f]/;

function halfCharacterProblem(sent: string): StepProblem | undefined {
  if (!HALF.test(sent)) return undefined;
  return {
    code: "input.half-character",
    message: "the input holds a text with half of a character, which no text of a request can hold",
    why: "the service would receive another text; nothing was sent",
    next: "write the whole character: one beyond U+FFFF counts as two in substring, and has two \\u escapes",
  };
}

/** Returns the problem of an input whose values are all known. */
export function inputProblem(operation: Operation, input: JsonObject): StepProblem | undefined {
  const batch = operation.batches && input["items"] !== undefined;
  const problems = validatorOf(withSchema(operation, batch))(input);
  const [problem = problems[0]] = essential(problems);
  if (problem === undefined) return undefined;
  return {
    code: "input.invalid",
    message: demandAt("with", problem),
    why: `the input of ${operation.name}; nothing was sent`,
  };
}
