import type { Json, JsonObject } from "../../base/json/json.ts";
import { Decimal } from "../../base/numbers/decimal.ts";
import { Failure } from "../../base/failure.ts";
import { objectOf } from "../../base/maps.ts";
import { organizationOf, type Target } from "../../environment/target.ts";
import { expectedWords } from "../../operations/refusal.ts";
import { EvaluationFailure, type Expression, type Scope } from "../../expression/expression.ts";
import { includedInputs, inOrganization } from "../../playbook/inputs/given-inputs.ts";
import type { FixedOfCheck, FixedOfComparison, FixedOfSide } from "../../playbook/keywords/comparison.ts";
import type { FixedOfCall, FixedOfDoneCall, FixedOfHead } from "../../playbook/keywords/step.ts";
import type { CallStep, CheckStep, Compare, IncludeStep, LookCheck, Side } from "../../playbook/model.ts";
import { bind, type Template } from "../../playbook/expressions/template.ts";
import { frameOf } from "../../protocol/address.ts";
import { hadNoEffect } from "../../protocol/attempt-state.ts";
import type { RunState, StepState } from "../../protocol/state.ts";
import { roundsOf } from "../steps/expand-foreach.ts";
import { callerOf, recordedAs } from "../service/caller.ts";
import type { Frames } from "../run/scopes.ts";
import { type PlanStep, usesOf } from "../run/plan-steps.ts";
import type { TracedStep } from "./earlier-values.ts";

/** A value for each keyword whose edit matters, and for no other keyword. */
type Fingerprint<Fixed extends string> = Readonly<Record<Fixed, Json>>;

/** What is needed to evaluate a playbook at one place in a run. */
export interface FingerprintContext {
  /** The values of the names in the playbook and in the playbooks that it includes. */
  readonly frames: Frames;
  /** The state of the run, from its records. */
  readonly state: RunState;
  /** The environment in which the run acts. */
  readonly target: Target;
}

/** Returns the values of a completed step that contradict what was done if they change. For a skipped step, it returns only that it was skipped. */
export function fingerprintOf(spot: TracedStep, { frames, state, target }: FingerprintContext): JsonObject {
  const { step } = spot;
  const scope = frames.scopeAt(spot);
  const common: Fingerprint<"uses" | Exclude<FixedOfHead, "foreach">> = {
    uses: step.kind === "include" ? "a playbook" : usesOf(step),
    if: known(() => step.if?.evaluate(scope) ?? true),
  };
  if (state.steps.get(spot.address)?.completed?.outcome === "skipped") return common;
  const { foreach } = step;
  if (spot.isWhole && foreach !== undefined)
    return { ...common, foreach: known(() => roundsOf(scope, foreach) as unknown as Json) };
  // The `if` of a `foreach` is evaluated once, for all its rounds.
  const { if: _if, ...own } = common;
  const outputs = step.kind === "include" ? fingerprintOfOutputs(step, spot, { frames, state, target }) : {};
  const done = step.kind === "call" ? fingerprintOfDone(step, scope, state.steps.get(spot.address)) : {};
  return { ...(foreach === undefined ? common : own), ...fingerprintOfOwn(step, scope, target), ...done, ...outputs };
}

// Later steps use the outputs that an included playbook had when it was completed.
function fingerprintOfOutputs(
  { playbook }: IncludeStep,
  { address }: TracedStep,
  { frames, state }: FingerprintContext,
): JsonObject {
  if (state.steps.get(address)?.completed === undefined) return {};
  const scope = frames.scopeAt({ frame: frameOf(address), rounds: [] });
  return { outputs: objectOf(playbook.outputs, (template) => bound(template, scope)) };
}

function fingerprintOfOwn(step: PlanStep, scope: Scope, target: Target): JsonObject {
  switch (step.kind) {
    case "call":
      return fingerprintOfCall(step, scope);
    case "include":
      return { with: known(() => inputsOf(step, scope, target)) };
    case "check":
      return fingerprintOfCheck(step, scope);
    case "block":
      return {};
  }
}

// The reason why nothing changed: an expected refusal, or an effect that was already there. If the reason changes, the call would still
// have to be made.
function fingerprintOfDone({ fails, ensure }: CallStep, scope: Scope, step: StepState | undefined): Fingerprint<FixedOfDoneCall> {
  const done = step?.completed;
  const isUnsent = done?.outcome === "unchanged" && step?.attempts.every(hadNoEffect) === true;
  return {
    fails: done !== undefined && fails !== undefined ? expectedWords(fails) : null,
    ensure: isUnsent && ensure !== undefined ? fingerprintOfLook(ensure, scope) : null,
  };
}

function fingerprintOfCall(step: CallStep, scope: Scope): Fingerprint<Exclude<FixedOfCall, "uses" | FixedOfDoneCall>> {
  return { with: bound(step.with, scope), as: actorOf(step, scope), pages: Decimal.of(Math.min(step.pages, MANY)) };
}

const MANY = Number.MAX_SAFE_INTEGER;

function fingerprintOfCheck({ looks }: CheckStep, scope: Scope): JsonObject {
  if (looks.kind === "conserve") return { conserve: { [looks.of]: bound(looks.id, scope) } };
  return looks.kind === "compare" ? fingerprintOfComparison(looks) : fingerprintOfLook(looks, scope);
}

function fingerprintOfLook(
  { read, that }: Pick<LookCheck, "read" | "that">,
  scope: Scope,
): Fingerprint<Exclude<FixedOfCheck, "foreach" | "conserve">> {
  return { read: read.operation.name, with: bound(read.with, scope), as: actorOf(read, scope), that: that.text.trim() };
}

// The text is compared, since only a run knows what each round reads.
function fingerprintOfComparison({
  sides,
  tolerance: limit,
}: Compare): Fingerprint<Exclude<FixedOfComparison, "conserve">> | Fingerprint<Exclude<FixedOfComparison, "left" | "right">> {
  const tolerance = limit.canonical();
  if (sides.kind === "conserved") return { tolerance, conserve: sides.conserve.of };
  return { tolerance, left: fingerprintOfSide(sides.left), right: fingerprintOfSide(sides.right) };
}

function text(expression: Expression | undefined): Json {
  return expression?.text.trim() ?? null;
}

function fingerprintOfSide({ source, where, key, value, sums, once, at }: Side): Fingerprint<FixedOfSide> {
  return {
    rows: source.kind === "read" ? null : source.kind === "list" ? text(source.rows) : source.written,
    read: source.kind === "read" ? source.read.operation.name : null,
    each: source.kind === "read" ? text(source.each) : null,
    where: text(where),
    key: objectOf(key, text),
    value: text(value),
    combine: sums ? "sum" : null,
    once: text(once),
    at: text(at),
  };
}

// Evaluated in the same way as when the step begins.
function inputsOf({ playbook, inputs }: IncludeStep, scope: Scope, target: Target): Json {
  const given = objectOf(inputs, (template) => bind(template, scope));
  return inOrganization(playbook, includedInputs(playbook, given), organizationOf(target));
}

function bound(template: Template, scope: Scope): Json {
  return known(() => bind(template, scope));
}

function actorOf({ operation: { service }, as }: Pick<CallStep, "operation" | "as">, scope: Scope): Json {
  return known(() => {
    return recordedAs(service, callerOf(as, scope));
  });
}

// A value that is missing now counts as a change if there was one before.
function known(evaluate: () => Json): Json {
  try {
    return evaluate();
  } catch (error) {
    if (error instanceof EvaluationFailure) return `nothing (${error.why})`;
    if (error instanceof Failure) return `nothing (${error.message})`;
    throw error;
  }
}
