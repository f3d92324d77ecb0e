import { parseJson, type Json } from "../../base/json/json.ts";
import type { Database } from "../../sqlite/database.ts";
import { committedWrites, type LoggedCommit } from "./commits.ts";

/** A resource as it is stored. */
export interface StoredResource {
  /** The word that its kind is stored with. */
  readonly kind: string;
  /** The key under which it is stored, which is unique within its kind. */
  readonly id: string;
  /** The resource, its numbers exact. */
  readonly value: Json;
}

/** All that a sandbox holds, and every write that made it so, in the order in which things were made. */
export interface Contents {
  /** Every committed write of both interfaces, in the order in which they took effect. */
  readonly commits: readonly LoggedCommit[];
  /** In the order of creation. */
  readonly resources: readonly StoredResource[];
}

/** Reads all that a sandbox holds. */
export function readContents(database: Database): Contents {
  const rows = database.all("SELECT kind, id, body FROM resources ORDER BY seq");
  const resources = rows.map((row) => ({
    kind: String(row["kind"]),
    id: String(row["id"]),
    value: parseJson(String(row["body"])),
  }));
  return { commits: committedWrites(database), resources };
}
