import type { Clock } from "../../base/ports.ts";
import type { Database } from "../../sqlite/database.ts";

/** The tables that reads look at, with their columns; the first names the row. */
const TABLES: Readonly<Record<string, readonly string[]>> = {
  resources: ["seq", "kind", "id", "scope", "body"],
  history: ["seq", "kind", "id", "body"],
  ledger_transactions: [
    "seq",
    "transaction_id",
    "receipt_id",
    "operation",
    "actor",
    "body",
    "commit_at",
    "state",
    "condition",
    "message",
    "held",
    "doom",
  ],
};

/**
 * Earlier moments of the service. While it is kept, every change leaves behind the statement that undoes it; a read of an earlier moment
 * undoes what came after, reads, and takes all of that back. It is kept by this connection alone, and nothing of it is in the file.
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

  /** Whether an earlier moment is being read: then nothing that is due may be done. */
  get isShown(): boolean {
    return this.#isShown;
  }

  /** Does what was due at an earlier time: from then on reads have shown it. */
  happens(at: number, work: () => void): void {
    this.#happenedAt = at;
    try {
      work();
    } finally {
      this.#happenedAt = undefined;
    }
  }

  /** Keeps what happens from now on, or forgets all of it. */
  keep(isWanted: boolean): void {
    if (isWanted === this.#isKept) return;
    this.#isKept = isWanted;
    if (!isWanted) return void this.#database.run("DELETE FROM temp.past");
    if (this.#isPrepared) return;
    this.#isPrepared = true;
    const isKept = (): boolean => this.#isKept && !this.#isShown;
    this.#database.define("sandbox_kept_at", () => (isKept() ? (this.#happenedAt ?? this.#clock.now()) : null));
    this.#database.exec(
      `CREATE TEMP TABLE past (seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, undo TEXT NOT NULL); ${triggers()}`,
    );
  }

  /** Reads as the service was so long ago, or as it was when keeping began, if that is later. The work must not wait for anything. */
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
}

function triggers(): string {
  return Object.entries(TABLES)
    .flatMap(([table, columns]) => [
      trigger(table, "INSERT", `'DELETE FROM ${table} WHERE seq = ' || new.seq`),
      trigger(table, "UPDATE", `'UPDATE ${table} SET ' || ${assigned(columns)} || ' WHERE seq = ' || new.seq`),
      trigger(table, "DELETE", `'INSERT INTO ${table} (${columns.join(", ")}) VALUES (' || ${listed(columns)} || ')'`),
    ])
    .join("\n");
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
