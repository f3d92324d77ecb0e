import { Failure, invariant } from "../base/failure.ts";
import type { Clock } from "../base/ports.ts";
import type { Redact } from "../base/secret.ts";
import { openWrites } from "../protocol/open-writes.ts";
import type { Holder } from "../protocol/record.ts";
import { stateOf } from "../protocol/state.ts";
import type { SqlDatabase, SqlRow } from "../sql/database.ts";
import { DatabaseFailure } from "../sql/failure.ts";
import { readRecords } from "./chain.ts";
import type { Life, Liveness } from "./holder.ts";

/** The table of leases. Holders of a run or a group from the time before this table keep their holds. */
export const LEASE_TABLE = `
CREATE TABLE lease (
  kind TEXT NOT NULL, name TEXT NOT NULL, run_id TEXT NOT NULL, epoch INTEGER NOT NULL,
  holder TEXT, since INTEGER NOT NULL, shared INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (kind, name, run_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX lease_of_run ON lease (run_id);
`;

/** Fills the table from the tables of earlier formats. */
export const FIRST_LEASES = `
INSERT INTO lease (kind, name, run_id, epoch, holder, since) SELECT 'run', id, id, epoch, holder, opened_at FROM run;
INSERT INTO lease (kind, name, run_id, epoch, holder, since)
  SELECT 'group', name, run_id, COALESCE((SELECT epoch FROM run WHERE id = run_id), 1), holder, since FROM group_hold;
DROP TABLE group_hold;
ALTER TABLE run DROP COLUMN holder;
ALTER TABLE run DROP COLUMN epoch;
`;

/**
 * What a run may hold. A run: itself. A group: one run holds it at a time. An acting entity: the runs of one process may hold it at the
 * same time, and each of them learns that it is not alone.
 */
export type LeaseKind = "run" | "group" | "entity";

/** What one run holds, or has left behind. */
export interface Lease extends Claim {
  /** The kind of what is held. */
  readonly kind: LeaseKind;
  /** The run's id, the name of the group, or the acting entity with its address. */
  readonly name: string;
  /** The holder; undefined if the lease was released, or the process died. */
  readonly holder: Holder | undefined;
  /** Whether the holder is alive; `unknown` if we cannot tell. */
  readonly life: Life;
  /** When it was taken, in milliseconds since the Unix epoch. */
  readonly since: number;
  /** Whether another run has acted as the entity since then. */
  readonly shared: boolean;
}

/** What a run needs before it may act. */
export interface WantedLeases {
  /** The names of the groups. */
  readonly groups: readonly string[];
  /** The acting entities or credentials, each with its address. */
  readonly entities: readonly string[];
}

/** The right to act for a run. The epoch is the fencing token: nothing can be written with an older one. */
export interface Claim {
  readonly runId: string;
  /** The number of the claim among those of the run, from 1 on. */
  readonly epoch: number;
}

/** A claim, or the first lease of another run that prevents it. */
export type Taken = { readonly claim: Claim } | { readonly inTheWay: Lease };

/** Only the run itself. */
export const NOTHING_ELSE: WantedLeases = { groups: [], entities: [] };

/** What leases need from outside. */
export interface LeasePorts {
  /** Gives the time at which a lease is taken. */
  readonly clock: Pick<Clock, "now">;
  /** Masks secrets in the names of groups and entities. */
  readonly redact: Redact;
  /** Who this process is, and which others live. */
  readonly liveness: Liveness;
}

/** The runs for which this process acts, with a count of the work in progress for each. */
const acting = new Map<string, number>();

/** Does the work. During it, this process acts for the run, so `releaseAbandoned` leaves the run alone. */
export async function actingFor<T>(runId: string, work: () => Promise<T>): Promise<T> {
  acting.set(runId, (acting.get(runId) ?? 0) + 1);
  try {
    return await work();
  } finally {
    const left = (acting.get(runId) ?? 1) - 1;
    if (left === 0) acting.delete(runId);
    else acting.set(runId, left);
  }
}

/** Who may act, and as whom: rows of the state, compared and set in one immediate transaction. */
export class Leases {
  readonly #database: SqlDatabase;
  readonly #ports: LeasePorts;

  constructor(database: SqlDatabase, ports: LeasePorts) {
    this.#database = database;
    this.#ports = ports;
  }

  /**
   * Takes a run with everything that it needs, or nothing: then it returns the first lease that prevents this. It takes all leases at once,
   * so that no run holds one while it waits for another, and there is no deadlock. Leases that the run had before are taken again.
   */
  take(runId: string, wanted: WantedLeases): Taken {
    return this.#database.transaction(() => this.takeWithin(runId, wanted));
  }

