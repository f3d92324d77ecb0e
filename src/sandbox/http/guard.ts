import { timingSafeEqual } from "node:crypto";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { hostnameOf, isLoopback } from "../../serving/names.ts";
import { ServiceRefusal } from "../refusal.ts";

const MISDIRECTED = 421;

/** Answers only who asks for the sandbox by one of its names, or by the address that was reached: another name a web page may have let lead here. */
export function guardNames(app: FastifyInstance, names: readonly string[]): void {
  const known = new Set(names.map((name) => name.toLowerCase()));
  app.addHook("onRequest", async ({ headers, socket }, reply) => {
    const { host = "" } = headers;
    const asked = hostnameOf(host).toLowerCase();
    if (isLoopback(asked) || known.has(asked) || asked.replaceAll(/[[\]]/g, "") === socket.localAddress) return undefined;
    const text = "the sandbox is asked by the name of its host only: 127.0.0.1, localhost, or one that it was given\n";
    return reply.status(MISDIRECTED).type("text/plain; charset=utf-8").serializer(String).send(text);
  });
}

/**
 * What demands the ledger's key of a request that is no call of the service: in `X-API-KEY`, or, of a person with a browser, as the password of any name.
 * Throws the refusal.
 */
export function keyGuard(key: string): (request: FastifyRequest, reply: FastifyReply) => Promise<void> {
  return async ({ headers }, reply) => {
    const [, basic = ""] = /^Basic (.+)$/i.exec(headers.authorization ?? "") ?? [];
    const [, password = ""] = /^[^:]*:(.*)$/s.exec(Buffer.from(basic, "base64").toString()) ?? [];
    if ([headers["x-api-key"], password].some((given) => typeof given === "string" && isSame(given, key))) return;
    reply.header("www-authenticate", 'Basic realm="sandbox: the key of the ledger is the password"');
    throw new ServiceRefusal("invalid API key", "the header X-API-KEY holds no valid key");
  };
}

function isSame(given: string, key: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(key)];
  return one.length === other.length && timingSafeEqual(one, other);
}
