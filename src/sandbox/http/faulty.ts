import type { FastifyReply } from "fastify";
import { writeJson } from "../../base/json.ts";
import { systemClock } from "../../base/ports.ts";
import type { Effect } from "../faults/effect.ts";
import type { WriteFault } from "../ledger/chain.ts";
import type { Answer } from "./face.ts";

const SECOND_MS = 1_000;
const GARBAGE = "\u0000{]not json";
const HTML = "<!doctype html><html><head><title>502 Bad Gateway</title></head><body><h1>Bad Gateway</h1></body></html>";

/** A call that a fault has struck. */
export interface StruckCall {
  readonly reply: FastifyReply;
  /** Aborted when the sandbox closes. */
  readonly closing: AbortSignal;
  /** Answers a read as the service was so long ago. */
  ago(ms: number): Promise<Answer>;
  /** Does what was asked, and tells the answer, or the refusal. */
  perform(fault?: WriteFault): Promise<Answer>;
  /** An error of the interface with this status, which says that a fault was planned. */
  broken(status: number): Answer;
  answer(answer: Answer): FastifyReply;
}

/** Serves a call as the fault has it. */
export async function serveStruck(effect: Effect, call: StruckCall): Promise<FastifyReply> {
  if (effect.kind === "drop-before") return drop(call.reply);
  if (effect.kind === "status") {
    if (effect.retryAfterMs !== undefined) call.reply.header("retry-after", Math.ceil(effect.retryAfterMs / SECOND_MS));
    return call.answer(call.broken(effect.status));
  }
  if (effect.kind === "stale") return call.answer(await call.ago(effect.ms));
  const answer = await call.perform(effect.kind === "receipt" ? effect.write : undefined);
  if (effect.kind === "delay") await systemClock.sleep(effect.ms, call.closing);
  return spoil(effect, call, answer);
}

function spoil(
  effect: Exclude<Effect, { readonly kind: "drop-before" | "status" | "stale" }>,
  call: StruckCall,
  answer: Answer,
): FastifyReply {
  switch (effect.kind) {
    case "delay":
    case "receipt":
      return call.answer(answer);
    case "drop-after":
      return drop(call.reply);
    case "status-after":
      return call.answer(call.broken(effect.status));
    case "garbage":
      return sendText(call.reply, answer.status, "application/json; charset=utf-8", GARBAGE);
    case "html":
      return sendText(call.reply, answer.status, "text/html; charset=utf-8", HTML);
    case "truncated":
      return truncate(call.reply, answer);
    default:
      return drop(call.reply);
  }
}

function sendText(reply: FastifyReply, status: number, type: string, text: string): FastifyReply {
  // An answer without content cannot carry a body, however broken.
  return reply
    .status(status === 204 ? 200 : status)
    .type(type)
    .serializer(String)
    .send(text);
}

// Promises the whole body, sends half of it, and hangs up.
function truncate(reply: FastifyReply, { status, body }: Answer): FastifyReply {
  if (body === undefined) return drop(reply);
  const bytes = Buffer.from(writeJson(body));
  reply.hijack();
  reply.raw.writeHead(status, { "content-type": "application/json; charset=utf-8", "content-length": bytes.length });
  reply.raw.write(bytes.subarray(0, bytes.length / 2), () => reply.raw.destroy());
  return reply;
}

function drop(reply: FastifyReply): FastifyReply {
  reply.hijack();
  reply.raw.destroy();
  return reply;
}