  /** Does the same within a transaction. */
  takeWithin(runId: string, { groups, entities }: WantedLeases): Taken {
    const [groupNames, entityNames] = [groups.map(this.#ports.redact), entities.map(this.#ports.redact)];
    const own = this.#ofRun(runId);
    const others = (kind: LeaseKind, names: readonly string[]): IteratorObject<Lease, undefined> =>
      names.values().flatMap((name) => this.#others(kind, name, runId));
    const inTheWay =
      holdingAmong(own) ??
      others("group", groupNames).next().value ??
      others("entity", entityNames).find(({ holder }) => this.#isElsewhere(holder));
    if (inTheWay !== undefined) return { inTheWay };
    const epoch = epochOf(own) + 1;
    this.#put({ kind: "run", name: runId, runId, epoch });
    for (const name of groupNames) this.#put({ kind: "group", name, runId, epoch });
    const before = own.flatMap(({ kind, name }) => (kind === "entity" ? [name] : []));
    for (const name of new Set([...before, ...entityNames])) this.#actAs(name, { runId, epoch });
    return { claim: { runId, epoch } };
  }

  /** Takes an entity that is known only when the run is about to act. The run does not wait, and other holders of the entity learn about it. */
  actAs(entity: string, claim: Claim): void {
    const name = this.#ports.redact(entity);
    const has = this.#ofRun(claim.runId).some(
      (lease) => lease.kind === "entity" && lease.name === name && lease.epoch === claim.epoch,
    );
    if (!has) this.#database.transaction(() => this.#actAs(name, claim));
  }

  /** Whether no other run has acted as an entity since this run took it, and none may do so now. */
  isAlone(entity: string, runId: string): boolean {
    const row = this.#database.get(
      "SELECT shared FROM lease WHERE kind = 'entity' AND name = ? AND run_id = ? AND holder IS NOT NULL",
      this.#ports.redact(entity),
      runId,
    );
    return row?.["shared"] === 0;
  }

  /** Whether a claim is the latest one of its run. */
  isHeld({ runId, epoch }: Claim): boolean {
    return this.#database.get(HELD, runId, runId, epoch) !== undefined;
  }

  /** Whether a run that began was claimed again after this claim, or has even been archived. */
  isTakenOver({ runId, epoch }: Claim): boolean {
    return this.#database.get(TAKEN_OVER, runId, runId, epoch, runId) !== undefined;
  }

  /** Makes the transaction throw an Unmet unless a claim is the latest one of its run. */
  requireHeld({ runId, epoch }: Claim): void {
    this.#database.require(HELD, runId, runId, epoch);
  }

  /** Releases everything that a claim holds. If it leaves writes open, the entities stay marked. */
  release(claim: Claim, leavesOpen: boolean): void {
    this.#database.transaction(() => this.releaseWithin(claim, leavesOpen));
  }

  /** Does the same within a transaction. */
  releaseWithin({ runId, epoch }: Claim, leavesOpen: boolean): void {
    this.#database.run("DELETE FROM lease WHERE run_id = ? AND epoch = ? AND kind = 'group'", runId, epoch);
    if (!leavesOpen) this.#database.run("DELETE FROM lease WHERE run_id = ? AND epoch = ? AND kind = 'entity'", runId, epoch);
    this.#database.run("UPDATE lease SET holder = NULL WHERE run_id = ? AND epoch = ?", runId, epoch);
    // A run that never began needs no epoch to distinguish its claims.
    this.#database.run("DELETE FROM lease WHERE run_id = ? AND NOT EXISTS (SELECT 1 FROM run WHERE id = run_id)", runId);
  }

  /** Takes a run, with everything that it holds, from its holder, who cannot write any more. */
  takeOver(runId: string): Claim {
    return this.#database.transaction(() => this.#takeOver(runId));
  }

  /** Does the same within a transaction if the run is still under the claim of this lease. Returns whether it was. */
  takeFrom({ runId, epoch }: Lease): boolean {
    if (epochOf(this.#ofRun(runId)) !== epoch) return false;
    this.#takeOver(runId);
    return true;
  }

  /**
   * Releases the runs that this process holds but no longer acts for. If the database was away or the disk full, they could not be released
   * at the end of their work, and a long-lived process would keep them from everybody.
   */
  releaseAbandoned(): void {
    const rows = this.#database.all("SELECT * FROM lease WHERE kind = 'run' AND holder IS NOT NULL");
    for (const row of rows) {
      const [holder, runId] = [this.#whole(row, holderIn), String(row["run_id"])];
      const isMine = holder !== undefined && this.#ports.liveness.isMe(holder);
      if (isMine && !acting.has(runId)) this.release({ runId, epoch: Number(row["epoch"]) }, true);
    }
  }

  /** Returns the leases of living holders, and the entities with writes that were left open. Those of the latest run come first. */
  list(): readonly Lease[] {
    const held = "SELECT * FROM lease WHERE holder IS NOT NULL OR kind = 'entity' ORDER BY run_id DESC, kind DESC, name";
    const rows = this.#database.all(held);
    return rows.map((row) => this.read(row)).filter((lease) => this.#counts(lease));
  }

  /** Returns the lease of a run's holder; nothing if the run was released, or the process died. */
  holding(runId: string): Lease | undefined {
    return holdingAmong(this.#ofRun(runId));
  }

  #takeOver(runId: string): Claim {
    const epoch = epochOf(this.#ofRun(runId)) + 1;
    const holder = JSON.stringify(this.#ports.liveness.taking());
    const now = this.#ports.clock.now();
    this.#database.run("UPDATE lease SET epoch = ?, holder = ?, since = ? WHERE run_id = ?", epoch, holder, now, runId);
    return { runId, epoch };
  }

  #actAs(name: string, { runId, epoch }: Claim): void {
    const others = this.#others("entity", name, runId);
    this.#put({ kind: "entity", name, runId, epoch });
    if (others.length > 0) this.#database.run("UPDATE lease SET shared = 1 WHERE kind = 'entity' AND name = ?", name);
  }

  // An entity that the run held before keeps its `shared` mark.
  #put({ kind, name, runId, epoch }: Pick<Lease, "kind" | "name" | "runId" | "epoch">): void {
    this.#database.run(
      `INSERT INTO lease (kind, name, run_id, epoch, holder, since) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (kind, name, run_id) DO UPDATE SET epoch = excluded.epoch, holder = excluded.holder, since = excluded.since`,
      kind,
      name,
      runId,
      epoch,
      JSON.stringify(this.#ports.liveness.taking()),
      this.#ports.clock.now(),
    );
  }

  // Returns the leases of other runs, and deletes those that no longer count.
  #others(kind: LeaseKind, name: string, runId: string): readonly Lease[] {
    const rows = this.#database.all("SELECT * FROM lease WHERE kind = ? AND name = ? AND run_id <> ?", kind, name, runId);
    return rows
      .map((row) => this.read(row))
      .filter((lease) => {
        const counts = this.#counts(lease);
        if (!counts)
          this.#database.run("DELETE FROM lease WHERE kind = ? AND name = ? AND run_id = ?", kind, lease.name, lease.runId);
        return counts;
      });
  }

  // Leases of living holders count, and entities with a write that may still take effect.
  #counts({ kind, holder, runId }: Lease): boolean {
    return holder !== undefined || (kind === "entity" && this.#leftOpen(runId));
  }

  #leftOpen(runId: string): boolean {
    return openWrites(stateOf(readRecords(this.#database, runId))).length > 0;
  }

  #ofRun(runId: string): readonly Lease[] {
    return this.#database.all("SELECT * FROM lease WHERE run_id = ?", runId).map((row) => this.read(row));
  }

  #isElsewhere(holder: Holder | undefined): boolean {
    return holder !== undefined && !this.#ports.liveness.isMe(holder);
  }

  /** Reads a row of the table of leases. Throws a Failure if it is damaged. */
  read(row: SqlRow): Lease {
    return this.#whole(row, (whole) => leaseOf(whole, this.#ports.liveness));
  }

  #whole<T>(row: SqlRow, read: (row: SqlRow) => T): T {
    try {
      return read(row);
    } catch (error) {
      if (error instanceof DatabaseFailure) throw error; // the database did not answer whether the holder is alive
      throw new Failure({
        code: "journal.broken-lease",
        message: `the journal is damaged: who holds the run ${String(row["run_id"])} cannot be read`,
        why: "a process may still hold it, so nothing is sent",
        next: "restore the state directory from a backup",
        cause: error,
      });
    }
  }
}

const HELD = "SELECT 1 FROM lease WHERE kind = 'run' AND name = ? AND run_id = ? AND epoch = ?";

const TAKEN_OVER = `SELECT 1 FROM lease WHERE kind = 'run' AND name = ? AND run_id = ? AND epoch > ?
  UNION ALL SELECT 1 FROM archived_run WHERE id = ?`;

function holdingAmong(leases: readonly Lease[]): Lease | undefined {
  return leases.find(({ kind, holder }) => kind === "run" && holder !== undefined);
}

function epochOf(leases: readonly Lease[]): number {
  return leases.find(({ kind }) => kind === "run")?.epoch ?? 0;
}

function holderIn({ holder }: SqlRow): Holder | undefined {
  return typeof holder === "string" ? (JSON.parse(holder) as Holder) : undefined;
}

function leaseOf(row: SqlRow, liveness: Liveness): Lease {
  const { kind } = row;
  invariant(kind === "run" || kind === "group" || kind === "entity", "a lease has a kind");
  const holder = holderIn(row);
  const life = holder === undefined ? "dead" : liveness.lifeOf(holder);
  return {
    kind,
    name: String(row["name"]),
    runId: String(row["run_id"]),
    epoch: Number(row["epoch"]),
    holder: life === "dead" ? undefined : holder,
    life,
    since: Number(row["since"]),
    shared: row["shared"] === 1,
  };
}
