import { existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { pathToFileURL } from "node:url";
import { DatabaseSync, type DatabaseSyncOptions, type StatementSync } from "node:sqlite";
import { makeFolder } from "../files/folder.ts";
import { type Access, assertPrivate, createPrivate, FOLDER_MODE, isPrivateThere } from "../files/private.ts";
import { removed, telling, toldOf } from "./failure.ts";
import type { TableLayout } from "./layout.ts";

/** What one column may hold. Amounts are TEXT, always: SQLite's own numbers would round them. */
export type Cell = string | number | bigint | null;
export type SqlRow = Readonly<Record<string, Cell>>;

const IN_MEMORY = ":memory:";
// SQLite's own name for a file without one, which is gone when it is closed, or its process is.
const TEMPORARY = "";
const BUSY_TIMEOUT_MS = 10_000;
// A log that is written over from its beginning is synced in half the time of one that grows, so it soon begins anew.
const WAL_PAGES = 250;

const KEPT = `PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = ${WAL_PAGES};`;
const UNKEPT = "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA temp_store = FILE;";

/**
 * One SQLite file, opened the only way we trust it: a regular file of this user with the tables that tokenbook made, write-ahead log, every
 * commit synced, foreign keys on, mode 0600. Statements are compiled once.
 */
export class Database {
  readonly path: string;
  readonly #connection: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  /** Which file it is, wherever its name leads later. */
  readonly #inode: number | undefined;

  protected constructor(path: string, connect: (path: string) => DatabaseSync = connectForWriting) {
    this.path = path;
    this.#connection = connect(path);
    this.#inode = inodeOf(path);
  }

  /**
   * Opens the file, and creates it (mode 0600, its folder 0700) when it is not there. `:memory:` gives a database of this process. Throws a Failure
   * when it is no file of this user alone, or holds other tables than its layout has.
   */
  static open(path: string, layout: TableLayout): Database {
    return Database.#known(path, layout, connectForWriting);
  }

  /** Opens the file where it is there; otherwise an empty database of this process, so that who finds nothing leaves nothing either. */
  static existing(path: string, layout: TableLayout): Database {
    return Database.open(isPrivateThere(path) ? path : IN_MEMORY, layout);
  }

  /** Opens a file that is there to look into it: neither it nor anything beside it is changed, and what would write fails. */
  static look(path: string, layout: TableLayout): Database {
    return Database.#known(path, layout, connectForLooking);
  }

  static #known(path: string, layout: TableLayout, connect: (path: string) => DatabaseSync): Database {
    return telling(path, () => {
      const database = new Database(path, connect);
      try {
        database.#atOneMoment(() => layout.assertKnown(database, () => new DatabaseSync(IN_MEMORY)));
        return database;
      } catch (error) {
        database.close();
        throw error;
      }
    });
  }

  /** What of the file's structure is broken; nothing when it is whole. */
  quickCheck(): readonly string[] {
    const told = this.all("PRAGMA quick_check").map((row) => String(row["quick_check"]));
    return told.filter((each) => each !== "ok");
  }

  /** A file of this process alone, for what is too much to hold and not to be kept. */
  static temporary(): Database {
    return telling("a temporary file", () => new Database(TEMPORARY));
  }

  /** Whether it is of this process, and no file. */
  get isInMemory(): boolean {
    return this.path === IN_MEMORY;
  }

  /** Throws a DatabaseFailure when somebody has removed or replaced the file: what is written then, nobody would find again. */
  assertInPlace(): void {
    if (!this.isInMemory && inodeOf(this.path) !== this.#inode) throw removed(this.path);
  }

  exec(sql: string): void {
    telling(this.path, () => this.#connection.exec(sql));
  }

  /** Gives the statements of this connection a function of ours. */
  define(name: string, work: () => Cell): void {
    telling(this.path, () => this.#connection.function(name, work));
  }

  run(sql: string, ...values: Cell[]): { readonly changes: number } {
    const { changes } = telling(this.path, () => this.#statement(sql).run(...values));
    return { changes: Number(changes) };
  }

  get(sql: string, ...values: Cell[]): SqlRow | undefined {
    return telling(this.path, () => this.#statement(sql).get(...values)) as SqlRow | undefined;
  }

  all(sql: string, ...values: Cell[]): readonly SqlRow[] {
    return telling(this.path, () => this.#statement(sql).all(...values)) as unknown as readonly SqlRow[];
  }

  *iterate(sql: string, ...values: Cell[]): Generator<SqlRow> {
    try {
      yield* this.#statement(sql).iterate(...values) as IterableIterator<SqlRow>;
    } catch (error) {
      throw toldOf(this.path, error);
    }
  }

  /** Runs `work` in one immediate transaction: all of it is on disk when this returns, or, if it throws, none of it. */
  transaction<T>(work: () => T): T {
    this.exec("BEGIN IMMEDIATE");
    try {
      const result = work();
      this.exec("COMMIT");
      return result;
    } catch (error) {
      if (this.#connection.isTransaction) this.#connection.exec("ROLLBACK");
      throw error;
    }
  }

  /** Runs `work` within a transaction: if it throws, what it did is undone, and what was done before it is not. */
  apart(work: () => void): void {
    this.exec("SAVEPOINT apart");
    try {
      work();
    } catch (error) {
      if (this.#connection.isTransaction) this.#connection.exec("ROLLBACK TO apart; RELEASE apart");
      throw error;
    }
    this.exec("RELEASE apart");
  }

  close(): void {
    this.#connection.close();
  }

  // What another process changes meanwhile is seen before it or after it.
  #atOneMoment(look: () => void): void {
    this.exec("BEGIN");
    try {
      look();
    } finally {
      if (this.#connection.isTransaction) this.#connection.exec("ROLLBACK");
    }
  }

  #statement(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#connection.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}

// Nothing that stands in the file may call a function that has effects, or change its own tables by their text.
const DISTRUSTED: DatabaseSyncOptions = { defensive: true, allowExtension: false, enableDoubleQuotedStringLiterals: false };
const DISTRUST_SCHEMA = "PRAGMA trusted_schema = OFF";

function connectForWriting(path: string): DatabaseSync {
  if (path === TEMPORARY) return withoutTrust(new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS }), UNKEPT);
  if (path !== IN_MEMORY) createPrivately(path);
  const options = { ...DISTRUSTED, timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true };
  return withoutTrust(new DatabaseSync(path, options), KEPT);
}

// A log that is not there would be made by whoever only reads; where none is, the file is all that there is.
function connectForLooking(path: string): DatabaseSync {
  assertFilesPrivate(path, "look");
  const address = pathToFileURL(path);
  if ((statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) === 0) address.searchParams.set("immutable", "1");
  return withoutTrust(new DatabaseSync(address, { ...DISTRUSTED, readOnly: true, timeout: BUSY_TIMEOUT_MS }));
}

function withoutTrust(connection: DatabaseSync, settings = ""): DatabaseSync {
  connection.exec(`${DISTRUST_SCHEMA}; ${settings}`);
  return connection;
}

/** Connects to a file as it is, without the settings of a {@link Database}, and waits for nobody: for what only locks it. */
export function connectPlainly(path: string, { readOnly = false }: { readonly readOnly?: boolean } = {}): DatabaseSync {
  return new DatabaseSync(path, { ...DISTRUSTED, readOnly, timeout: 0 });
}

function inodeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}

function createPrivately(path: string): void {
  makeFolder(dirname(path), FOLDER_MODE);
  assertFilesPrivate(path, "write");
  if (!existsSync(path)) createPrivate(path);
}

// SQLite opens them itself, by their names.
function assertFilesPrivate(path: string, access: Access): void {
  for (const suffix of ["", "-wal", "-shm", "-journal"]) assertPrivate(`${path}${suffix}`, access);
}
