import { organizationOf } from "../environment/target.ts";
import { Failure } from "../base/failure.ts";
import { isObject, type Json, type JsonObject } from "../base/json/json.ts";
import { count } from "../base/text/text.ts";
import { callerOf } from "../engine/service/caller.ts";
import { end, outputsOf } from "../engine/steps/end-block.ts";
import { foresee, foreseeObject, foreseenInputs } from "../engine/run/foresee.ts";
import type { Place } from "../engine/run/plan-steps.ts";
import { EvaluationFailure, type Scope } from "../expression/expression.ts";
import { Unforeseen, unknownValue } from "../expression/unknown.ts";
import { includedInputs, inOrganization } from "../playbook/inputs/given-inputs.ts";
import type { BlockStep, CallStep, IncludeStep, Playbook } from "../playbook/model.ts";
import type { InputDeclaration } from "../playbook/declarations.ts";
import { hasWrites, stepsIn } from "../playbook/playbook-walk.ts";
import { frameOf, parseAddress, roundOf } from "../protocol/address.ts";
import type { Ending } from "../protocol/decide.ts";
import type { PlanContext, RowDetails } from "./context.ts";
import { knownAfter, type PlannedPlace } from "./row.ts";

/** Opens a block. Its steps are planned as if none of them failed, unless one certainly does. */
export function openBlock(context: PlanContext, place: Place, { rescue, always }: BlockStep): void {
  const why = [
    ...(rescue.length === 0 ? [] : [`${count(rescue.length, "step")} of \`rescue\` run only when one of its steps fails`]),
    ...(always.length === 0 ? [] : [`${count(always.length, "step")} of \`always\` run whatever happens`]),
  ];
  context.note({ kind: "step.begun", step: place.address });
  context.say(place, { verdict: "opens", why });
}

/** Opens an included playbook with the inputs that can be known. */
export function openInclude(context: PlanContext, place: Place, step: IncludeStep): void {
  const scope = context.scopeAt(place);
  const given = new Map(Array.from(step.inputs, ([name, template]) => [name, foresee(template, scope, name)] as const));
  const isKnown = ({ name }: InputDeclaration): boolean => (given.get(name)?.unknown.length ?? 0) === 0;
  // Known inputs are checked as usual.
  const known: Playbook = { ...step.playbook, inputs: step.playbook.inputs.filter(isKnown) };
  const valuesOf = (wanted: (declaration: InputDeclaration) => boolean): JsonObject =>
    Object.fromEntries(
      step.playbook.inputs.flatMap((input): [string, Json][] => {
        const value = wanted(input) ? given.get(input.name)?.value : undefined;
        return value === undefined ? [] : [[input.name, value]];
      }),
    );
  try {
    const checked = inOrganization(known, includedInputs(known, valuesOf(isKnown)), organizationOf(context.target));
    context.note({
      kind: "step.begun",
      step: place.address,
      inputs: { ...checked, ...valuesOf((input) => !isKnown(input)) },
    });
    const unknown = [...given.values()].flatMap((input) => input.unknown);
    context.say(place, { verdict: "opens", unknown });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    context.fail(place, { code: "input.invalid", message: error.message });
  }
}

/** Ends a block or an included playbook after all its steps are planned. */
export function close(context: PlanContext, place: Place, ending: Ending): void {
  if (ending.outcome === "failed") return end(context, place, ending);
  const said = context.row(place.address) ?? { verdict: "opens" };
  const outcome = ending.outcome === "rescued" ? "rescued" : outcomeOf(context, place, ending.holds);
  const outputs = outputsOf(context, place, (template, scope) => foresee(template, scope).value);
  context.conclude(place, { outcome, ...outputs }, said);
}

// As in a run, the outcome is changed if a part is changed, and unchanged if every write was unnecessary.
function outcomeOf(context: PlanContext, place: Place, holds: readonly string[]): Json {
  const { step, address } = place;
  const rows = holds.flatMap((held) => context.row(held) ?? []);
  if (step.kind === "block" && step.rescue.length > 0 && rows.some(({ verdict }) => MAY_FAIL.has(verdict))) {
    if (hasWrites(step.rescue)) context.disturb(`${address} may write before it`);
    return knownAfter(place, "outcome", ": it may be rescued");
  }
  if (rows.some(({ verdict }) => verdict === "will-create" || verdict === "will-change")) return "changed";
  if (rows.some(({ verdict, writes }) => verdict === "cannot-know" && writes !== null)) return knownAfter(place, "outcome");
  return rows.some(({ verdict }) => verdict === "already-so") ? "unchanged" : "ok";
}

