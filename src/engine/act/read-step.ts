import { formatDuration } from "../../base/duration.ts";
import type { Json, JsonObject } from "../../base/json.ts";
import { refusalMeets } from "../../operations/answer.ts";
import type { Step } from "../../playbook/model.ts";
import type { Place } from "../../protocol/decide.ts";
import type { StepProblem } from "../../protocol/record.ts";
import type { RunContext } from "../context.ts";
import { firstBroken, seen } from "../expectations.ts";
import { mayPass, read, type ReadResult } from "../read.ts";
import { type Look, lookUntil } from "../waiting.ts";
import type { Bound } from "./begin.ts";

interface Begun {
  readonly place: Place;
  readonly startedAt: number;
  readonly bound: Bound;
}

/** Reads, again and again until `until` holds, then looks at the expectations. */
export async function readStep(context: RunContext, step: Step, begun: Begun): Promise<void> {
  let requests = 0;
  let last: ReadResult | undefined;
  const ask = async (): Promise<ReadResult> => {
    last = await read(context, { operation: step.operation, pages: step.pages, ...begun.bound });
    requests += last.requests;
    return last;
  };
  const result = await untilItHolds(context, step, begun, ask);
  if (result === "stopping") return;
  if (result === "late") return timedOut(context, step, begun, { last, requests });
  return conclude(context, step, begun, { ...result, requests });
}

async function untilItHolds(
  context: RunContext,
  step: Step,
  { place }: Begun,
  ask: () => Promise<ReadResult>,
): Promise<ReadResult | "late" | "stopping"> {
  const { until, wait } = step;
  if (until === undefined || wait === undefined) return ask();
  return lookUntil(context, { address: place.address, for: until.text.trim(), wait }, async (): Promise<Look<ReadResult>> => {
    const result = await ask();
    if (result.kind === "failed") return mayPass(result.reply) || result.reply.status === 404 ? "again" : { found: result };
    return until.evaluate(context.scopeAt(step, place, { response: result.payload })) === true ? { found: result } : "again";
  });
}

function conclude(context: RunContext, step: Step, { place, startedAt, bound }: Begun, result: ReadResult): void {
  const about = { startedAt, requests: result.requests, actor: bound.caller.label };
  const ended = judge(context, step, place, result);
  if ("problem" in ended) return context.stop(place, { ...about, outcome: "failed", problem: ended.problem });
  context.note({ kind: "step.completed", step: place.address, outcome: "ok", value: ended.value, ...about });
}

function judge(
  context: RunContext,
  step: Step,
  place: Place,
  result: ReadResult,
): { readonly value: JsonObject } | { readonly problem: StepProblem } {
  if (result.kind === "failed") {
    const { meaning, message, condition } = result.reply;
    const expected =
      step.fails !== undefined &&
      meaning === "refused" &&
      refusalMeets(step.fails, { message, condition: condition ?? undefined });
    return expected ? { value: { outcome: "ok", refusal: message } } : { problem: result.problem };
  }
  if (step.fails !== undefined) return { problem: notRefused(step.fails) };
  const value = valueOf(result.payload, result.envelope);
  const problem = context.asOwn(step, place, { value, evaluate: (scope) => firstBroken(step.expect, scope) });
  return problem === undefined ? { value } : { problem };
}

function valueOf(response: Json, envelope: JsonObject | undefined): JsonObject {
  return { response, outcome: "ok", ...(envelope === undefined ? {} : { envelope }) };
}

/** The problem of a call that was to be refused, and was not. */
export function notRefused(condition: string): StepProblem {
  return { code: "fails.succeeded", message: `the service was to refuse this with "${condition}", and did it` };
}

function timedOut(
  context: RunContext,
  step: Step,
  { place, startedAt, bound }: Begun,
  { last, requests }: { last: ReadResult | undefined; requests: number },
): void {
  const { until, wait, onTimeout } = step;
  const message = `after ${formatDuration(wait?.timeoutMs ?? 0)} this does not hold: ${until?.text.trim() ?? ""}`;
  const scope = last?.kind === "read" ? context.scopeAt(step, place, { response: last.payload }) : undefined;
  const evidence: Json =
    last?.kind === "failed" ? last.problem.message : until !== undefined && scope !== undefined ? seen(until, scope) : null;
  const outcome = onTimeout === "pending" ? "pending" : "failed";
  context.stop(place, {
    startedAt,
    outcome,
    problem: { code: "until.timeout", message, evidence },
    requests,
    actor: bound.caller.label,
  });
}
