import { LIMITS } from "../base/limits.ts";
import type { ServerPlace } from "../sql/place.ts";
import { ask } from "./bridge.ts";
import { pathOf } from "./database.ts";
import { failureOf } from "./failure.ts";

/** Shows on a server that this process is alive, from now on. Throws a Failure when the first beat fails; later ones are tried again. */
export function startBeat(server: ServerPlace, name: string): void {
  const address = { url: server.url.reveal(), schema: server.schema };
  const answer = ask({ kind: "beat", name, address, everyMs: LIMITS.beatMs });
  if ("error" in answer) throw failureOf(pathOf(server), answer.error);
}

/** Shows it no longer. */
export function stopBeat(name: string): void {
  ask({ kind: "still", name });
}
