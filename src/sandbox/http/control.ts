import { isoTime } from "../../base/time/date.ts";
import type { FastifyInstance } from "fastify";
import { parseDuration } from "../../base/time/duration.ts";
import { Failure } from "../../base/failure.ts";
import type { Json } from "../../base/json/json.ts";
import { field } from "../../base/json/parts.ts";
import type { Database } from "../../sqlite/database.ts";
import type { FaultInjector } from "../faults/injector.ts";
import { readFaults, type FaultPlan } from "../faults/plan.ts";
import { SANDBOX_LIMITS } from "../limits.ts";
import { demand, ServiceRefusal } from "../refusal.ts";
import { committedWrites } from "../store/commits.ts";
import type { ServiceParts } from "../service.ts";
import type { VirtualClock } from "../store/settings.ts";
import { keyGuard } from "./guard.ts";
import { parseBody } from "./parameters.ts";

/** What the control routes need. */
interface ControlParts extends Pick<ServiceParts, "chain" | "settings" | "past"> {
  readonly database: Database;
  /** The clock, which a request can move forward. */
  readonly clock: VirtualClock;
  /** The active fault plan, which a request can replace. */
  readonly faults: FaultInjector;
}

/** Adds the routes for people who test against the sandbox and have its key. They are not part of the service. */
export function addControlRoutes(app: FastifyInstance, { database, chain, clock, faults, settings, past }: ControlParts): void {
  const forOwner = { onRequest: keyGuard(settings.ledgerApiKey) };
  const present = (): object => ({ status: "ok", now: isoTime(clock.now()) });

  app.get("/_sandbox/health", async () => present());
  app.get("/_sandbox/commits", forOwner, async () => {
    chain.advance(clock.now());
    return { commits: committedWrites(database) };
  });
  app.post("/_sandbox/clock", forOwner, async (request) => {
    const ms = advanceOf(bodyOf(request.body));
    demand(clock.now() + ms < SANDBOX_LIMITS.clockEndMs, "invalid parameters", "the sandbox's clock ends with the year 9999");
    clock.advance(ms);
    chain.advance(clock.now());
    return present();
  });
  app.get("/_sandbox/faults", forOwner, async () => ({ faults: faults.shown() }));
  app.post("/_sandbox/faults", forOwner, async (request) => {
    faults.replace(planOf(bodyOf(request.body)));
    past.keep(faults.needsPast);
    return { faults: faults.shown() };
  });
}

function bodyOf(text: unknown): Json | undefined {
  return typeof text === "string" && text !== "" ? parseBody(text) : undefined;
}

function advanceOf(body: Json | undefined): number {
  const given = field(body, "advance");
  const ms = typeof given === "string" ? parseDuration(given) : undefined;
  if (ms === undefined) throw new ServiceRefusal("invalid parameters", 'the body must read {"advance": "10m"}');
  return ms;
}

function planOf(body: Json | undefined): FaultPlan {
  try {
    return readFaults(body);
  } catch (error) {
    throw error instanceof Failure ? new ServiceRefusal("invalid parameters", error.message) : error;
  }
}
