import { formatDuration } from "../../base/time/duration.ts";
import type { Json, JsonObject } from "../../base/json/json.ts";
import { pauseAfter } from "../../base/time/backoff.ts";
import { retry } from "../../base/time/retry.ts";
import { present } from "../../base/present.ts";
import type { Expression } from "../../expression/expression.ts";
import type { CallStep } from "../../playbook/model.ts";
import type { HeldCondition, StepCompleted, StepProblem } from "../../protocol/record.ts";
import { mayPass } from "../read/ask.ts";
import type { ReadingContext } from "../run/reading-context.ts";
import { recordedActor } from "../service/caller.ts";
import { heldBy, judgeConditions, judgeExpect, keptOf } from "./expectations.ts";
import type { BegunStep, Place } from "../run/plan-steps.ts";
import { absenceIn } from "../read/not-there.ts";
import { type FailedRead, read, type ReadResult } from "../read/read.ts";
import { isExpectedRefusal, notAsExpected, notOwnError, notRefused, saidBy } from "./expected-refusals.ts";
import type { Reply } from "../service/reply.ts";
import { type LookResult, lookUntil } from "../read/look-until.ts";
import type { Bound } from "../service/bind-call.ts";

/** What the attempts of a read have shown so far. */
interface Tries {
  last: ReadResult | undefined;
  /** Why `until` did not hold for the last answer; `undefined` if the last read failed. */
  unmet: StepProblem | undefined;
  requests: number;
}

interface OneRead extends BegunStep<CallStep> {
  readonly bound: Bound;
}

/** Reads until `until` holds, then checks the expectations. Repeats both as often as `retry` allows. */
export async function readStep(context: ReadingContext, begun: OneRead): Promise<void> {
  const { place, step, bound } = begun;
  const tried: Tries = { last: undefined, unmet: undefined, requests: 0 };
  const once = async (): Promise<JudgedRead | "late" | "stopping"> => {
    if (context.stopping) return "stopping";
    const result = await untilItHolds(context, begun, tried);
    return typeof result === "string" || !("kind" in result) ? result : judge(context, step, place, result);
  };
  const pause = async (_judged: unknown, tries: number): Promise<boolean> => {
    if (step.retry === undefined || tries >= step.retry.attempts) return false;
    await context.pause(pauseAfter(step.retry, tries), place.address);
    return true;
  };
  const ended = await retry(once, { isFinal: (judged) => typeof judged === "string" || "value" in judged, pause });
  if (ended === "stopping") return;
  if (ended === "late") return timedOut(context, begun, tried);
  conclude(context, begun, ended, { requests: tried.requests, ...recordedActor({ ...step, ...bound }) });
}

async function untilItHolds(
  context: ReadingContext,
  begun: OneRead,
  tried: Tries,
): Promise<ReadResult | Problem | "late" | "stopping"> {
  const { place, step } = begun;
  const { until, wait } = step;
  if (until === undefined || wait === undefined) return ask(context, begun, tried);
  const look = async (by: number): Promise<LookResult<ReadResult | Problem>> => {
    const result = await ask(context, begun, tried, by);
    if (result.kind === "failed") return mayPass(result.reply) ? "again" : notYet(context, result);
    const awaited = awaitedIn(context, until, place, result.payload);
    if (awaited === "holds") return { found: result };
    if (!awaited.mayHold) return { found: { problem: awaited.problem } };
    tried.unmet = awaited.problem;
    return "again";
  };
  return lookUntil(context, { address: place.address, for: until.text.trim(), wait }, look);
}

async function ask(context: ReadingContext, { place, step, bound }: OneRead, tried: Tries, by?: number): Promise<ReadResult> {
  const { operation, pages, retry: retries } = step;
  const expects = (reply: Reply): boolean => isExpected(step, reply);
  const failsAtOnce = retries !== undefined;
  const last = await read(context, { operation, pages, step: place.address, expects, by, failsAtOnce, ...bound });
  tried.requests += last.requests;
  tried.last = last;
  tried.unmet = undefined;
  return last;
}

/**
 * Returns whether `until` holds for an answer. If not, returns why, and whether it may hold later: a missing value may still appear, but a condition that is
 * no boolean stays so.
 */
