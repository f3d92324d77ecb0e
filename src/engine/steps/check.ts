import type { CheckStep, Conserve, LookCheck } from "../../playbook/model.ts";
import type { ReadingContext } from "../run/reading-context.ts";
import { judgeConditions, keptOf } from "./expectations.ts";
import type { BegunStep, Place } from "../run/plan-steps.ts";
import { type CheckStepResult, conserve } from "./conserve.ts";
import { sideRead } from "./side-read.ts";

interface BegunCheck extends BegunStep<CheckStep> {
  readonly looks: LookCheck | Conserve;
}

/** Reads again and evaluates the condition of a check. A check of severity `warn` completes in both cases, with its warning. */
export async function check(context: ReadingContext, { place, step, looks, startedAt }: BegunCheck): Promise<void> {
  const checked = await lookAt(context, place, looks);
  const { requests } = checked;
  if ("value" in checked)
    return context.complete(place, { outcome: "ok", value: checked.value, startedAt, requests, ...keptOf(checked.held) });
  const { problem } = checked;
  if (!step.warns) return context.stop(place, { startedAt, outcome: "failed", problem, requests });
  const value = { outcome: "ok" };
  context.complete(place, { outcome: "ok", value, startedAt, requests, warning: problem });
}

async function lookAt(context: ReadingContext, place: Place, looks: LookCheck | Conserve): Promise<CheckStepResult> {
  if (looks.kind === "conserve") return conserve(context, place, looks);
  const result = await sideRead(context, place, looks.read);
  if (!("kind" in result)) return { problem: result.problem, requests: 0 };
  const { requests } = result;
  if (result.kind === "failed") return { problem: result.problem, requests };
  const scope = context.scopeAt(place, { response: result.payload });
  const judged = judgeConditions({ keyword: "that", all: [looks.that], scope });
  return "problem" in judged
    ? { ...judged, requests }
    : { ...judged, value: { response: result.payload, outcome: "ok" }, requests };
}
