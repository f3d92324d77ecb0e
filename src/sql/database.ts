import type { Clock } from "../base/ports.ts";
import type { ServerPlace } from "./place.ts";
import type { TableLayout } from "./layout.ts";

/** The values of one column. Amounts are always TEXT, because the databases' own numbers would round them. */
export type Cell = string | number | bigint | null;
/** One row of a result, by the names of its columns. */
export type SqlRow = Readonly<Record<string, Cell>>;

/** What a statement has changed. */
export interface Changed {
  /** How many rows were inserted, updated or deleted. */
  readonly changes: number;
}

/**
 * A database as everything above the doors uses it: a SQLite file or a schema of a PostgreSQL server. A statement is written once, in the SQL
 * that both understand. Each call returns when the database has answered: see decision 156.
 */
export interface SqlDatabase extends Disposable {
  /** What messages call it. */
  readonly path: string;
  /** The file, where it is one. */
  readonly file: string | undefined;
  /** The server, where it is on one. */
  readonly server: ServerPlace | undefined;
  /** Gives the time by which all who use the database keep records: that of its server, or of this machine where it is a file. */
  readonly clock: Clock;
  /** Throws a DatabaseFailure when it was removed or replaced: nobody would find what is written then. */
  assertInPlace(): void;
  /** Throws a Failure when it may lose what it calls durable: who has set up a server can change that while it is in use. */
  assertDurable(): void;
  /** Returns the format of the tables of a layout; 0 where there are none. */
  formatOf(layout: TableLayout): number;
  /** Returns the damage in its structure, as far as the database can find it; nothing when it is intact. */
  quickCheck(): readonly string[];
  /** Runs statements that make or change tables. */
  exec(sql: string): void;
  /** Runs a statement that changes rows. Throws a DatabaseFailure. */
  run(sql: string, ...values: Cell[]): Changed;
  /** Returns the first row of a query; undefined when there is none. Throws a DatabaseFailure. */
  get(sql: string, ...values: Cell[]): SqlRow | undefined;
  /** Returns all rows of a query. Throws a DatabaseFailure. */
  all(sql: string, ...values: Cell[]): readonly SqlRow[];
  /** Returns the rows of a query one by one, where the database can; on a server all are held at once. */
  iterate(sql: string, ...values: Cell[]): Iterable<SqlRow>;
  /** Runs `work` in one transaction beside which nobody writes: all of it is durable when this returns, or none of it if it throws. */
  transaction<T>(work: () => T): T;
  /**
   * The same for work that changes nothing but runs that this process holds: others may write for theirs beside it, where the database can
   * do both at once. Nobody takes a run over meanwhile.
   */
  sharedTransaction(work: () => void): void;
  /**
   * Lets the transaction throw an Unmet unless a query finds a row: now, or when it ends. On a server it costs no round trip of its own. Only
   * within a transaction.
   */
  require(sql: string, ...values: Cell[]): void;
  /** Closes the connection. */
  close(): void;
}
