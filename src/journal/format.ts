import { statSync } from "node:fs";
import { type Access, isPrivateThere } from "../files/private.ts";
import { stateEntry } from "../files/state.ts";
import { newerFailure, type StatePart } from "../state/tables.ts";
import type { SqlDatabase } from "../sql/database.ts";
import { type ServerTables, TableLayout } from "../sql/layout.ts";
import { APPROVAL_SCHEMA } from "./approvals.ts";
import { ARCHIVE_SCHEMA } from "./archives/archives.ts";
import { LEASE_SCHEMA } from "./leases.ts";
import { PROOF_SCHEMA } from "./proofs.ts";
import { gone, lastRecordOf, Tail, type TailFile, tailFileOf } from "./tail.ts";

// Records are rows by number: in the tree of a key a body of more than a kilobyte would take a page of its own.
const SCHEMA = `
CREATE TABLE run (
  id TEXT PRIMARY KEY, playbook TEXT NOT NULL, environment TEXT NOT NULL, opened_at INTEGER NOT NULL,
  outcome TEXT, epoch INTEGER NOT NULL, holder TEXT
) STRICT;
CREATE TABLE record (
  run_id TEXT NOT NULL REFERENCES run (id), sequence INTEGER NOT NULL, epoch INTEGER NOT NULL, at INTEGER NOT NULL,
  kind TEXT NOT NULL, body TEXT NOT NULL, previous TEXT NOT NULL, hash TEXT NOT NULL,
  PRIMARY KEY (run_id, sequence)
) STRICT;
`;

const GROUP_SCHEMA = `
CREATE TABLE group_hold (
  name TEXT PRIMARY KEY, run_id TEXT NOT NULL, holder TEXT NOT NULL, since INTEGER NOT NULL
) STRICT;
`;

// Where each run's chain of records ends.
const END_SCHEMA = `
ALTER TABLE run ADD COLUMN last_sequence INTEGER NOT NULL DEFAULT -1;
ALTER TABLE run ADD COLUMN last_hash TEXT NOT NULL DEFAULT '';
UPDATE run SET last_sequence = COALESCE((SELECT MAX(sequence) FROM record WHERE run_id = id), -1);
UPDATE run SET last_hash = COALESCE((SELECT hash FROM record WHERE run_id = id AND sequence = last_sequence), '');
`;

// Losses that a person has accepted, and the runs that nobody continues since.
const LOSS_SCHEMA = `
CREATE TABLE loss (
  id INTEGER PRIMARY KEY, at INTEGER NOT NULL, who TEXT NOT NULL, because TEXT NOT NULL, what TEXT NOT NULL
) STRICT;
CREATE TABLE ended_run (run_id TEXT PRIMARY KEY, loss INTEGER NOT NULL REFERENCES loss (id)) STRICT;
`;

// Which runs may have left a write open (`settled` 0), which run was the last of a playbook, and which one has a caller's key. What is not
// known of older runs is looked up in their records.
const START_SCHEMA = `
ALTER TABLE run ADD COLUMN settled INTEGER NOT NULL DEFAULT 0;
ALTER TABLE run ADD COLUMN identity TEXT NOT NULL DEFAULT '';
ALTER TABLE run ADD COLUMN key TEXT;
UPDATE run SET settled = 1 WHERE outcome = 'passed';
CREATE INDEX run_unsettled ON run (opened_at) WHERE settled = 0;
CREATE INDEX run_of_playbook ON run (identity, environment, opened_at);
CREATE UNIQUE INDEX run_key ON run (key) WHERE key IS NOT NULL;
`;

// What each version adds to the one before: a journal of any of them is brought up to the last, and loses nothing.
const MIGRATIONS: readonly string[] = [
  SCHEMA,
  GROUP_SCHEMA,
  LEASE_SCHEMA,
  END_SCHEMA,
  PROOF_SCHEMA,
  LOSS_SCHEMA,
  START_SCHEMA,
  APPROVAL_SCHEMA,
  ARCHIVE_SCHEMA,
];

