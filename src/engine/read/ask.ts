import { formatDuration } from "../../base/time/duration.ts";
import { LIMITS } from "../../base/limits.ts";
import type { Clock } from "../../base/ports.ts";
import { type Backoff, pauseAfter } from "../../base/time/backoff.ts";
import { pauseWords } from "../../base/time/http-date.ts";
import { retry } from "../../base/time/retry.ts";
import { count } from "../../base/text/text.ts";
import { isNotNow } from "../../protocol/meaning.ts";
import type { StepProblem } from "../../protocol/record.ts";
import { explain } from "../service/explain-reply.ts";
import type { ReadingPort } from "./reading-port.ts";
import { isRedirect } from "../../base/redirect.ts";
import type { Reply } from "../service/reply.ts";
import type { Call } from "../service/service.ts";

/** What is needed to ask the service more than once: the time, and pauses that end when the run must stop. */
export interface Asking {
  /** The service, for reads only. */
  readonly service: ReadingPort;
  /** The clock that measures waits and limits. */
  readonly ports: { readonly clock: Clock };
  /** Aborted when the run must stop, which ends reads and pauses at once. */
  readonly signal: AbortSignal;
  /** Pauses for a step; `step` is `undefined` outside a run. */
  pause(ms: number, step: string | undefined): Promise<void>;
}

/** How long a read may wait and try again. */
export interface Patience {
  /** The step that makes the read, under which its progress and pauses are shown; `undefined` outside a run. */
  readonly step: string | undefined;
  /** Until when it may wait for a busy service, by the clock's elapsed time; if left out, as long as the limits allow. */
  readonly by?: number | undefined;
  /** Whether this answer was expected. Then the read is not repeated, even if the answer is an error. */
  readonly expects?: ((reply: Reply) => boolean) | undefined;
  /** The caller counts failures and retries itself. Then the read is repeated only while the service says "not now". */
  readonly failsAtOnce?: boolean | undefined;
}

/** The last reply to a read, with the number of requests and their duration. */
export interface AskedReply {
  /** The last reply. */
  readonly reply: Reply;
  /** How many requests were made. */
  readonly requests: number;
  /** How long the requests and the pauses between them took, in milliseconds. */
  readonly tookMs: number;
}

const READ_AGAIN: Backoff = { everyMs: 200, backoff: 2, maxMs: LIMITS.heldBackMs };

/** Lets a command outside a run ask the service. */
export function askingOf(service: ReadingPort, { clock, stopping }: { clock: Clock; stopping: AbortSignal }): Asking {
  return { service, ports: { clock }, signal: stopping, pause: (ms) => clock.sleep(ms, stopping) };
}

const OUTSIDE: Patience = { step: undefined };

/** Repeats a read until there is an answer, another attempt cannot help, or the limits are reached. Throws Interrupted when the run must stop. */
export async function ask(asking: Asking, call: Call, patience: Patience = OUTSIDE): Promise<AskedReply> {
  const { step, by = Infinity, expects, failsAtOnce = false } = patience;
  const { clock } = asking.ports;
  const began = clock.elapsed();
  const last = Math.min(by, began + LIMITS.readMs);
  let requests = 0;
  const once = async (): Promise<Reply> => {
    requests++;
    return asking.service.call(call, asking.signal);
  };
  const reply = await retry(once, {
    isFinal: (given) => isFinal(given) || expects?.(given) === true,
    pause: async (given, tries) => {
      const pauseMs = Math.min(given.retryAfterMs ?? pauseAfter(READ_AGAIN, tries), READ_AGAIN.maxMs);
      const most = isBusy(given) ? LIMITS.busyAttempts : failsAtOnce ? 1 : LIMITS.readAttempts;
      if (tries >= most || clock.elapsed() + pauseMs > last) return false;
      await asking.pause(pauseMs, step);
      return true;
    },
  });
  return { reply, requests, tookMs: clock.elapsed() - began };
}

// An answer that is too large would be too large each time.
function isFinal(reply: Reply): boolean {
  return reply.answer !== undefined || reply.tooLarge || !(mayPass(reply) || isElsewhere(reply));
}

/** Explains why a read has no usable answer, after all its attempts. */
export function problemOf({ reply, requests, tookMs }: AskedReply, about: Parameters<typeof explain>[1]): StepProblem {
  const problem = explain(reply, about);
  if (requests === 1) return problem;
  const asked = `tokenbook asked ${count(requests, "time")} within ${spanOf(tookMs)}; it tries one read for at most ${formatDuration(LIMITS.readMs)}${pauseWords(reply)}`;
  return { ...problem, why: problem.why === undefined ? asked : `${problem.why}; ${asked}` };
}

/** Spells a measured time. */
export function spanOf(ms: number): string {
  return formatDuration(Math.max(1, Math.round(ms / 100)) * 100);
}

/**
 * Whether a later attempt may succeed: after a network error, or when a server is busy or failing; not after a refusal, or an answer of
 * another shape.
 */
export function mayPass(reply: Reply): boolean {
  return reply.meaning === "not-sent" || isTrouble(reply);
}

/** Whether the service, or a gateway in front of it, is in trouble: it gave no answer, failed, or is too busy. */
export function isTrouble(reply: Reply): boolean {
  if (reply.meaning === "not-sent") return false;
  if (reply.status === null || isBusy(reply)) return true;
  return reply.meaning === "ambiguous" && (reply.status >= 500 || reply.status === 408);
}

// A web page or a redirect may come from a stand-in for a service that is down, or from a wrong address. The answer of a cache expires.
function isElsewhere({ html, fromCache, status }: Reply): boolean {
  return html || fromCache || isRedirect(status);
}

// For a read, it does not matter whether the service itself answered or a gateway in front of it.
function isBusy({ status, retryAfterMs }: Reply): boolean {
  return isNotNow(status, retryAfterMs !== null);
}
