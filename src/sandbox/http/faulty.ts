import type { FastifyReply } from "fastify";
import { writeJson } from "../../base/json/json.ts";
import { systemClock } from "../../base/ports.ts";
import type { Effect, GatewayEffect } from "../faults/effect.ts";
import type { WriteFault } from "../ledger/chain.ts";
import type { Condition } from "../refusal.ts";
import type { WireAnswer } from "./face.ts";

const SECOND_MS = 1_000;
const GARBAGE = "\u0000{]not json";
const HTML = "<!doctype html><html><head><title>502 Bad Gateway</title></head><body><h1>Bad Gateway</h1></body></html>";

/** A call that a fault affects. */
interface StruckCall {
  /** The reply for the answer, or for its broken form. */
  readonly reply: FastifyReply;
  /** Aborted when the sandbox closes. */
  readonly closing: AbortSignal;
  /** Returns the answer to a read as of `ms` milliseconds ago. */
  ago(ms: number): Promise<WireAnswer>;
  perform(fault?: WriteFault): Promise<WireAnswer>;
  /** Returns an error of the interface with this condition and status, which says that a fault was planned. */
  broken(condition: Condition, status: number): WireAnswer;
  answer(answer: WireAnswer): FastifyReply;
}

/** Handles a call with the effect of a fault. */
export async function serveStruck(effect: Effect, call: StruckCall): Promise<FastifyReply> {
  const { reply } = call;
  switch (effect.kind) {
    case "drop-before":
      return drop(reply);
    case "status":
      askForPatience(reply, effect);
      return call.answer(call.broken(conditionOf(effect), effect.status));
    case "stale":
      return call.answer(await call.ago(effect.ms));
    case "receipt":
      return call.answer(await call.perform(effect.write));
    case "gateway":
      if (effect.when === "afterwards") await call.perform();
      return answerAsGateway(reply, effect);
    case "delay": {
      const answer = await call.perform();
      await systemClock.sleep(effect.ms, call.closing);
      return call.answer(answer);
    }
    case "drop-after":
      await call.perform();
      return drop(reply);
    case "status-after":
      await call.perform();
      return call.answer(call.broken("server error", effect.status));
    case "garbage":
      return sendText(reply, (await call.perform()).status, "application/json; charset=utf-8", GARBAGE);
    case "html":
      return sendText(reply, (await call.perform()).status, "text/html; charset=utf-8", HTML);
    case "truncated":
      return truncate(reply, await call.perform());
  }
}

// A service that says "not now" took nothing, so its words must not be those of a server that failed, whose write may have taken effect.
function conditionOf({ status, retryAfterMs }: Extract<Effect, { readonly kind: "status" }>): Condition {
  return status === 429 || (status === 503 && retryAfterMs !== undefined) ? "too many requests" : "server error";
}

// Answers like real gateways: like Envoy, like an API gateway, or without a body.
function answerAsGateway(reply: FastifyReply, effect: GatewayEffect): FastifyReply {
  askForPatience(reply, effect);
  switch (effect.body) {
    case "json":
      return sendText(reply, effect.status, "application/json", '{"message":"the gateway could not serve this"}');
    case "text":
      return sendText(
        reply,
        effect.status,
        "text/plain; charset=utf-8",
        "upstream connect error or disconnect/reset before headers",
      );
    case "empty":
      return reply.status(effect.status).send();
  }
}

function askForPatience(reply: FastifyReply, { retryAfterMs }: { readonly retryAfterMs?: number }): void {
  if (retryAfterMs !== undefined) reply.header("retry-after", Math.ceil(retryAfterMs / SECOND_MS));
}

function sendText(reply: FastifyReply, status: number, type: string, text: string): FastifyReply {
  // An answer without content cannot have a body, not even a broken one.
  return reply
    .status(status === 204 ? 200 : status)
    .type(type)
    .serializer(String)
    .send(text);
}

// Promises the whole body, sends half of it, and closes the connection.
function truncate(reply: FastifyReply, { status, body }: WireAnswer): FastifyReply {
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
