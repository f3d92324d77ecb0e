import { formatDuration } from "../base/time/duration.ts";
import type { Json, JsonObject } from "../base/json/json.ts";
import { awaitedIn, isExpected, judge } from "../engine/steps/read-step.ts";
import { mayPass } from "../engine/read/ask.ts";
import { bindCall } from "../engine/service/bind-call.ts";
import { callerOf } from "../engine/service/caller.ts";
import type { Place } from "../engine/run/plan-steps.ts";
import { absenceIn } from "../engine/read/not-there.ts";
import { read, type ReadResult } from "../engine/read/read.ts";
import { Unforeseen } from "../expression/unknown.ts";
import type { CallStep } from "../playbook/model.ts";
import type { StepProblem } from "../protocol/record.ts";
import { knownAfter } from "./row.ts";
import type { PlanContext } from "./context.ts";

/** Makes a step's read once and judges it as the run would. The result is certain as long as no write would have come before. */
export async function planRead(context: PlanContext, place: Place, step: CallStep): Promise<void> {
  let actor: string | null = null;
  let response: Json | undefined;
  try {
    actor = callerOf(step.as, context.scopeAt(place)).label;
    const bound = bindCall(context, place, step);
    if ("problem" in bound) return context.fail(place, bound.problem);
    const expects = (reply: Parameters<typeof isExpected>[1]): boolean => isExpected(step, reply);
    const result = await read(context, { operation: step.operation, pages: step.pages, step: place.address, expects, ...bound });
    if (context.disturbed !== undefined) return concludeDisturbed(context, place, { step, result, actor });
    if (result.kind === "read") response = result.payload;
    const absence = result.kind === "failed" && step.until !== undefined ? await absenceIn(context, result) : "nothing";
    if (typeof absence === "object") return context.fail(place, absence.problem);
    const awaited = absence === "not there" ? "waits" : awaitedBy(context, place, step, result);
    if (awaited === "waits") return wait(context, place, step, actor);
    if (awaited !== "holds") return context.fail(place, awaited.problem);
    const judged = judge(context, step, place, result);
    if ("problem" in judged) return context.fail(place, judged.problem);
    context.conclude(place, judged.value, { verdict: "reads", actor });
  } catch (error) {
    if (!(error instanceof Unforeseen)) throw error;
    context.conclude(
      place,
      { ...valueAfter(place, step), ...(response === undefined || step.until !== undefined ? {} : { response }) },
      { verdict: "cannot-know", why: [error.message], actor },
    );
    if (step.until !== undefined) context.disturb(`${place.address} may wait before it`);
  }
}

interface MadeRead {
  readonly step: CallStep;
  readonly result: ReadResult;
  readonly actor: string | null;
}

// In the run, this read may return something else. The plan shows this and does not rely on the answer.
function concludeDisturbed(context: PlanContext, place: Place, { step, result, actor }: MadeRead): void {
  const isAsked = step.expect.length > 0 || step.until !== undefined || step.fails !== undefined;
  const asNow = `the answer may differ in the run: ${context.disturbed ?? ""}`;
  const failed = result.kind === "failed" ? [result.problem.message] : [];
  const verdict = isAsked || result.kind === "failed" ? "cannot-know" : "reads";
  context.conclude(place, valueAfter(place, step), { verdict, why: [...failed, asNow], actor });
}

// Returns `waits` if the expected value may still come, because a run would wait for it.
function awaitedBy(
  context: PlanContext,
  place: Place,
  { until }: CallStep,
  result: ReadResult,
): "holds" | "waits" | { readonly problem: StepProblem } {
  if (until === undefined) return "holds";
  if (result.kind === "failed") return mayPass(result.reply) ? "waits" : "holds";
  const awaited = awaitedIn(context, until, place, result.payload);
  return awaited === "holds" || !awaited.mayHold ? awaited : "waits";
}

function wait(context: PlanContext, place: Place, step: CallStep, actor: string | null): void {
  const after = step.onTimeout === "pending" ? "end as pending" : "fail";
  const why = `this does not hold now: ${step.until?.text.trim() ?? ""}; after ${formatDuration(step.wait?.timeoutMs ?? 0)} it would ${after}`;
  context.conclude(place, valueAfter(place, step), { verdict: "would-wait", why: [why], actor });
  context.disturb(`${place.address} would wait before it`);
}

function valueAfter(place: Place, step: CallStep): JsonObject {
  if (step.fails !== undefined) return { outcome: "ok", refusal: knownAfter(place, "refusal") };
  const envelope = step.operation.service.envelope === undefined ? {} : { envelope: knownAfter(place, "envelope") };
  return { outcome: "ok", response: knownAfter(place, "response"), ...envelope };
}
