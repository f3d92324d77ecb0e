import type { Clock } from "../../base/ports.ts";
import type { Database } from "../../sqlite/database.ts";

/** The tables that reads use. */
const TABLES = ["resources", "history", "ledger_transactions"];

/**
 * Earlier moments of the service. While they are recorded, every change also stores the statement that undoes it. A read of an earlier moment undoes the later
 * changes, reads, and rolls the undoing back. The statements belong to this connection and are not in the file.
 */
export class Past {
  readonly #database: Database;
  readonly #clock: Clock;
  #isPrepared = false;
  #isKept = false;
  #isShown = false;
  #happenedAt: number | undefined;

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  /** Whether an earlier moment is being read. Then writes that are due must wait. */
  get isShown(): boolean {
    return this.#isShown;
  }

  /** Does work that was due at an earlier time, so that it counts from that time on. */
  happens(at: number, work: () => void): void {
    this.#happenedAt = at;
    try {
      work();
    } finally {
      this.#happenedAt = undefined;
    }
  }

  /** Starts recording changes, or forgets all of them. */
  keep(isWanted: boolean): void {
    if (isWanted === this.#isKept) return;
    this.#isKept = isWanted;
    if (!isWanted) return void this.#database.run("DELETE FROM temp.past");
    if (this.#isPrepared) return;
    this.#isPrepared = true;
    const isKept = (): boolean => this.#isKept && !this.#isShown;
    this.#database.define("sandbox_kept_at", () => (isKept() ? (this.#happenedAt ?? this.#clock.now()) : null));
    this.#database.exec(
      `CREATE TEMP TABLE past (seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, undo TEXT NOT NULL); ${TABLES.flatMap((table) => this.#triggers(table)).join("\n")}`,
    );
  }

  /** Runs a read as of `ms` milliseconds ago, or as of the start of recording if that is later. The read must be synchronous. */
  ago<T>(ms: number, read: () => T): T {
    if (!this.#isKept) return read();
    const later = this.#database.all("SELECT undo FROM temp.past WHERE at > ? ORDER BY seq DESC", this.#clock.now() - ms);
    this.#database.exec("SAVEPOINT past");
    this.#isShown = true;
    try {
      for (const { undo } of later) this.#database.exec(String(undo));
      return read();
    } finally {
      this.#isShown = false;
      this.#database.exec("ROLLBACK TO past; RELEASE past");
    }
  }

  #triggers(table: string): readonly string[] {
    const columns = this.#database.all("SELECT name FROM pragma_table_info(?)", table).map(({ name }) => String(name));
    return [
      trigger(table, "INSERT", `'DELETE FROM ${table} WHERE seq = ' || new.seq`),
      trigger(table, "UPDATE", `'UPDATE ${table} SET ' || ${assigned(columns)} || ' WHERE seq = ' || new.seq`),
      trigger(table, "DELETE", `'INSERT INTO ${table} (${columns.join(", ")}) VALUES (' || ${listed(columns)} || ')'`),
    ];
  }
}

function trigger(table: string, event: string, undo: string): string {
  return `CREATE TEMP TRIGGER past_${table}_${event} AFTER ${event} ON main.${table} WHEN sandbox_kept_at() IS NOT NULL
    BEGIN INSERT INTO past (at, undo) VALUES (sandbox_kept_at(), ${undo}); END;`;
}

function assigned(columns: readonly string[]): string {
  return columns.map((column) => `'${column} = ' || quote(old.${column})`).join(" || ', ' || ");
}

function listed(columns: readonly string[]): string {
  return columns.map((column) => `quote(old.${column})`).join(" || ', ' || ");
}
