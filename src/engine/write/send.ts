import { type Backoff, pauseAfter } from "../../base/time/backoff.ts";
import { field, text } from "../../base/json/parts.ts";
import { present } from "../../base/present.ts";
import { readyToRead } from "../../operations/answer.ts";
import type { WriteStep } from "../../playbook/model.ts";
import { mayStillArrive, standingBaseline } from "../../protocol/attempts.ts";
import type { AttemptAnswered } from "../../protocol/record.ts";
import { stepIn } from "../../protocol/state.ts";
import type { RunContext } from "../run/run-context.ts";
import { explain } from "../service/explain-reply.ts";
import { callerOf, writtenAs } from "../service/caller.ts";
import type { Place } from "../run/plan-steps.ts";
import type { Attempted } from "./attempted.ts";
import type { Bound } from "../service/bind-call.ts";
import type { Reply } from "../service/reply.ts";
import type { Call } from "../service/service.ts";
import { inputSent } from "./intended-input.ts";
import { isBusyAsExpected, judgeRefusal } from "./judge-refusal.ts";
import { baselineOf, isSeparable } from "./probe-reads.ts";
import { whyNotOwn } from "./own-answer.ts";

const NOT_TAKEN: Backoff = { everyMs: 500, backoff: 2, maxMs: 30_000 };

interface WriteToSend {
  readonly place: Place;
  readonly step: WriteStep;
  readonly bound: Bound;
  /** When the step began; only for its first attempt. */
  readonly startedAt?: number;
}

/**
 * Sends a write once. The intent is durable before the first byte leaves, and the answer before anything depends on it. Whenever the
 * process dies, the journal shows whether the write may have been sent. Right before the first byte, the claim and the age of the intent
 * are checked once more, because the process may have been paused.
 */
export async function send(context: RunContext, { place, step, bound, startedAt }: WriteToSend): Promise<void> {
  const { operation } = step;
  const call = { operation, input: bound.input, caller: bound.caller };
  const request = context.service.request(call);
  readyToRead(operation);
  const { attempts } = stepIn(context.state, place.address);
  const { baseline, baselineAt } =
    standingBaseline(attempts) ?? (await baselineOf(context, place, operation.meaning.probe, bound));
  if (context.stopping) return;
  const attempt = attempts.length;
  const ask = context.fence();
  let kept: string | undefined;
  const fence = (): string | undefined => (kept = ask());
  await context.write({
    kind: "attempt.intended",
    step: place.address,
    attempt,
    operation: operation.name,
    actor: bound.caller.label,
    as: writtenAs({ operation, caller: bound.caller }, context.target),
    input: bound.input,
    request: { method: request.method, path: request.path, digest: context.digestOf(request) },
    ...(isSeparable(context, place, { operation, bound }) ? { separable: true } : {}),
    ...present({ baseline, baselineAt, startedAt }),
  });
  const sentAt = context.ports.clock.elapsed();
  const first = await context.whileAwaited((signal) => context.service.send(call, request, { fence, signal }));
  const durationMs = Math.round(context.ports.clock.elapsed() - sentAt);
  // The service gives this answer only once, so we wait here if the database is away. The answer is judged and recorded without a pause in
  // between: otherwise two answers that arrive at the same moment could name one transaction, and both be believed.
  const { recorded } = await context.asked(() => {
    const reply = ownReply(context, { place, step }, { call, attempt, reply: first });
    const message =
      kept ?? (reply.meaning === "acknowledged" ? null : explain(reply, { ...call, target: context.target }).message);
    return { recorded: context.write({ ...answeredBy(reply), step: place.address, attempt, message, durationMs }) };
  });
  await recorded;
}

function answeredBy({
  meaning,
  status,
  answer,
  condition,
  retryAfterMs,
}: Reply): Omit<AttemptAnswered, "step" | "attempt" | "message" | "durationMs"> {
  const payload = answer?.payload ?? null;
  const receiptId = text(field(payload, "receiptId")) ?? null;
  return {
    kind: "attempt.answered",
    meaning,
    status,
    payload,
    envelope: answer?.envelope ?? null,
    receiptId,
    condition,
    retryAfterMs,
  };
}

interface Replied {
  readonly call: Call;
  readonly attempt: number;
  readonly reply: Reply;
}

// An answer that names the transaction of another write, for example one from a cache, proves nothing about this write.
function ownReply(
  context: RunContext,
  { place, step }: Pick<WriteToSend, "place" | "step">,
  { call, attempt, reply }: Replied,
): Reply {
  const state = stepIn(context.state, place.address).attempts[attempt];
  if (reply.answer === undefined || state === undefined) return reply;
  const { payload } = reply.answer;
  const notOwn = whyNotOwn(context, { place, step, state }, payload);
  const { profile } = context.target;
  const why =
    notOwn === undefined ? step.operation.meaning.doubt?.({ input: call.input, payload, profile }) : `the answer ${notOwn}`;
  if (why === undefined) return reply;
  return { ...reply, meaning: "ambiguous", answer: undefined, message: `HTTP ${reply.status}, but ${why}` };
}

/**
 * Sends a write again that surely had no effect, with the same input, after the pause that the service asked for. Does not send it if the step
 * expects this refusal.
 */
export async function sendAgain(context: RunContext, last: Attempted): Promise<void> {
  if (isBusyAsExpected(context, last)) return judgeRefusal(context, last);
  const { place, step, state } = last;
  const sent = inputSent(context, last);
  if ("problem" in sent) {
    const outcome = mayStillArrive(stepIn(context.state, place.address).attempts) ? "unknown" : "failed";
    return context.stop(place, { startedAt: state.intendedAt, outcome, problem: sent.problem });
  }
  const pauseMs = state.answered?.retryAfterMs ?? pauseAfter(NOT_TAKEN, state.intended.attempt);
  await context.pause(Math.min(pauseMs, NOT_TAKEN.maxMs), place.address);
  await context.hold("before", place, () => sent.input);
  if (context.stopping) return;
  // The key may have another entity by now.
  return send(context, { place, step, bound: { ...sent, caller: callerOf(step.as, context.scopeAt(place)) } });
}