const MAY_FAIL: ReadonlySet<RowDetails["verdict"]> = new Set(["cannot-know", "would-wait"]);

/** Records that a step and all steps inside it cannot be predicted, with the known parts of their inputs, because they may be sent. */
export function cannotKnow(context: PlanContext, place: Place, why: string): void {
  const { step, address } = place;
  const scope = inRound(context.scopeAt(place), step, address);
  context.conclude(place, {}, { verdict: "cannot-know", why: [why], ...inputIn(step, scope) });
  context.hide(place.address, why);
  const { frame, keys } = parseAddress(address);
  const suffix = keys.reduce((below, key) => roundOf(below, key), "");
  const unknown = `only when ${address} is known`;
  if (step.kind === "block") {
    const all = [...stepsIn([step])].slice(1);
    const inside = all.reduce((outer, held) => inRound(outer, held, address), withUnknownSteps(scope, all, unknown));
    for (const held of all) {
      const inner = `${frame}${held.id}${suffix}`;
      context.hide(inner, why);
      concludeUnknown(context, { step: held, address: inner, within: place.within }, { why: unknown, scope: inside });
    }
  } else if (step.kind === "include") concludeIncluded(context, place, { why: unknown, scope });
  if (step.kind !== "check" && hasWrites([step])) context.disturb(`${address} may write before it`);
}

/** Why steps cannot be predicted, and the names that they can still use. */
interface Doubt {
  readonly why: string;
  readonly scope: Scope;
}

function concludeUnknown(context: PlanContext, at: PlannedPlace, doubt: Doubt): void {
  context.say(at, { verdict: "cannot-know", why: [doubt.why], ...inputIn(at.step, doubt.scope) });
  concludeIncluded(context, at, doubt);
}

function concludeIncluded(context: PlanContext, { step, address, within }: PlannedPlace, { why, scope }: Doubt): void {
  if (step.kind !== "include") return;
  const all = [...stepsIn(step.playbook.steps), ...step.playbook.checks];
  const inputs = foreseenInputs(step, scope);
  const inside = all.reduce(
    (outer, held) => inRound(outer, held, address),
    withUnknownSteps({ ...context.scopeIn(step.playbook), inputs }, all, why),
  );
  for (const held of all)
    concludeUnknown(context, { step: held, address: `${frameOf(address)}${held.id}`, within }, { why, scope: inside });
}

// An item is known only if its list is.
function inRound(scope: Scope, { foreach }: Place["step"], address: string): Scope {
  if (foreach === undefined) return scope;
  return { ...scope, [foreach.variable]: unknownValue(`${foreach.variable} is known only in a round of ${address}`) };
}

function withUnknownSteps(scope: Scope, steps: readonly Place["step"][], why: string): Scope {
  const before = isObject(scope["steps"]) ? scope["steps"] : {};
  const unknown = steps.map(({ id }) => [id, unknownValue(why)] as const);
  return { ...scope, steps: { ...before, ...Object.fromEntries(unknown) } };
}

// If an input has no value yet, nothing is shown, because it is not known whether the step runs.
function inputIn(step: Place["step"], scope: Scope): Pick<RowDetails, "input" | "unknown" | "actor"> {
  if (step.kind !== "call") return {};
  try {
    const { shown, unknown } = foreseeObject(step.with, scope);
    return { input: shown, unknown, actor: actorIn(step, scope) };
  } catch (error) {
    if (!(error instanceof EvaluationFailure)) throw error;
    return {};
  }
}

function actorIn({ as }: CallStep, scope: Scope): string | null {
  try {
    return callerOf(as, scope).label;
  } catch (error) {
    if (error instanceof Unforeseen) return null;
    throw error;
  }
}
