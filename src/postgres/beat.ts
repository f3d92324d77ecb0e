import { LIMITS } from "../base/limits.ts";
import type { ServerPlace } from "../sql/place.ts";
import { ask } from "./bridge.ts";
import { pathOf } from "./database.ts";
import { failureOf } from "./failure.ts";

/** Starts showing on a server that this process is alive. Throws a Failure if the first heartbeat fails; later ones are retried. */
export function startBeat(server: ServerPlace, name: string): void {
  const address = { url: server.url.reveal(), schema: server.schema };
  const answer = ask({ kind: "beat", name, address, everyMs: LIMITS.beatMs });
  if ("error" in answer) throw failureOf(pathOf(server), answer.error);
}

/** Stops the heartbeat. */
export function stopBeat(name: string): void {
  ask({ kind: "still", name });
}
