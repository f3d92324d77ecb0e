import type { Clock } from "../base/ports.ts";
import type { ServerPlace } from "./place.ts";
import type { TableLayout } from "./layout.ts";

/** The value of a column. Amounts are always TEXT, because the numbers of databases would round them. */
export type Cell = string | number | bigint | null;
/** One row of a result, by the names of its columns. */
export type SqlRow = Readonly<Record<string, Cell>>;

/** What a statement has changed. */
export interface Changed {
  /** How many rows were inserted, updated or deleted. */
  readonly changes: number;
}

/**
 * A database in the form in which everything above the doors uses it: a SQLite file or a schema of a PostgreSQL server. Each statement is
 * written once, in the SQL that both understand. Each call blocks until the database has answered (decision 156).
 */
export interface SqlDatabase extends Disposable {
  /** Its name in messages. */
  readonly path: string;
  /** The path of the file, if it is a file. */
  readonly file: string | undefined;
  /** The server, if it is on a server. */
  readonly server: ServerPlace | undefined;
  /** Gives the time for records of all users of the database: the server's or, for a file, this machine's. */
  readonly clock: Clock;
  /** Throws a DatabaseFailure if the database was removed or replaced, because nobody would find what is written to it. */
  assertInPlace(): void;
  /** Throws a Failure if the database may lose what it reports as durable. An administrator can change this while the database is in use. */
  assertDurable(): void;
  /** Throws a PassingFailure while the database can only be read, because its server is a standby. */
  assertPrimary(): void;
  /** Returns the format of the tables of a layout; 0 if there are none. */
  formatOf(layout: TableLayout): number;
  /** Returns the damage that the database finds in its structure; nothing if it is intact. */
  quickCheck(): readonly string[];
  /** Runs statements that create or change tables. */
  exec(sql: string): void;
  /** Runs a statement that changes rows. Throws a DatabaseFailure. */
  run(sql: string, ...values: Cell[]): Changed;
  /** Returns the first row of a query; undefined if there is none. Throws a DatabaseFailure. */
  get(sql: string, ...values: Cell[]): SqlRow | undefined;
  /** Returns all rows of a query. Throws a DatabaseFailure. */
  all(sql: string, ...values: Cell[]): readonly SqlRow[];
  /** Returns the rows of a query one by one, if the database can do this. On a server, all rows are held together. */
  iterate(sql: string, ...values: Cell[]): Iterable<SqlRow>;
  /** Runs `work` in a transaction, while nobody else writes. When this returns, everything in it is durable; if it throws, nothing is. */
  transaction<T>(work: () => T): T;
  /**
   * Does the same for work that only changes runs which this process holds. Others may write for their runs at the same time, if the
   * database allows this. Nobody can take over a run meanwhile.
   */
  sharedTransaction(work: () => void): void;
  /**
   * Makes the transaction throw an Unmet unless a query finds a row, now or when it ends. On a server this needs no extra round trip. Only
   * within a transaction.
   */
  require(sql: string, ...values: Cell[]): void;
  /** Closes the connection. */
  close(): void;
}
