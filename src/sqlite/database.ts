import { readyOrClosed } from "../base/ready-or-closed.ts";
import { type BigIntStats, existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { pathToFileURL } from "node:url";
import { constants, DatabaseSync, type DatabaseSyncOptions, type StatementSync } from "node:sqlite";
import { makeFolder } from "../files/folder.ts";
import { type Access, assertPrivate, createPrivate, FOLDER_MODE, isPrivateThere } from "../files/private.ts";
import { uptimeOfMachine } from "../files/uptime.ts";
import { LIMITS } from "../base/limits.ts";
import { type Clock, systemClock } from "../base/ports.ts";
import type { Cell, Changed, SqlDatabase, SqlRow } from "../sql/database.ts";
import { Unmet } from "../sql/failure.ts";
import { type ModelFile, type TableLayout, userVersionOf } from "../sql/layout.ts";
import { DATABASE, markFailure, plainFormat, roleOf } from "../sql/mark.ts";
import { alwaysWritten, removed, withFailures, failureOf } from "./failure.ts";
import { temporaryFile } from "./temporary.ts";

const IN_MEMORY = ":memory:";
// SQLite's name for an unnamed file, which disappears when it is closed or its process ends.
const TEMPORARY = "";
const BUSY_TIMEOUT_MS = 10_000;
// Syncing takes half as long if the log is overwritten from its beginning instead of growing, so the log restarts soon.
const WAL_PAGES = 250;

const KEPT = `PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = ${WAL_PAGES};`;
const UNKEPT = "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA temp_store = FILE;";

/**
 * One SQLite file, opened in the only way that we trust: a regular file of this user with the tables that tokenbook made, a write-ahead
 * log, a sync at every commit, foreign keys, and mode 0600. Statements are compiled once.
 */
export class Database implements SqlDatabase {
  /** The path of the file; `:memory:` for a database in memory, empty for a temporary file. */
  readonly path: string;
  /** Always undefined, because the tables are in a file. */
  readonly server = undefined;
  /** The clock of this machine. */
  readonly clock: Clock = { ...systemClock, uptime: uptimeOfMachine };
  /** How messages name the file. */
  readonly #named: string;
  readonly #connect: Connect;
  #connection: DatabaseSync;
  /** The state of the file when it was opened without locks, because nobody had it open for writing. */
  #idle: BigIntStats | undefined;
  #isReading = false;
  /** Whether each transaction checks that the state was not moved away. */
  #isGuarded = false;
  #isMoving = false;
  /** The journal that holds the mark of a move, if it is another file. */
  #journal: string | undefined;
  readonly #statements = new Map<string, StatementSync>();

  /** The inode of the file, in case another file takes its name. */
  readonly #inode: number | undefined;

  protected constructor(path: string, connect: Connect = connectForWriting) {
    this.path = path;
    this.#named = path === TEMPORARY ? temporaryFile() : path;
    this.#connect = connect;
    ({ connection: this.#connection, idle: this.#idle } = connect(path));
    this.#inode = inodeOf(path);
  }

  /**
   * Opens the file, and creates it (mode 0600, its folder 0700) if it does not exist. `:memory:` gives a database of this process. Throws a
   * Failure if the file does not belong to this user alone, or has other tables than its layout.
   */
  static open(path: string, layout: TableLayout, opening: FileOpening = {}): Database {
    return Database.#known(path, layout, { ...opening, connect: connectForWriting });
  }

  /** Opens the file if it exists; otherwise an empty database of this process, so that a search that finds nothing creates nothing. */
  static existing(path: string, layout: TableLayout, opening: FileOpening = {}): Database {
    return Database.open(isPrivateThere(path) ? path : IN_MEMORY, layout, opening);
  }

  /** Opens an existing file for reading only: nothing in it or beside it changes, and writes fail. */
  static look(path: string, layout: TableLayout, opening: FileOpening = {}): Database {
    return Database.#known(path, layout, { ...opening, connect: connectForLooking });
  }

  /** Throws a Failure if there is a journal that has the mark of a move. Nothing in it or beside it changes. */
  static assertUnmarked(path: string): void {
    if (!isPrivateThere(path)) return;
    withFailures(path, () => {
      using database = new Database(path, connectForLooking);
      database.#assertUnmarked();
    });
  }

  static #known(
    path: string,
    layout: TableLayout,
    { connect, moving = false, journal }: FileOpening & { readonly connect: Connect },
  ): Database {
    return withFailures(path, () =>
      readyOrClosed(new Database(path, connect), (database) => {
        database.#isMoving = moving;
        database.#journal = journal;
        database.#atOneMoment(() => {
          layout.assertKnown(database, newModel);
          if (!moving) database.#assertUnmarked();
        });
        database.#isGuarded = !moving;
      }),
    );
  }

  /** Returns the format of the tables of a layout; 0 if there are none. During a move, it leaves out the mark in it. */
  formatOf(layout: TableLayout): number {
    const format = layout.versionOf(this);
    return this.#isMoving ? plainFormat(format) : format;
  }

  quickCheck(): readonly string[] {
    const lines = this.all("PRAGMA quick_check").map((row) => String(row["quick_check"]));
    return lines.filter((each) => each !== "ok");
  }

  /** Opens a file that only this process uses, for temporary data that is too large for memory. */
  static temporary(): Database {
    return withFailures(temporaryFile(), () => new Database(TEMPORARY));
  }

  /** The path of the file; undefined if the database is in memory. */
  get file(): string | undefined {
    return this.path === IN_MEMORY ? undefined : this.path;
  }

  /** Does nothing, because this process syncs each commit of a file. */
  assertDurable(): void {
    // each commit is synced
  }

  /** Does nothing, because no server is asked. */
  assertPrimary(): void {
    // no server is asked
  }

  assertInPlace(): void {
    if (this.file !== undefined && inodeOf(this.path) !== this.#inode) throw removed(this.path);
  }

  /** Runs statements that create or change tables. Throws a DatabaseFailure. */
  exec(sql: string): void {
    withFailures(this.#named, () => this.#connection.exec(sql));
  }

  /** Makes a function available to the statements of this connection. */
  define(name: string, work: () => Cell): void {
    withFailures(this.#named, () => this.#connection.function(name, work));
  }

  run(sql: string, ...values: Cell[]): Changed {
    const { changes } = withFailures(this.#named, () => this.#statement(sql).run(...values));
    return { changes: Number(changes) };
  }

  get(sql: string, ...values: Cell[]): SqlRow | undefined {
    return this.#read(() => this.#statement(sql).get(...values)) as SqlRow | undefined;
  }

  all(sql: string, ...values: Cell[]): readonly SqlRow[] {
    return this.#read(() => this.#statement(sql).all(...values)) as unknown as readonly SqlRow[];
  }

  /** Returns the rows of a query one by one, or all at once if the file is read without locks. Throws a DatabaseFailure. */
  *iterate(sql: string, ...values: Cell[]): Generator<SqlRow> {
    if (this.#idle !== undefined) return yield* this.all(sql, ...values);
    try {
      yield* this.#statement(sql).iterate(...values) as IterableIterator<SqlRow>;
    } catch (error) {
      throw failureOf(this.#named, error);
    }
  }

  transaction<T>(work: () => T): T {
    this.exec("BEGIN IMMEDIATE");
    try {
      if (this.#isGuarded) this.#assertUnmarked();
      const result = work();
      this.exec("COMMIT");
      return result;
    } catch (error) {
      if (this.#connection.isTransaction) this.#connection.exec("ROLLBACK");
      throw error;
    }
  }

  /** Does the same as a transaction, because a file has one writer at a time. */
  sharedTransaction(work: () => void): void {
    this.transaction(work); // a file has one writer at a time
  }

  /** Throws an Unmet unless a query finds a row. */
  require(sql: string, ...values: Cell[]): void {
    if (this.get(sql, ...values) === undefined) throw new Unmet();
  }

  close(): void {
    this.#connection.close();
  }

  /** Closes it at the end of its scope (`using`). */
  [Symbol.dispose](): void {
    this.close();
  }

  // Only a journal has a mark. For a folder, the other place is always the database.
  #assertUnmarked(): void {
    const role = roleOf(userVersionOf(this));
    if (role !== undefined) throw markFailure(role, dirname(this.path), DATABASE);
    if (this.#journal !== undefined) Database.assertUnmarked(this.#journal);
  }

  // Either all reads see the changes of other processes, or none does.
  #atOneMoment(look: () => void): void {
    this.#read(() => {
      this.#connection.exec("BEGIN");
      try {
        look();
      } finally {
        if (this.#connection.isTransaction) this.#connection.exec("ROLLBACK");
      }
    });
  }

  // A read without locks counts only if nobody has written the file since it was opened. Otherwise it is repeated (decision 178).
  #read<T>(read: () => T): T {
    for (let attempt = 1; ; attempt++) {
      if (this.#idle === undefined || this.#isReading) return withFailures(this.#named, read);
      const result = this.#readOnce(read);
      if (!isUntouched(this.path, this.#idle)) {
        if (attempt === LIMITS.unlockedReads) throw alwaysWritten(this.#named);
        this.#connectAgain();
      } else if ("error" in result) throw failureOf(this.#named, result.error);
      else return result.value;
    }
  }

  #readOnce<T>(read: () => T): { readonly value: T } | { readonly error: unknown } {
    this.#isReading = true;
    try {
      return { value: read() };
    } catch (error) {
      return { error };
    } finally {
      this.#isReading = false;
    }
  }

  // If the file is gone, the open connection stays, so that closing it raises no second error.
  #connectAgain(): void {
    const { connection, idle } = withFailures(this.#named, () => this.#connect(this.path));
    this.#connection.close();
    this.#statements.clear();
    this.#connection = connection;
    this.#idle = idle;
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

function newModel(): ModelFile {
  const model = new DatabaseSync(IN_MEMORY);
  return { all: (sql) => model.prepare(sql).all(), exec: (sql) => model.exec(sql), close: () => model.close() };
}

// Nothing in the file may call a function with effects, or change its own schema as text.
const DISTRUSTED: DatabaseSyncOptions = { defensive: true, allowExtension: false, enableDoubleQuotedStringLiterals: false };
const DISTRUST_SCHEMA = "PRAGMA trusted_schema = OFF";

/** How the file of a state is opened. */
interface FileOpening {
  /** Whether to ignore the mark of a move, as the move itself must. */
  readonly moving?: boolean;
  /** The journal beside the file, which holds the mark of a move. */
  readonly journal?: string;
}

interface Connected {
  readonly connection: DatabaseSync;
  readonly idle?: BigIntStats | undefined;
}

type Connect = (path: string) => Connected;

function connectForWriting(path: string): Connected {
  if (path === TEMPORARY) return { connection: withoutTrust(new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS }), UNKEPT) };
  if (path !== IN_MEMORY) createPrivately(path);
  const options = { ...DISTRUSTED, timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true };
  return { connection: withoutTrust(new DatabaseSync(path, options), KEPT) };
}

// Reading would create a missing log. Without a log, the file alone is complete, and is read without locks.
function connectForLooking(path: string): Connected {
  assertFilesPrivate(path, "look");
  const idle = hasLog(path) ? undefined : statSync(path, { bigint: true });
  const address = pathToFileURL(path);
  if (idle !== undefined) address.searchParams.set("immutable", "1");
  const connection = new DatabaseSync(address, { ...DISTRUSTED, readOnly: true, timeout: BUSY_TIMEOUT_MS });
  return { connection: withoutTrust(connection), idle };
}

/** Returns whether there is a log beside the file: a process is writing the file, or was killed while writing it. */
function hasLog(path: string): boolean {
  return ["-wal", "-journal"].some((suffix) => (statSync(`${path}${suffix}`, { throwIfNoEntry: false })?.size ?? 0) > 0);
}

function isUntouched(path: string, before: BigIntStats): boolean {
  const now = statSync(path, { bigint: true, throwIfNoEntry: false });
  const isSame = now?.size === before.size && now.mtimeNs === before.mtimeNs && now.ino === before.ino;
  return isSame && !hasLog(path);
}

function withoutTrust(connection: DatabaseSync, settings = ""): DatabaseSync {
  connection.exec(`${DISTRUST_SCHEMA}; ${settings}`);
  return connection;
}

/** Connects to a file without the settings of a {@link Database}, and without waiting. For locks only. */
export function connectPlainly(path: string, { readOnly = false }: { readonly readOnly?: boolean } = {}): DatabaseSync {
  return new DatabaseSync(path, { ...DISTRUSTED, readOnly, timeout: 0 });
}

/** Connects to a foreign file. SQLite refuses every statement that is not a query. `isAlone`: nobody has the file open. */
export function connectForQuery(path: string, { isAlone }: { readonly isAlone: boolean }): DatabaseSync {
  const address = pathToFileURL(path);
  if (isAlone) address.searchParams.set("immutable", "1");
  const limits = { length: LIMITS.dataBytes };
  const options = { ...DISTRUSTED, readOnly: true, timeout: BUSY_TIMEOUT_MS, readBigInts: true, limits };
  const connection = withoutTrust(new DatabaseSync(address, options), "PRAGMA query_only = ON;");
  connection.setAuthorizer((action) => (OF_A_QUERY.has(action) ? constants.SQLITE_OK : constants.SQLITE_DENY));
  return connection;
}

// Without recursion, every query ends.
const OF_A_QUERY: ReadonlySet<number> = new Set([constants.SQLITE_SELECT, constants.SQLITE_READ, constants.SQLITE_FUNCTION]);

function inodeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}

function createPrivately(path: string): void {
  makeFolder(dirname(path), FOLDER_MODE);
  assertFilesPrivate(path, "write");
  if (!existsSync(path)) createPrivate(path);
}

// SQLite opens these files itself, by their names.
function assertFilesPrivate(path: string, access: Access): void {
  for (const suffix of ["", "-wal", "-shm", "-journal"]) assertPrivate(`${path}${suffix}`, access);
}
