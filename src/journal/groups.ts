import type { Clock } from "../base/ports.ts";
import type { Redact } from "../base/secret.ts";
import type { Holder } from "../protocol/record.ts";
import type { Database, Row } from "../sqlite/database.ts";
import { isAlive, thisProcess } from "./holder.ts";

/** The table of groups that are held: a row for each, for as long as it is. */
export const GROUP_SCHEMA = `
CREATE TABLE group_hold (
  name TEXT PRIMARY KEY, run_id TEXT NOT NULL, holder TEXT NOT NULL, since INTEGER NOT NULL
) STRICT;
`;

/** A group that somebody alive has. */
export interface GroupHold {
  readonly group: string;
  readonly runId: string;
  readonly holder: Holder;
  /** Milliseconds since the Unix epoch. */
  readonly since: number;
}

/** Of all runs in one group, one acts: who, stands in the state directory. */
export class Groups {
  readonly #database: Database;
  readonly #ports: { readonly clock: Clock; readonly redact: Redact };

  constructor(database: Database, ports: { readonly clock: Clock; readonly redact: Redact }) {
    this.#database = database;
    this.#ports = ports;
  }

  /**
   * Takes all of these groups for a run, or none: then it gives the first that another run has. All at once, so that no run keeps
   * one group while it waits for another, and no two can wait for each other.
   */
  take(groups: readonly string[], runId: string): GroupHold | undefined {
    const holder = JSON.stringify(thisProcess());
    const now = this.#ports.clock.now();
    return this.#database.transaction(() => {
      for (const group of groups) {
        const hold = this.#holdOf(group);
        if (hold !== undefined && isAlive(hold.holder)) return hold;
      }
      for (const group of groups) {
        this.#database.run(
          "INSERT OR REPLACE INTO group_hold (name, run_id, holder, since) VALUES (?, ?, ?, ?)",
          this.#nameOf(group),
          runId,
          holder,
          now,
        );
      }
      return undefined;
    });
  }

  /** Lets go of every group that this process has for a run. */
  release(runId: string): void {
    const holder = JSON.stringify(thisProcess());
    this.#database.transaction(() => this.#database.run("DELETE FROM group_hold WHERE run_id = ? AND holder = ?", runId, holder));
  }

  #holdOf(group: string): GroupHold | undefined {
    const row = this.#database.get("SELECT * FROM group_hold WHERE name = ?", this.#nameOf(group));
    return row === undefined ? undefined : { group, ...readHold(row) };
  }

  // Made of inputs, it may hold what nobody is to see.
  #nameOf(group: string): string {
    return this.#ports.redact(group);
  }
}

function readHold(row: Row): Omit<GroupHold, "group"> {
  return { runId: String(row["run_id"]), holder: JSON.parse(String(row["holder"])) as Holder, since: Number(row["since"]) };
}
