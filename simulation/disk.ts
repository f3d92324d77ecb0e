import type { Cell, SqlRow } from "../src/sql/database.ts";
import { Database } from "../src/sqlite/database.ts";
import { type Appended, Dead, SimulatedProcess } from "./process.ts";

/** The disk under the journal: the real database, in memory. A process that dies leaves only what it committed, and can no longer use the disk. */
export class SimulatedDisk extends Database {
  #records: Appended[] = [];
  #kept: readonly string[] = [];

  constructor() {
    super(":memory:");
  }

  /** Empties every table, except for the runs that must be kept. */
  reset(): void {
    this.exec("PRAGMA defer_foreign_keys = ON");
    super.transaction(() => {
      for (const { name } of super.all(TABLES)) this.exec(`DELETE FROM "${name}"`);
      if (this.#kept.length > 0) for (const name of RUN_TABLES) this.exec(`INSERT INTO ${name} SELECT * FROM kept_${name}`);
    });
  }

  /** Keeps the present runs as earlier ones: they survive every reset. */
  keepRuns(): void {
    this.#kept = super.all("SELECT id FROM run").map(({ id }) => String(id));
    for (const name of RUN_TABLES) this.exec(`CREATE TABLE kept_${name} AS SELECT * FROM ${name}`);
  }

  /** Returns the run of a playbook. */
  runOf(file: string): string | undefined {
    return super
      .all("SELECT id FROM run WHERE playbook = ?", file)
      .map(({ id }) => String(id))
      .find((id) => !this.#kept.includes(id));
  }

  /** Loses the last records of a run, except the first two. The returned function restores them, unless others have followed. */
  cut(id: string, count: number): () => void {
    const end = super.get(END, id);
    const lost = super.all("SELECT * FROM record WHERE run_id = ? AND sequence > 1 ORDER BY sequence DESC LIMIT ?", id, count);
    for (const { sequence = null } of lost) super.run("DELETE FROM record WHERE run_id = ? AND sequence = ?", id, sequence);
    const left = super.get(LAST, id);
    super.run(SET_END, left?.["sequence"] ?? null, left?.["hash"] ?? null, id);
    return () => {
      if (super.get(LAST, id)?.["sequence"] !== left?.["sequence"]) return;
      for (const row of lost)
        super.run(`INSERT INTO record VALUES (${"?, ".repeat(Object.keys(row).length - 1)}?)`, ...Object.values(row));
      super.run(SET_END, end?.["last_sequence"] ?? null, end?.["last_hash"] ?? null, id);
    };
  }

  /** Called when a process begins to use the disk. */
  mount(): void {
    // nothing changes before a process writes
  }

  override run(sql: string, ...values: Cell[]): { readonly changes: number } {
    assertAlive();
    if (sql.startsWith("INSERT INTO record ")) this.#records.push(appended(sql, values));
    return super.run(sql, ...values);
  }

  override get(sql: string, ...values: Cell[]): SqlRow | undefined {
    assertAlive();
    return super.get(sql, ...values);
  }

  override all(sql: string, ...values: Cell[]): readonly SqlRow[] {
    assertAlive();
    return super.all(sql, ...values);
  }

  override transaction<T>(work: () => T): T {
    assertAlive();
    this.#records = [];
    const result = super.transaction(() => {
      const done = work();
      this.beforeCommit(this.#records);
      return done;
    });
    const fault = SimulatedProcess.current()?.onCommit("after", this.#records);
    if (fault === "crash") crash();
    if (fault === "interrupt") SimulatedProcess.current()?.interrupt();
    return result;
  }

  protected beforeCommit(records: readonly Appended[]): void {
    const fault = SimulatedProcess.current()?.onCommit("before", records);
    if (fault === "crash") crash();
    if (fault === "full") throw new Error("database or disk is full");
    if (fault === "broken") throw new Error("disk I/O error");
  }
}

const END = "SELECT last_sequence, last_hash FROM run WHERE id = ?";
const SET_END = "UPDATE run SET last_sequence = ?, last_hash = ? WHERE id = ?";
const LAST = "SELECT sequence, hash FROM record WHERE run_id = ? ORDER BY sequence DESC LIMIT 1";
const TABLES = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'kept_%'";
const RUN_TABLES = ["run", "record", "proof"];

function assertAlive(): void {
  if (SimulatedProcess.current()?.alive === false) throw new Dead();
}

function crash(): never {
  SimulatedProcess.current()?.die();
  throw new Dead();
}

const STEP = /"step":"((?:[^"\\]|\\.)*)"/;

// The columns as the journal writes them: run, sequence, epoch, time, kind, body.
function appended(sql: string, values: readonly Cell[]): Appended {
  const [, , , , kind, body] = values;
  return { kind: String(kind), step: STEP.exec(String(body))?.[1], sql, values };
}
