import type { Cell, SqlRow } from "../src/sql/database.ts";
import { SimulatedDisk } from "./disk.ts";
import { type Appended, SimulatedProcess } from "./process.ts";

interface PutOff {
  readonly by: SimulatedProcess | undefined;
  readonly record: Appended;
}

// The journal's own note of its end is removed with them.
function takeAway(disk: SimulatedDisk, records: readonly Appended[]): void {
  for (const { values } of records) {
    const [runId = null, sequence = null] = values;
    disk.run("DELETE FROM record WHERE run_id = ? AND sequence = ?", runId, sequence);
  }
  disk.run(`UPDATE run SET (last_sequence, last_hash) =
    (SELECT sequence, hash FROM record WHERE run_id = id ORDER BY sequence DESC LIMIT 1)`);
}

/** A disk that writes some records of a commit only with the next commit, although the journal believes otherwise. */
export class ForgetfulDisk extends SimulatedDisk {
  readonly #isPutOff: (record: Appended, together: readonly Appended[]) => boolean;
  #putOff: PutOff[] = [];

  constructor(isPutOff: (record: Appended, together: readonly Appended[]) => boolean) {
    super();
    this.#isPutOff = isPutOff;
  }

  override reset(): void {
    super.reset();
    this.#putOff = [];
  }

  // The run must not notice the missing records either. Otherwise it would stop before they do harm.
  override require(sql: string, ...values: Cell[]): void {
    if (!sql.includes("last_hash")) super.require(sql, ...values);
  }

  protected override beforeCommit(records: readonly Appended[]): void {
    super.beforeCommit(records);
    const by = SimulatedProcess.current();
    // A dead process writes nothing more.
    const due = this.#putOff.filter((each) => each.by === by);
    this.#putOff = this.#putOff.filter((each) => each.by !== by);
    const putOff = records.filter((each) => this.#isPutOff(each, records));
    for (const { record } of due) super.run(record.sql, ...record.values);
    for (const record of putOff) this.#putOff.push({ by, record });
    if (putOff.length > 0) takeAway(this, putOff);
  }
}

/** A disk that reports some records as written too early: in a power failure they are lost. */
export class UnsyncedDisk extends SimulatedDisk {
  readonly #isUnsynced: (record: Appended) => boolean;
  #unsynced: PutOff[] = [];

  constructor(isUnsynced: (record: Appended) => boolean) {
    super();
    this.#isUnsynced = isUnsynced;
  }

  override reset(): void {
    super.reset();
    this.#unsynced = [];
  }

  override mount(): void {
    const lost = this.#unsynced.flatMap(({ by, record }) => (by?.alive === false ? [record] : []));
    if (lost.length > 0) takeAway(this, lost);
    this.#unsynced = [];
    super.mount();
  }

  protected override beforeCommit(records: readonly Appended[]): void {
    super.beforeCommit(records);
    const by = SimulatedProcess.current();
    this.#unsynced = records.every(this.#isUnsynced) ? records.map((record) => ({ by, record })) : [];
  }
}

/** A disk on which nobody finds the proofs of other runs' writes. */
export class ObliviousDisk extends SimulatedDisk {
  override all(sql: string, ...values: Cell[]): readonly SqlRow[] {
    return sql.includes(" FROM proof ") ? [] : super.all(sql, ...values);
  }
}

/** A disk on which no run notices that another run acts as the same entity. */
export class LonelyDisk extends SimulatedDisk {
  override get(sql: string, ...values: Cell[]): SqlRow | undefined {
    const row = super.get(sql, ...values);
    return row !== undefined && sql.startsWith("SELECT shared FROM lease") ? { shared: 0 } : row;
  }

  override all(sql: string, ...values: Cell[]): readonly SqlRow[] {
    return sql.startsWith("SELECT id, last_sequence FROM run ") ? [] : super.all(sql, ...values);
  }
}

/** A disk that takes a journal with a torn end for an empty one. */
export class TornDisk extends SimulatedDisk {
  #isTorn = false;

  override mount(): void {
    if (this.#isTorn) this.exec("DELETE FROM record; DELETE FROM run");
    this.#isTorn = false;
    super.mount();
  }

  protected override beforeCommit(records: readonly Appended[]): void {
    try {
      super.beforeCommit(records);
    } catch (error) {
      this.#isTorn = true;
      throw error;
    }
  }
}

/** A disk that lets anybody take a run, while its former holder can still write. */
export class UnfencedDisk extends SimulatedDisk {
  #epochs = new Map<SimulatedProcess | undefined, SqlRow | undefined>();

  override reset(): void {
    super.reset();
    this.#epochs = new Map();
  }

  override get(sql: string, ...values: Cell[]): SqlRow | undefined {
    const row = super.get(sql, ...values);
    if (!sql.startsWith("SELECT epoch FROM")) return row;
    const by = SimulatedProcess.current();
    if (!this.#epochs.has(by)) this.#epochs.set(by, row);
    return this.#epochs.get(by);
  }

  override all(sql: string, ...values: Cell[]): readonly SqlRow[] {
    const rows = super.all(sql, ...values);
    return sql.includes(" FROM lease ") ? rows.map((row) => ({ ...row, holder: null })) : rows;
  }

  override run(sql: string, ...values: Cell[]): { readonly changes: number } {
    if (!sql.startsWith("INSERT INTO record ")) return super.run(sql, ...values);
    const [runId = null, , ...others] = values;
    const last = super.get("SELECT max(sequence) AS last FROM record WHERE run_id = ?", runId)?.["last"];
    return super.run(sql, runId, last === null || last === undefined ? 0 : Number(last) + 1, ...others);
  }
}

/** A disk that stores no run's key, so that nobody finds a run by its key, and a second run can have the same key. */
export class KeylessDisk extends SimulatedDisk {
  override run(sql: string, ...values: Cell[]): { readonly changes: number } {
    return super.run(sql, ...(sql.startsWith("INSERT INTO run ") ? [...values.slice(0, -1), null] : values));
  }
}

/** A disk that takes every run for settled, whatever it has left open. */
export class SettledDisk extends SimulatedDisk {
  override all(sql: string, ...values: Cell[]): readonly SqlRow[] {
    return sql.includes("settled = 0") ? [] : super.all(sql, ...values);
  }
}

/** A disk that forgets, when a run has ended, that others may still find what it has written. */
export class SettlingDisk extends SimulatedDisk {
  override run(sql: string, ...values: Cell[]): { readonly changes: number } {
    const isEnd = sql === "UPDATE run SET outcome = ?, settled = ?, written_until = ? WHERE id = ?";
    if (!isEnd) return super.run(sql, ...values);
    const [outcome = null, settled = null, until = null, ...id] = values;
    return super.run(sql, outcome, settled, until === null ? null : 0, ...id);
  }
}
