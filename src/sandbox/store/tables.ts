import { Failure } from "../../base/failure.ts";
import type { Database } from "../../sqlite/database.ts";
import { TableLayout } from "../../sql/layout.ts";

// This list only grows: entry n migrates a file from version n to n + 1. Exact numbers are stored in JSON text, with all digits.
const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;

  CREATE TABLE resources (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    scope TEXT NOT NULL,
    body TEXT NOT NULL,
    UNIQUE (kind, id)
  ) STRICT;
  CREATE INDEX resources_by_scope ON resources (kind, scope, seq);

  CREATE TABLE history (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    body TEXT NOT NULL
  ) STRICT;
  CREATE INDEX history_by_resource ON history (kind, id, seq);

  CREATE TABLE ledger_transactions (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    transaction_id TEXT NOT NULL UNIQUE,
    receipt_id TEXT NOT NULL UNIQUE,
    operation TEXT NOT NULL,
    actor TEXT NOT NULL,
    body TEXT NOT NULL,
    commit_at INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('PENDING', 'COMMITTED', 'FAILED')),
    condition TEXT,
    message TEXT NOT NULL
  ) STRICT;
  CREATE INDEX pending_transactions ON ledger_transactions (seq) WHERE state = 'PENDING';

  CREATE TABLE commits (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    transaction_id TEXT NOT NULL,
    interface TEXT NOT NULL,
    operation TEXT NOT NULL,
    actor TEXT NOT NULL,
    body TEXT NOT NULL
  ) STRICT;
  `,
  `
  ALTER TABLE ledger_transactions ADD COLUMN held INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE ledger_transactions ADD COLUMN doom TEXT;
  CREATE INDEX resources_in_order ON resources (kind, seq);
  `,
];

/** The tables of a sandbox's file. */
export const SANDBOX: TableLayout = new TableLayout(MIGRATIONS);

/** Migrates the file to the current schema in one transaction. `fill` runs in it if the file was empty. */
export function migrate(database: Database, fill: () => void): void {
  database.transaction(() => {
    const version = SANDBOX.versionOf(database);
    if (version > SANDBOX.newest) throw newerFile(database.path, version);
    SANDBOX.bringUp(database);
    if (version === 0) fill();
  });
}

function newerFile(path: string, version: number): Failure {
  return new Failure({
    code: "sandbox.file-too-new",
    message: `the sandbox file ${path} has schema version ${version}; this program knows versions up to ${SANDBOX.newest}`,
    next: "use the newer program, or start the sandbox on another file",
  });
}
