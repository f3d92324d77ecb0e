import type { Json, JsonObject } from "../base/json/json.ts";
import { lookWhether } from "../engine/steps/ensure.ts";
import { inputProblem } from "../engine/service/bind-call.ts";
import { callerOf } from "../engine/service/caller.ts";
import { completedInput } from "../operations/completed-input.ts";
import type { Place } from "../engine/run/plan-steps.ts";
import { ifKnown } from "../expression/expression.ts";
import { Unforeseen, unknownValue } from "../expression/unknown.ts";
import type { GivenNames } from "../services/given-names.ts";
import type { CallStep } from "../playbook/model.ts";
import type { StepProblem } from "../protocol/record.ts";
import type { PlanContext, RowDetails } from "./context.ts";
import { knownAfter } from "./row.ts";
import { type ForeseenValue, foreseeObject } from "../engine/run/foresee.ts";

/** Plans a write, without sending it. */
export async function planWrite(context: PlanContext, place: Place, step: CallStep): Promise<void> {
  const scope = context.scopeAt(place);
  const input = foreseeObject(step.with, scope);
  const by = actorOf(() => callerOf(step.as, scope).label);
  const about = { input: input.shown, unknown: input.unknown, actor: by.actor };
  const ensured = await lookAtEnsure(context, place, step);
  if ("problem" in ensured) return context.fail(place, ensured.problem);
  const why = [...by.why, ...ensured.why];
  const value = valueAfter(context, place, { step, input, verdict: ensured.verdict });
  if (ensured.verdict === "already-so") {
    return context.conclude(place, { ...value, ensured: ensured.response }, { ...about, verdict: "already-so", why });
  }
  const problem = input.unknown.length === 0 ? inputProblem(step.operation, input.value) : undefined;
  if (problem !== undefined) return context.fail(place, problem);
  context.conclude(place, value, { ...about, verdict: ensured.verdict, why });
  if (ensured.verdict !== "will-be-refused") context.disturb(`${place.address} would write before it`);
}

// The actor does not change what would happen, so the plan only notes that it is unknown.
function actorOf(find: () => string | null): { readonly actor: string | null; readonly why: readonly string[] } {
  try {
    return { actor: find(), why: [] };
  } catch (error) {
    if (!(error instanceof Unforeseen)) throw error;
    return { actor: null, why: [error.message] };
  }
}

type Ensured =
  | { readonly problem: StepProblem }
  | { readonly verdict: "already-so"; readonly why: readonly string[]; readonly response: Json }
  | { readonly verdict: Exclude<WriteForecast, "already-so">; readonly why: readonly string[] };

type WriteForecast = Extract<
  RowDetails["verdict"],
  "will-create" | "will-change" | "will-be-refused" | "already-so" | "cannot-know"
>;

async function lookAtEnsure(context: PlanContext, place: Place, step: CallStep): Promise<Ensured> {
  const { disturbed } = context;
  const { effect } = step.operation.meaning;
  const written = effect === "unique" || effect === "marked" ? "will-create" : "will-change";
  if (step.ensure === undefined) return { verdict: step.fails === undefined ? written : "will-be-refused", why: [] };
  const asNow = disturbed === undefined ? [] : [`this was checked before the run: ${disturbed}`];
  try {
    const looked = await lookWhether(context, place, step.ensure);
    if (!("problem" in looked)) {
      // An earlier write of this run may undo what is done now.
      if (looked.holds && disturbed !== undefined)
        return { verdict: "cannot-know", why: [`it is done already, but ${disturbed}`] };
      if (looked.holds) return { verdict: "already-so", why: [], response: looked.response };
      return { verdict: step.fails === undefined ? written : "will-be-refused", why: asNow };
    }
    return disturbed === undefined ? looked : { verdict: "cannot-know", why: [looked.problem.message, ...asNow] };
  } catch (error) {
    if (!(error instanceof Unforeseen)) throw error;
    return { verdict: "cannot-know", why: [error.message] };
  }
}

interface PlannedWrite {
  readonly step: CallStep;
  readonly input: ForeseenValue & { readonly value: JsonObject };
  readonly verdict: WriteForecast;
}

// Later steps see what the playbook itself gives. What the service or the run would give is unknown.
function valueAfter(context: PlanContext, place: Place, { step, input, verdict }: PlannedWrite): JsonObject {
  const unknown = (name: string): Json => knownAfter(place, name);
  if (verdict === "will-be-refused") return { outcome: "ok", refusal: unknown("refusal") };
  const { profile } = context.target;
  const whole =
    verdict === "already-so" ? () => input.value : () => completedInput(step.operation, input.value, { names: CHOSEN, profile });
  const given = Object.entries(step.operation.yields).flatMap(([name, { from }]): [string, Json][] => {
    const value = ifKnown(() => from({ input: whole(), payload: null, found: undefined, profile }), undefined);
    if (value !== undefined) return [[name, value]];
    return verdict === "already-so" && input.unknown.length === 0 ? [] : [[name, unknown(name)]];
  });
  if (verdict === "already-so") return { outcome: "unchanged", ...Object.fromEntries(given) };
  const names = [
    "response",
    ...(step.operation.service.receipts === undefined ? [] : ["receipt"]),
    ...(step.operation.service.envelope === undefined ? [] : ["envelope"]),
    ...(step.ensure === undefined ? [] : ["ensured"]),
  ];
  return {
    outcome: verdict === "cannot-know" ? unknown("outcome") : "changed",
    ...Object.fromEntries([...names, ...(step.discover?.outputs.keys() ?? [])].map((name) => [name, unknown(name)])),
    ...Object.fromEntries(given),
  };
}

// A plan has no run id, so the ids derived from it are unknown.
const CHOSEN: GivenNames = { id: () => unknownValue("the run chooses this id when it begins") as string, mark: "" };
