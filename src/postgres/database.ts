import { readyOrClosed } from "../base/ready-or-closed.ts";
import { randomUUID } from "node:crypto";
import { getOrInsert } from "../base/maps.ts";
import { invariant } from "../base/failure.ts";
import { LIMITS } from "../base/limits.ts";
import { type Clock, systemClock } from "../base/ports.ts";
import { storable } from "../base/text/text.ts";
import type { Cell, Changed, SqlDatabase, SqlRow } from "../sql/database.ts";
import { PassingFailure, Unmet } from "../sql/failure.ts";
import type { ServerTables, TableLayout } from "../sql/layout.ts";
import { PLAIN_FORMAT, plainFormat } from "../sql/mark.ts";
import type { ServerPlace } from "../sql/place.ts";
import { ask } from "./bridge.ts";
import { assertDurable, assertPrimary, type ServerSetting, settingsOf } from "./durability.ts";
import { AWAY, DIVISION_BY_ZERO, failureOf, READ_ONLY } from "./failure.ts";
import { MARK_OF_SESSION } from "./session.ts";
import { assertLayout, assertUnmarked, makeTables, partOf, tryTables } from "./tables.ts";
import type { Statement, StatementResult } from "./messages.ts";

let connections = 0;

const TIME = "SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT) AS time";

/** How the tables of a state are opened. */
interface HowToOpen {
  /** Whether to ignore the mark of a move, as the move itself must. */
  readonly moving?: boolean;
}

/**
 * One schema of a PostgreSQL server. Transactions of the same layout run one after another, as in a file. The changes of a transaction are
 * sent together with its next query or its end, so a commit without queries takes one round trip.
 */
