import { FAULT_OF_THE_PLAN } from "../faults/effect.ts";
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { writeJson } from "../../base/json/json.ts";
import { contract, type ContractOperation } from "../../contract/contract.ts";
import type { FaultInjector } from "../faults/injector.ts";
import type { WriteFault } from "../ledger/chain.ts";
import { limitConnections } from "../../serving/connections.ts";
import { SANDBOX_LIMITS } from "../limits.ts";
import { ServiceRefusal, type Condition } from "../refusal.ts";
import type { ServiceParts } from "../service.ts";
import type { VirtualClock } from "../store/settings.ts";
import { answerOf, asRefusal, type WireAnswer, type WireRequest, type Face, type Faces } from "./face.ts";
import { guardNames } from "./guard.ts";
import { serveStruck } from "./faulty.ts";

/** What the server needs for its routes. */
interface ServerParts extends Pick<ServiceParts, "faces" | "ago"> {
  /** The clock for the Date header of every answer. */
  readonly clock: VirtualClock;
  /** Decides which calls go wrong, and how. */
  readonly faults: FaultInjector;
  /** The names that requests may use for the sandbox, besides those of the loopback interface. */
  readonly names: readonly string[];
  /** Aborted when the sandbox closes. */
  readonly closing: AbortSignal;
}

/** Builds an HTTP server with a route for every operation of the contract. */
export function buildServer(parts: ServerParts): FastifyInstance {
  const { faces, clock, names } = parts;
  // Clients compare the Date header with timestamps, so both must come from the same clock.
  const stamped = (reply: FastifyReply): FastifyReply => reply.header("date", new Date(clock.now()).toUTCString());
  const refuse = (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply =>
    send(stamped(reply), faceAskedFor(faces, request).refuse(asRefusal(error)));
  const app = Fastify({
    logger: false,
    // A path that cannot be decoded reaches neither hooks nor routes.
    frameworkErrors: refuse,
    routerOptions: { maxParamLength: SANDBOX_LIMITS.pathCharacters },
    bodyLimit: SANDBOX_LIMITS.bodyBytes,
    forceCloseConnections: true,
    exposeHeadRoutes: false,
    requestTimeout: SANDBOX_LIMITS.requestMs,
    http: {
      headersTimeout: SANDBOX_LIMITS.requestMs,
      connectionsCheckingInterval: SANDBOX_LIMITS.lookMs,
      insecureHTTPParser: false,
    },
  });
  limitConnections(app.server, SANDBOX_LIMITS.connections);
  guardNames(app, names);
  takeTextBodies(app);
  app.setReplySerializer((payload) => writeJson(payload));
  app.addHook("onRequest", async (_request, reply) => void stamped(reply));
  for (const operation of Object.values(contract.operations)) route(app, parts, operation);
  app.setNotFoundHandler((request, reply) => {
    const refusal = new ServiceRefusal("route not found", `there is no ${request.method} ${request.url.split("?")[0]}`);
    return refuse(refusal, request, reply);
  });
  app.setErrorHandler(refuse);
  return app;
}

/** Sends an answer with exact numbers. */
function send(reply: FastifyReply, { status, body }: WireAnswer): FastifyReply {
  return reply.status(status).send(body);
}

// A body is parsed only after the caller is authenticated, so that a stranger learns nothing about it.
function takeTextBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "string" }, (_request, body, done) => done(null, body));
}

interface AskedParts {
  readonly Params: WireRequest["params"];
  readonly Querystring: WireRequest["query"];
}

function route(app: FastifyInstance, { faces, faults, ago, closing }: ServerParts, operation: ContractOperation): void {
  const face = faces[operation.interface];
  const handler = async (request: FastifyRequest<AskedParts>, reply: FastifyReply): Promise<FastifyReply> => {
    const perform = (fault?: WriteFault): Promise<WireAnswer> => answerOf(face, operation, request, fault);
    const effect = faults.take(operation.name);
    if (effect === undefined) return send(reply, await perform());
    const broken = (condition: Condition, status: number): WireAnswer => {
      return { ...face.refuse(new ServiceRefusal(condition, FAULT_OF_THE_PLAN), operation), status };
    };
    const performAgo = (ms: number): Promise<WireAnswer> => ago(ms, () => perform());
    return serveStruck(effect, { reply, closing, ago: performAgo, perform, broken, answer: (answer) => send(reply, answer) });
  };
  app.route({ method: operation.method, url: face.root + operation.path.replaceAll(/\{(\w+)\}/g, ":$1"), handler });
}

function faceAskedFor(faces: Faces, request: FastifyRequest): Face {
  return request.url.startsWith(faces.investor.root) ? faces.investor : faces.ledger;
}
