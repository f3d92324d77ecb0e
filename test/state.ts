// The state of one test: a folder, or a schema on a server for the test files that run a second time, in the project "server".
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { inject, onTestFinished } from "vitest";
import { systemClock } from "../src/base/ports.ts";
import { Secret } from "../src/base/secret.ts";
import { JournalStore } from "../src/journal/store.ts";
import { PostgresDatabase } from "../src/postgres/database.ts";
import type { Cell, SqlDatabase, SqlRow } from "../src/sql/database.ts";
import type { ServerPlace, StatePlace } from "../src/sql/place.ts";
import { Database } from "../src/sqlite/database.ts";
import type { StatePart } from "../src/state/tables.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The address of the server; empty if tests keep their state in folders. */
    readonly postgres: string;
  }
}

/** Whether the tests of this process keep their state on a server. */
export const ON_SERVER: boolean = (inject("postgres") ?? "") !== "";

/** The state of one test. It is removed when the test ends. */
export class TestState {
  readonly place: StatePlace;

  constructor() {
    this.place = ON_SERVER ? newSchema(inject("postgres")) : mkdtempSync(join(tmpdir(), "tokenbook-state-"));
    onTestFinished(() => this.#remove());
  }

  /** The folder, for tests that look at files. */
  get folder(): string {
    if (typeof this.place !== "string") throw new Error("the state of this test is on a server");
    return this.place;
  }

  /** Opens the journal. The test must close it. */
  openJournal(): JournalStore {
    return JournalStore.open(this.place, { clock: systemClock, redact: (text) => text });
  }

  /** Changes the tables as another process, or a person, would. */
  tamper(part: StatePart, sql: string, ...values: Cell[]): void {
    this.ask(part, (database) => (values.length === 0 ? database.exec(sql) : void database.run(sql, ...values)));
  }

  /** Reads rows straight from the tables. */
  rows(part: StatePart, sql: string): readonly SqlRow[] {
    return this.ask(part, (database) => database.all(sql));
  }

  ask<T>({ entry, layout }: StatePart, work: (database: SqlDatabase) => T): T {
    const { place } = this;
    const database = typeof place === "string" ? Database.open(join(place, entry), layout) : PostgresDatabase.open(place, layout);
    try {
      return work(database);
    } finally {
      database.close();
    }
  }

  // Each store that a test has left open would hold a connection.
  async #remove(): Promise<void> {
    const { place } = this;
    if (typeof place === "string") rmSync(place, { recursive: true, force: true });
    else await drop(place);
  }
}

function newSchema(address: string): ServerPlace {
  return { url: new Secret("state.postgres", address), schema: `test_${randomBytes(6).toString("hex")}`, accepted: [] };
}

async function drop({ url, schema }: ServerPlace): Promise<void> {
  const client = new Client({ connectionString: url.reveal() });
  await client.connect();
  try {
    await client.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1", [
      `tokenbook ${schema}`,
    ]);
    await client.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
  } finally {
    await client.end();
  }
}