export class PostgresDatabase implements SqlDatabase {
  /** Always undefined, because the tables are on a server. */
  readonly file = undefined;
  readonly path: string;
  /** The server, and the schema on it. */
  readonly server: ServerPlace;
  /** The server's time, which counts for all machines, and the pauses of this machine. */
  readonly clock: Clock = { ...systemClock, now: () => this.#now() };
  readonly #part: ServerTables;
  readonly #readOnly: boolean;
  readonly #newest: number;
  readonly #isMoving: boolean;
  readonly #mark = randomUUID();
  /** Whether the tables are known to exist. */
  #isMade = false;
  #connection: number | undefined;
  /** The statements of a transaction that were not sent yet; undefined outside a transaction. */
  #waiting: Awaited[] | undefined;
  /** Whether a part of the transaction was sent. */
  #isBegun = false;
  /** Whether the answer to a commit was lost, and no later commit has been answered. */
  #isUnsure = false;
  /** Whether the transaction has required something. */
  #requires = false;
  /** The server's time, this machine's clocks at that moment, and the connection on which the time was asked. */
  #time: (Readonly<Record<"server" | "elapsed" | "wall", number>> & { readonly connection: number | undefined }) | undefined;

  private constructor(server: ServerPlace, layout: TableLayout, { readOnly, moving = false }: HowToOpen & { readOnly: boolean }) {
    this.path = pathOf(server);
    this.server = server;
    this.#part = partOf(layout);
    this.#newest = layout.newest;
    this.#readOnly = readOnly;
    this.#isMoving = moving;
  }

  /** Opens the tables of a layout, and creates them if they are missing. Throws a Failure if the schema belongs to somebody else, or is newer. */
  static open(server: ServerPlace, layout: TableLayout, opening: HowToOpen = {}): PostgresDatabase {
    return PostgresDatabase.#checked(server, layout, { ...opening, readOnly: false }, (database) => {
      database.assertDurable();
      makeTables(database, layout, opening.moving === true);
    });
  }

  /** Opens the tables of a layout if they exist; returns undefined otherwise. Throws like `open`. */
  static existing(server: ServerPlace, layout: TableLayout, opening: HowToOpen = {}): PostgresDatabase | undefined {
    const database = PostgresDatabase.look(server, layout, opening);
    database?.close();
    return database && PostgresDatabase.open(server, layout, opening);
  }

  /** Does the same for reading only: writes fail. */
  static look(server: ServerPlace, layout: TableLayout, opening: HowToOpen = {}): PostgresDatabase | undefined {
    const database = PostgresDatabase.#checked(server, layout, { ...opening, readOnly: true });
    if (database.formatOf(layout) > 0) return database;
    using empty = database;
    if (opening.moving !== true) assertUnmarked(empty);
    return undefined;
  }

  /** Throws a Failure unless this user may make the tables of a layout, or write into them where they are. Nothing is changed. */
  static assertWritable(server: ServerPlace, layout: TableLayout): void {
    using database = new PostgresDatabase(server, layout, { readOnly: false });
    tryTables(database, layout);
  }

  /** Returns the settings of a server on which our guarantee depends. Throws a Failure if the server cannot be asked, or is a standby. */
  static settings(server: ServerPlace, layout: TableLayout): readonly ServerSetting[] {
    using database = new PostgresDatabase(server, layout, { readOnly: true });
    return settingsOf(database);
  }

  static #checked(
    server: ServerPlace,
    layout: TableLayout,
    opening: HowToOpen & { readonly readOnly: boolean },
    make?: (database: PostgresDatabase) => void,
  ): PostgresDatabase {
    return readyOrClosed(new PostgresDatabase(server, layout, opening), (database) => {
      make?.(database);
      assertLayout(database, layout);
      database.#isMade = true;
    });
  }

  // This machine's clocks continue from the server's time. The server is asked again after a while; on a new connection, which may lead to another
  // server; and if the two clocks disagree, because the machine was suspended or its time was set. If the server cannot be asked then, a time that
  // is too late does less harm than one that is too early: what was sent seems younger.
  #now(): number {
    if (this.#waiting?.length) this.#flush(); // otherwise the wait for the lock would count as the server's time
    const [elapsed, wall, known] = [systemClock.elapsed(), systemClock.now(), this.#time];
    const passed = [elapsed - (known?.elapsed ?? 0), wall - (known?.wall ?? 0)] as const;
    const isOld = known?.connection !== this.#connection || passed[0] >= LIMITS.databaseTimeMs;
    const isToAsk = isOld && this.#connection !== undefined; // a server that is away is asked often enough anyway
    if (known !== undefined && !isToAsk && Math.abs(passed[0] - passed[1]) < LIMITS.clocksDifferMs)
      return Math.round(known.server + passed[0]);
    try {
      const server = Number(this.get(TIME)?.["time"]);
      // After a long wait, the server may have read its clock at any moment of the wait.
      const isRecent = systemClock.elapsed() - elapsed < LIMITS.clocksDifferMs;
      if (isRecent) this.#time = { server, elapsed, wall, connection: this.#connection };
      return server;
    } catch (error) {
      if (known === undefined || this.#waiting !== undefined) throw error;
      return Math.round(known.server + Math.max(...passed));
    }
  }

  /** Does nothing, because each transaction begins with this check. */
  assertInPlace(): void {
    // each transaction begins with this check
  }

  assertDurable(): void {
    assertDurable(this);
  }

  assertPrimary(): void {
    assertPrimary(this);
  }

  /** Returns the format of the tables of a layout; 0 if there are none. During a move, it leaves out the mark in it. */
  formatOf(layout: TableLayout): number {
    const { about, holder } = this.get("SELECT to_regclass('about')::text AS about, to_regclass('holder')::text AS holder") ?? {};
    if ((about ?? null) === null || (holder ?? null) === null) return 0;
    const format = Number(this.get("SELECT format FROM about WHERE part = ?", partOf(layout).part)?.["format"] ?? 0);
    return this.#isMoving ? plainFormat(format) : format;
  }

  /** Returns nothing, because the server checks its own pages. */
  quickCheck(): readonly string[] {
    return []; // the server checks its own pages
  }

  /** Runs statements that create or change tables. Within a transaction they are sent later, with its next query or its end. */
  exec(sql: string): void {
    const script: Statement = { text: sql, values: undefined };
    if (this.#waiting === undefined) this.#send([script]);
    else this.#waiting.push({ ...script, result: undefined });
  }

  /** Runs a statement that changes rows. Within a transaction, reading the number of changes sends the waiting statements. */
  run(sql: string, ...values: Cell[]): Changed {
    if (this.#waiting === undefined) return { changes: this.#send([statement(sql, values)])[0]?.changes ?? 0 };
    const waiting: Awaited = { ...statement(sql, values), result: undefined };
    this.#waiting.push(waiting);
    const flush = (): void => this.#flush();
    return {
      get changes() {
        if (waiting.result === undefined) flush();
        return waiting.result?.changes ?? 0;
      },
    };
  }

  /** Returns the first row of a query; undefined if there is none. */
  get(sql: string, ...values: Cell[]): SqlRow | undefined {
    return this.all(sql, ...values)[0];
  }

  /** Returns all rows of a query. Within a transaction, the waiting statements are sent with it. */
  all(sql: string, ...values: Cell[]): readonly SqlRow[] {
    if (this.#waiting === undefined) return this.#send([statement(sql, values)], true)[0]?.rows ?? [];
    const waiting: Awaited = { ...statement(sql, values), result: undefined };
    this.#waiting.push(waiting);
    this.#flush();
    return waiting.result?.rows ?? [];
  }

  /** Returns all rows of a query, which are held in memory together. */
  iterate(sql: string, ...values: Cell[]): Iterable<SqlRow> {
    return this.all(sql, ...values);
  }

  transaction<T>(work: () => T): T {
    return this.#transact(work, "pg_advisory_xact_lock");
  }

  /** Does the same for work that only changes runs which this process holds: others may do this at the same time. */
  sharedTransaction(work: () => void): void {
    this.#transact(work, "pg_advisory_xact_lock_shared");
  }

  #transact<T>(work: () => T, lock: string): T {
    invariant(this.#waiting === undefined, "a transaction holds no other");
    this.#waiting = this.#beginning(lock);
    this.#isBegun = false;
    this.#requires = false;
    try {
      const result = work();
      this.run("COMMIT");
      this.#flush();
      this.#isUnsure = false;
      return result;
    } catch (error) {
      this.#rollBack();
      throw error;
    } finally {
      this.#waiting = undefined;
    }
  }

  // If nothing is found, the server reports a division by zero when it executes the query.
  /** Makes the transaction throw an Unmet unless a query finds a row, at the latest when it ends. Only within a transaction. */
  require(sql: string, ...values: Cell[]): void {
    invariant(this.#waiting !== undefined, "only a transaction requires something");
    this.run(`SELECT 1 / count(*) FROM (${sql}) AS found`, ...values);
    this.#requires = true;
  }

  /** Closes the connection. Closing it again does nothing. */
  close(): void {
    if (this.#connection !== undefined) ask({ kind: "close", connection: this.#connection });
    this.#connection = undefined;
  }

  /** Closes it at the end of its scope (`using`). */
  [Symbol.dispose](): void {
    this.close();
  }

  // The lock covers only the tables of this layout. The transaction fails if a table is missing, has another format or a mark by now, or if a pooler gives us
  // another session than our own. After a lost answer, the records that we look for may not be on the standbys yet. So the transaction also writes, because
  // its commit then waits for everything that was committed before it.
  #beginning(how: string): Awaited[] {
    const { part } = this.#part;
    const lock = (name: string): Statement => statement(`SELECT ${how}(hashtext(?), hashtext(?))`, [this.server.schema, name]);
    const format = this.#isMoving ? PLAIN_FORMAT : "format";
    const isOurs = `part = ? AND ${format} = ? AND current_setting('${MARK_OF_SESSION}', true) = ?`;
    const check = statement(`SELECT 1 / count(*) FROM about WHERE ${isOurs}`, [part, this.#newest, this.#mark]);
    const write = statement("UPDATE about SET format = format WHERE part = ?", [part]);
    const made = [lock(part), check, ...(this.#isUnsure ? [write] : [])];
    const begin = [statement("BEGIN", []), ...(this.#isMade ? made : [lock("tables")])];
    return begin.map((each) => ({ ...each, result: undefined }));
  }

  #flush(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting &&= [];
    this.#isBegun = true;
    const results = this.#send(waiting);
    for (const [at, each] of waiting.entries()) each.result = results[at];
  }

  #rollBack(): void {
    if (!this.#isBegun || this.#connection === undefined) return;
    const answer = ask({ kind: "send", connection: this.#connection, statements: [statement("ROLLBACK", [])] });
    if ("error" in answer) this.close();
  }

  // Statements that had no effect, or only read, are sent again on a new connection. The middle of a transaction is not.
  #send(statements: readonly Statement[], isRead = false): readonly StatementResult[] {
    const isMiddle = this.#waiting !== undefined && statements[0]?.text !== "BEGIN";
    const isFresh = this.#connection === undefined;
    if (isFresh && isMiddle)
      throw new PassingFailure({ code: AWAY.code, message: `${this.path} has ended the connection`, next: AWAY.next });
    const connection = (this.#connection ??= this.#connect());
    const answer = ask({ kind: "send", connection, statements });
    if (!("error" in answer)) return answer;
    const { error } = answer;
    // After a failover, the address may lead to another server.
    if (error.isBroken || error.code === READ_ONLY) this.close();
    if (error.isBroken && !isFresh && !isMiddle && (error.isUnsent || isRead)) return this.#send(statements, isRead);
    if (this.#waiting !== undefined && this.#requires && error.code === DIVISION_BY_ZERO) throw new Unmet();
    const commits = this.#waiting === undefined ? !isRead : statements.at(-1)?.text === "COMMIT";
    if (commits && error.isBroken && !error.isUnsent) this.#isUnsure = true;
    throw failureOf(this.path, error, this.#isUnsure);
  }

  #connect(): number {
    const connection = ++connections;
    const address = { url: this.server.url.reveal(), schema: this.server.schema };
    const answer = ask({ kind: "open", connection, address, readOnly: this.#readOnly, mark: this.#mark });
    if ("error" in answer) throw failureOf(this.path, answer.error, this.#isUnsure);
    return connection;
  }
}

/** Returns how messages name a state on a server: without its address, which contains a password. */
export function pathOf({ schema }: ServerPlace): string {
  return `the schema "${schema}" of the database`;
}

interface Awaited extends Statement {
  result: StatementResult | undefined;
}

const texts = new Map<string, string>();

// Converts SQLite's placeholders to those of the server. A text of the service that the server cannot store must not stop a run again and
// again.
function statement(sql: string, values: readonly Cell[]): Statement {
  const text = getOrInsert(texts, sql, () => {
    let at = 0;
    return sql.replaceAll("?", () => `$${++at}`);
  });
  return { text, values: values.map((value) => (typeof value === "string" ? storable(value) : value)) };
}
