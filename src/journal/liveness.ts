import { dirname } from "node:path";
import type { SqlDatabase } from "../sql/database.ts";
import { Heartbeats } from "./heartbeats.ts";
import { Holders, type Liveness } from "./holder.ts";

/** Returns who this process is to others that use the same state, and which of them are alive. */
export function livenessIn(database: SqlDatabase): Liveness {
  if (database.server !== undefined) return new Heartbeats(database, database.server);
  return new Holders(database.file === undefined ? undefined : dirname(database.file));
}
