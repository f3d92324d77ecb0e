import { parseJson, type Json } from "../../base/json/json.ts";
import type { Database } from "../../sqlite/database.ts";
import { committedWrites, type LoggedCommit } from "./commits.ts";

interface StoredResource {
  /** The word for its kind in the file. */
  readonly kind: string;
  readonly id: string;
  readonly value: Json;
}

/** The whole content of a sandbox, and every write that led to it, in the order of creation. */
export interface Contents {
  /** Every committed write of both interfaces, in the order in which they took effect. */
  readonly commits: readonly LoggedCommit[];
  /** The resources in the order of creation. */
  readonly resources: readonly StoredResource[];
}

/** Reads the whole content of a sandbox. */
export function readContents(database: Database): Contents {
  const rows = database.all("SELECT kind, id, body FROM resources ORDER BY seq");
  const resources = rows.map((row) => ({
    kind: String(row["kind"]),
    id: String(row["id"]),
    value: parseJson(String(row["body"])),
  }));
  return { commits: committedWrites(database), resources };
}
