import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { hostnameOf, isLoopback } from "../../serving/names.ts";
import { isSameSecret } from "../../serving/same-secret.ts";
import { ServiceRefusal } from "../refusal.ts";

const MISDIRECTED = 421;

/**
 * Refuses requests that do not name the sandbox by one of its names, or by the address that was reached. A web page could make another name resolve to this
 * machine.
 */
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
 * Returns a hook that requires the ledger's key for a request outside the service: in `X-API-KEY`, or, for a person with a browser, as the password of any user
 * name. Throws a refusal.
 */
export function keyGuard(key: string): (request: FastifyRequest, reply: FastifyReply) => Promise<void> {
  return async ({ headers }, reply) => {
    const [, basic = ""] = /^Basic (.+)$/i.exec(headers.authorization ?? "") ?? [];
    const [, password = ""] = /^[^:]*:(.*)$/s.exec(Buffer.from(basic, "base64").toString()) ?? [];
    if ([headers["x-api-key"], password].some((given) => typeof given === "string" && isSameSecret(given, key))) return;
    reply.header("www-authenticate", 'Basic realm="sandbox: the key of the ledger is the password"');
    throw new ServiceRefusal("invalid API key", "the header X-API-KEY holds no valid key");
  };
}
