import type { Json } from "../../base/json/json.ts";
import { yieldsOf } from "../../operations/operation.ts";
import type { CallStep, Ensure, Waiting } from "../../playbook/model.ts";
import type { HeldCondition, StepProblem } from "../../protocol/record.ts";
import type { Bound } from "../service/bind-call.ts";
import { recordedActor } from "../service/caller.ts";
import type { ReadingContext } from "../run/reading-context.ts";
import { judgeConditions, keptOf } from "./expectations.ts";
import type { BegunStep, Place } from "../run/plan-steps.ts";
import { absenceIn } from "../read/not-there.ts";
import { type LookResult, lookUntil } from "../read/look-until.ts";
import { sideRead } from "./side-read.ts";

/** Returns how long and how often to look for what was written. */
export function rereading(withinMs: number = USUAL_WITHIN_MS): Waiting {
  return { timeoutMs: withinMs, everyMs: 50, backoff: 2, maxMs: 1_000 };
}

const USUAL_WITHIN_MS = 10_000;

interface BegunEnsure extends BegunStep<CallStep> {
  readonly ensure: Ensure;
  readonly bound: Bound;
}

/**
 * Checks whether the state that a write should bring about exists already. Then the step is complete, and nothing is sent. A failed read, or
 * a condition that is neither true nor false, stops the step, since nothing is written in doubt.
 */
export async function holdsAlready(
  context: ReadingContext,
  { place, step, ensure, startedAt, bound }: BegunEnsure,
): Promise<boolean> {
  const looked = await lookWhether(context, place, ensure);
  if ("problem" in looked) {
    context.stop(place, { startedAt, outcome: "failed", problem: looked.problem });
    return true;
  }
  if (!looked.holds || context.stopping) return context.stopping;
  // Only ids that the playbook gives: an id that the run would choose does not exist yet.
  const known = { input: bound.input, payload: null, found: undefined, profile: context.target.profile };
  context.complete(place, {
    outcome: "unchanged",
    value: { outcome: "unchanged", ensured: looked.response, ...yieldsOf(step.operation, known) },
    startedAt,
    requests: looked.requests,
    ...keptOf(looked.held),
    ...recordedActor({ ...step, ...bound }),
  });
  return true;
}

/** Waits after a write until its `ensure` holds. Returns the answer for which it held, or why it did not. */
export async function becomesSo(context: ReadingContext, place: Place, ensure: Ensure): Promise<Became | "stopping"> {
  let broken: StepProblem = { code: "ensure.not-so", message: `this does not hold: ${ensure.that.text.trim()}` };
  const about = { address: place.address, for: ensure.that.text.trim(), wait: rereading(ensure.withinMs) };
  const found = await lookUntil(context, about, async (): Promise<LookResult<Became>> => {
    const looked = await lookWhether(context, place, ensure);
    if ("problem" in looked) {
      if (looked.mayClear === undefined) return { found: looked };
      broken = looked.problem;
    } else {
      if (looked.holds) return { found: looked };
      broken = looked.broken;
    }
    return "again";
  });
  return found === "late" ? { problem: { ...broken, code: "ensure.not-so" } } : found;
}

type Became = Exclude<LookOutcome, { readonly holds: false }>;

/** The result of a look. */
export type LookOutcome =
  | {
      /** Why the look proves nothing. */
      readonly problem: StepProblem;
      /** A later look may succeed, since only a part of the answer was missing. */
      readonly mayClear?: true;
    }
  | {
      readonly holds: true;
      readonly response: Json;
      readonly requests: number;
      readonly held: readonly HeldCondition[];
    }
  | { readonly holds: false; readonly broken: StepProblem };

/** Reads whether `ensure` holds. It does not hold if the condition is plainly false, or the thing does not exist (decision 43). */
export async function lookWhether(context: ReadingContext, place: Place, ensure: Ensure): Promise<LookOutcome> {
  const result = await sideRead(context, place, ensure.read);
  if (!("kind" in result)) return result;
  if (result.kind === "failed") {
    const absence = await absenceIn(context, result);
    if (typeof absence === "object") return absence;
    return absence === "not there" ? { holds: false, broken: result.problem } : { problem: result.problem };
  }
  const { payload, requests } = result;
  const scope = context.scopeAt(place, { response: payload });
  const judged = judgeConditions({ keyword: "ensure", all: [ensure.that], scope });
  if ("held" in judged) return { holds: true, response: payload, requests, ...judged };
  if (judged.gave === false) return { holds: false, broken: judged.problem };
  const problem: StepProblem = { ...UNCLEAR, ...judged.problem, code: "ensure.unclear" };
  return judged.gave === "no value" ? { problem, mayClear: true } : { problem };
}

const UNCLEAR: Pick<StepProblem, "why" | "next"> = {
  why: "so it is unclear whether the write is already done, and in doubt nothing is sent",
  next: "make `that` true or false for every answer; a field that may be absent needs has(response.FIELD) before it",
};
