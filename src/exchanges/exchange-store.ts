import { DAY_MS } from "../base/time/date.ts";
import { LIMITS } from "../base/limits.ts";
import type { Clock } from "../base/ports.ts";
import type { SqlDatabase, SqlRow } from "../sql/database.ts";
import { type ServerTables, TableLayout } from "../sql/layout.ts";
import type { StatePlace } from "../sql/place.ts";
import { openPart, type StatePart } from "../state/tables.ts";
import type { KeptExchange } from "./kept.ts";

const TABLES = `
CREATE TABLE exchange (
  id INTEGER PRIMARY KEY, run TEXT NOT NULL, environment TEXT NOT NULL, at INTEGER NOT NULL, body TEXT NOT NULL) STRICT;
CREATE INDEX exchange_of ON exchange (run, id);
CREATE TABLE finding (
  environment TEXT NOT NULL, id TEXT NOT NULL, since INTEGER NOT NULL, PRIMARY KEY (environment, id)) STRICT;
`;

const ON_SERVER: ServerTables = {
  part: "exchanges",
  since: 1,
  copied: [
    { name: "exchange", order: "id", isNumbered: true },
    { name: "finding", order: "environment, id" },
  ],
};

/** The stored exchanges as a part of the state. */
export const EXCHANGES_PART: StatePart = {
  entry: "exchanges.db",
  layout: new TableLayout([TABLES], { server: ON_SERVER }),
  newerCode: "exchanges.newer",
};

/** The exchanges that runs were asked to store, and the findings in them: one file in the state directory. */
export class ExchangeStore {
  /** The clock of the state. */
  readonly clock: Clock;
  readonly #database: SqlDatabase;

  private constructor(database: SqlDatabase) {
    this.clock = database.clock;
    this.#database = database;
  }

  /** Opens the store, and creates it if there is none. Throws a Failure. */
  static open(place: StatePlace): ExchangeStore {
    return new ExchangeStore(openPart(place, EXCHANGES_PART));
  }

  /** Opens the store if there is one; otherwise returns an empty one that leaves nothing behind. Throws a Failure. */
  static existing(place: StatePlace): ExchangeStore {
    return new ExchangeStore(openPart(place, EXCHANGES_PART, "existing"));
  }

  /** Stores one more exchange of a run. */
  keep(run: string, environment: string, exchange: KeptExchange): void {
    this.#database.run(
      "INSERT INTO exchange (run, environment, at, body) VALUES (?, ?, ?, ?)",
      run,
      environment,
      exchange.startedAt,
      JSON.stringify(exchange),
    );
  }

  /** Returns how many exchanges of a run are stored. */
  count(run: string): number {
    return Number(this.#database.get("SELECT count(*) AS n FROM exchange WHERE run = ?", run)?.["n"]);
  }

  /** Yields the exchanges of a run in the order in which they ended. */
  *of(run: string): Generator<KeptExchange> {
    for (const row of this.#database.iterate("SELECT run, body FROM exchange WHERE run = ? ORDER BY id", run))
      yield exchangeIn(row);
  }

  /** Yields the exchanges of all runs in an environment, in the order in which they ended. */
  *in(environment: string): Generator<KeptExchange> {
    const rows = this.#database.iterate("SELECT run, body FROM exchange WHERE environment = ? ORDER BY id", environment);
    for (const row of rows) yield exchangeIn(row);
  }

  /** Returns the environments that have exchanges. */
  environments(): readonly string[] {
    return this.#database.all("SELECT DISTINCT environment FROM exchange").map(({ environment }) => String(environment));
  }

  /** Deletes the exchanges of some runs, and returns their number. */
  dropOf(runs: readonly string[]): number {
    return this.#database.transaction(() =>
      runs.reduce((sum, run) => sum + this.#database.run("DELETE FROM exchange WHERE run = ?", run).changes, 0),
    );
  }

  /** Deletes the exchanges that began before a moment, and returns their number. */
  dropBefore(at: number): number {
    return this.#database.run("DELETE FROM exchange WHERE at < ?", at).changes;
  }

  /** Deletes exchanges that are older than `LIMITS.exchangeDays`. */
  dropOld(now: number): void {
    this.dropBefore(now - LIMITS.exchangeDays * DAY_MS);
  }

  /** Stores findings of an environment, and returns since when each is known. */
  remember(environment: string, ids: readonly string[], now: number): ReadonlyMap<string, number> {
    return this.#database.transaction(
      () =>
        new Map(
          ids.map((id) => {
            this.#database.run(
              "INSERT INTO finding (environment, id, since) VALUES (?, ?, ?) ON CONFLICT (environment, id) DO NOTHING",
              environment,
              id,
              now,
            );
            const row = this.#database.get("SELECT since FROM finding WHERE environment = ? AND id = ?", environment, id);
            return [id, Number(row?.["since"])];
          }),
        ),
    );
  }

  /** Closes its file or its connection. */
  close(): void {
    this.#database.close();
  }

  /** Closes the store when its scope ends (`using`). */
  [Symbol.dispose](): void {
    this.close();
  }
}

/** Yields the stored exchanges of a run. Throws a Failure. */
export function* keptExchanges(place: StatePlace, run: string): Generator<KeptExchange> {
  using store = ExchangeStore.existing(place);
  yield* store.of(run);
}

function exchangeIn({ run, body }: SqlRow): KeptExchange {
  return { ...(JSON.parse(String(body)) as KeptExchange), run: String(run) };
}