export function awaitedIn(
  context: ReadingContext,
  until: Expression,
  place: Place,
  response: Json,
): "holds" | { readonly mayHold: boolean; readonly problem: StepProblem } {
  const judged = judgeConditions({ keyword: "until", all: [until], scope: context.scopeAt(place, { response }) });
  if ("held" in judged) return "holds";
  return { mayHold: judged.gave !== "no boolean", problem: { ...judged.problem, code: "until.unclear" } };
}

/** Looks again if the service says that the thing does not exist yet. Any other failure is the result of the read. */
async function notYet(context: ReadingContext, failed: FailedRead): Promise<LookResult<ReadResult>> {
  const absence = await absenceIn(context, failed);
  if (absence === "not there") return "again";
  return { found: absence === "nothing" ? failed : { ...failed, problem: absence.problem } };
}

/** The result of a read: a value with the conditions that held, or a problem. */
export type JudgedRead = { readonly value: JsonObject; readonly held: readonly HeldCondition[] } | Problem;

interface Problem {
  readonly problem: StepProblem;
}

function conclude(
  context: ReadingContext,
  { place, startedAt }: OneRead,
  ended: JudgedRead,
  by: Pick<StepCompleted, "requests" | "actor" | "as">,
): void {
  const about = { startedAt, ...by };
  if ("problem" in ended) return context.stop(place, { ...about, outcome: "failed", problem: ended.problem });
  context.complete(place, { outcome: "ok", value: ended.value, ...about, ...keptOf(ended.held) });
}

/** Returns the value that later steps see, or why the read is not as expected. */
export function judge(context: ReadingContext, step: CallStep, place: Place, result: ReadResult): JudgedRead {
  if (result.kind === "failed") {
    const { reply, problem } = result;
    if (isExpected(step, reply)) return { value: { outcome: "ok", refusal: reply.message }, held: [] };
    if (saysNo(reply)) return { problem: notAsExpected(step, saidBy(reply), problem) };
    const { service } = step.operation;
    const isForeign = isError(reply) && !reply.html;
    return {
      problem: isForeign ? notOwnError(step, problem, context.target.whereIs(`profile.${service.name}.errors`)) : problem,
    };
  }
  if (step.fails !== undefined) return { problem: notRefused(step.fails) };
  const value = valueOf(result.payload, result.envelope);
  const judged = judgeExpect(context, place, step, value);
  if ("problem" in judged) return judged;
  const until = step.until === undefined ? [] : [step.until];
  const awaited = heldBy({ keyword: "until", all: until, scope: context.scopeAt(place, { response: result.payload }) });
  return { value, held: [...awaited, ...judged.held] };
}

/**
 * Whether the service refused a read as the step expects. Any error of the service counts, since a read changes nothing; for a write, a
 * server error is no answer. An error of a gateway is not a refusal by the service.
 */
export function isExpected(step: CallStep, reply: Reply): boolean {
  return saysNo(reply) && isExpectedRefusal(step, saidBy(reply));
}

function saysNo(reply: Reply): boolean {
  return isError(reply) && !reply.foreign;
}

function isError({ status }: Reply): boolean {
  return status !== null && status >= 400;
}

function valueOf(response: Json, envelope: JsonObject | undefined): JsonObject {
  return { response, outcome: "ok", ...present({ envelope }) };
}

function timedOut(context: ReadingContext, { place, step, startedAt, bound }: OneRead, { last, unmet, requests }: Tries): void {
  const { until, wait, onTimeout } = step;
  const why = unmet?.message ?? `this does not hold: ${until?.text.trim() ?? ""}`;
  const message = `after ${formatDuration(wait?.timeoutMs ?? 0)} ${why}`;
  const evidence = last?.kind === "failed" ? last.problem.message : (unmet?.evidence ?? null);
  const outcome = onTimeout === "pending" ? "pending" : "failed";
  context.stop(place, {
    startedAt,
    outcome,
    problem: { ...unmet, code: "until.timeout", message, evidence },
    requests,
    ...recordedActor({ ...step, ...bound }),
  });
}