const ON_SERVER: ServerTables = {
  part: "journal",
  since: 8,
  create: `
CREATE TABLE run (
  id TEXT COLLATE "C" PRIMARY KEY, playbook TEXT NOT NULL, environment TEXT NOT NULL, opened_at BIGINT NOT NULL, outcome TEXT,
  last_sequence BIGINT NOT NULL DEFAULT -1, last_hash TEXT NOT NULL DEFAULT '', settled BIGINT NOT NULL DEFAULT 0,
  identity TEXT NOT NULL DEFAULT '', key TEXT);
CREATE INDEX run_opened ON run (opened_at, id);
CREATE INDEX run_unsettled ON run (opened_at) WHERE settled = 0;
CREATE INDEX run_of_playbook ON run (identity, environment, opened_at);
CREATE UNIQUE INDEX run_key ON run (key) WHERE key IS NOT NULL;
CREATE TABLE record (
  rowid BIGINT GENERATED ALWAYS AS IDENTITY, run_id TEXT COLLATE "C" NOT NULL REFERENCES run (id), sequence BIGINT NOT NULL,
  epoch BIGINT NOT NULL, at BIGINT NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL, previous TEXT NOT NULL, hash TEXT NOT NULL,
  PRIMARY KEY (run_id, sequence));
CREATE TABLE lease (
  kind TEXT COLLATE "C" NOT NULL, name TEXT COLLATE "C" NOT NULL, run_id TEXT COLLATE "C" NOT NULL, epoch BIGINT NOT NULL, holder TEXT,
  since BIGINT NOT NULL, shared BIGINT NOT NULL DEFAULT 0, PRIMARY KEY (kind, name, run_id));
CREATE INDEX lease_of_run ON lease (run_id);
CREATE TABLE proof (
  id TEXT COLLATE "C" NOT NULL, run_id TEXT COLLATE "C" NOT NULL, step TEXT NOT NULL, PRIMARY KEY (id, run_id));
CREATE TABLE loss (
  id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, at BIGINT NOT NULL, who TEXT NOT NULL, because TEXT NOT NULL, what TEXT NOT NULL);
CREATE TABLE ended_run (run_id TEXT COLLATE "C" PRIMARY KEY, loss BIGINT NOT NULL REFERENCES loss (id));
CREATE TABLE approval (
  plan TEXT NOT NULL, who TEXT NOT NULL, because TEXT NOT NULL, at BIGINT NOT NULL, PRIMARY KEY (plan, who));
`,
  migrations: [
    `
CREATE TABLE archive (number BIGINT PRIMARY KEY, digest TEXT NOT NULL, file TEXT NOT NULL, sealed_at BIGINT NOT NULL);
CREATE TABLE archived_run (
  id TEXT COLLATE "C" PRIMARY KEY, archive BIGINT NOT NULL REFERENCES archive (number), outcome TEXT NOT NULL, key TEXT, target TEXT);
CREATE UNIQUE INDEX archived_key ON archived_run (key) WHERE key IS NOT NULL;
`,
  ],
  copied: [
    { name: "run", order: "opened_at, id" },
    { name: "record", order: "sequence", pieces: { table: "run", column: "run_id" } },
    { name: "lease", order: "run_id, kind, name" },
    { name: "proof", order: "id, run_id" },
    { name: "approval", order: "at, plan, who" },
    { name: "loss", order: "id", isNumbered: true },
    { name: "ended_run", order: "run_id", refers: { column: "loss", table: "loss" } },
    { name: "archive", order: "number" },
    { name: "archived_run", order: "id" },
  ],
};

/** The tables of a journal. */
export const JOURNAL: TableLayout = new TableLayout(MIGRATIONS, { server: ON_SERVER });

/** The journal as a part of the state. */
export const JOURNAL_PART: StatePart = { entry: "journal.db", layout: JOURNAL, newerCode: "journal.newer" };

/** The format that this version writes. */
export const FORMAT: number = JOURNAL.newest;

// From this one on a journal has a tail.
const TAILED = 6;

/** Returns the path of the journal of a state directory. Throws a Failure when the directory cannot be trusted. */
export function journalIn(stateDirectory: string, access: Access | "create"): string {
  return stateEntry(stateDirectory, "journal.db", access);
}

/** The tail of a journal: beside it, or where the ports have it. One that ends with its process needs none. */
export function tailOf(database: SqlDatabase, { tail }: { readonly tail?: TailFile | undefined }): Tail {
  return new Tail(tail ?? (database.file === undefined ? undefined : tailFileOf(database.file)));
}

/** Throws a Failure when a journal is not there, or empty, though something beside it shows that it had records. */
export function assertThere(journal: string): void {
  if (sizeOf(journal) > 0) return;
  try {
    new Tail(tailFileOf(journal)).assertNothingLost(journal);
    if (sizeOf(`${journal}-wal`) > 0) throw gone(journal, `its log ${journal}-wal is there`);
  } catch (error) {
    // Another process may have made the journal meanwhile, with all that is beside it.
    if (sizeOf(journal) === 0) throw error;
  }
}

function sizeOf(path: string): number {
  return isPrivateThere(path) ? statSync(path).size : 0;
}

/** Throws a Failure when a journal has lost records that its tail names, or must have a tail and has none. */
export function assertWhole(database: SqlDatabase, tail: Tail): void {
  if (versionOf(database) < TAILED) tail.assertNotAhead(database);
  else tail.assertKept(database);
}

/** Brings a journal up to the present format. Throws a Failure when it is of a later one, or has lost records. */
export function migrate(database: SqlDatabase, tail: Tail): void {
  const version = versionOf(database);
  if (version === FORMAT) return;
  if (version > FORMAT) throw newerFailure(database.path, JOURNAL_PART, version);
  assertWhole(database, tail);
  database.transaction(() => {
    const before = versionOf(database);
    JOURNAL.bringUp(database);
    // Durable before the format says that it must be there.
    if (before < TAILED) tail.create(lastRecordOf(database));
  });
  // So that a log that is cut leaves a journal of this format, and not one that looks new.
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
}

/** The format in which a journal was written. */
export function versionOf(database: SqlDatabase): number {
  return database.formatOf(JOURNAL);
}
