import { statSync } from "node:fs";
import { type Access, isPrivateThere } from "../files/private.ts";
import { stateEntry } from "../files/state.ts";
import { newerFailure, type StatePart } from "../state/tables.ts";
import type { SqlDatabase } from "../sql/database.ts";
import { type ServerTables, TableLayout } from "../sql/layout.ts";
import { APPROVAL_SCHEMA } from "./approvals.ts";
import { ARCHIVE_SCHEMA } from "./archives/archives.ts";
import { FIRST_LEASES, LEASE_TABLE } from "./leases.ts";
import { FIRST_PROOFS, PROOF_TABLE } from "./proofs.ts";
import { ServerTail } from "./server-tail.ts";
import { FileTail, goneFailure, type Tail, type TailFile, tailFileOf } from "./tail.ts";

// Records are stored by row number. In the tree of a text key, a body of more than a kilobyte would take a page of its own.
const RECORD_TABLE = `
CREATE TABLE record (
  run_id TEXT NOT NULL REFERENCES run (id), sequence INTEGER NOT NULL, epoch INTEGER NOT NULL, at INTEGER NOT NULL,
  kind TEXT NOT NULL, body TEXT NOT NULL, previous TEXT NOT NULL, hash TEXT NOT NULL,
  PRIMARY KEY (run_id, sequence)
) STRICT;
`;

const RUN_TABLE = `
CREATE TABLE run (
  id TEXT PRIMARY KEY, playbook TEXT NOT NULL, environment TEXT NOT NULL, opened_at INTEGER NOT NULL,
  outcome TEXT, epoch INTEGER NOT NULL, holder TEXT
) STRICT;
`;

const GROUP_SCHEMA = `
CREATE TABLE group_hold (
  name TEXT PRIMARY KEY, run_id TEXT NOT NULL, holder TEXT NOT NULL, since INTEGER NOT NULL
) STRICT;
`;

// The end of each run's chain of records.
const END_SCHEMA = `
ALTER TABLE run ADD COLUMN last_sequence INTEGER NOT NULL DEFAULT -1;
ALTER TABLE run ADD COLUMN last_hash TEXT NOT NULL DEFAULT '';
UPDATE run SET last_sequence = COALESCE((SELECT MAX(sequence) FROM record WHERE run_id = id), -1);
UPDATE run SET last_hash = COALESCE((SELECT hash FROM record WHERE run_id = id AND sequence = last_sequence), '');
`;

// The losses that a person has accepted, and the runs that cannot be resumed because of them.
const LOSS_SCHEMA = `
CREATE TABLE loss (
  id INTEGER PRIMARY KEY, at INTEGER NOT NULL, who TEXT NOT NULL, because TEXT NOT NULL, what TEXT NOT NULL
) STRICT;
CREATE TABLE ended_run (run_id TEXT PRIMARY KEY, loss INTEGER NOT NULL REFERENCES loss (id)) STRICT;
`;

const START_INDEXES = `
CREATE INDEX run_unsettled ON run (opened_at) WHERE settled = 0;
CREATE INDEX run_of_playbook ON run (identity, environment, opened_at);
CREATE UNIQUE INDEX run_key ON run (key) WHERE key IS NOT NULL;
`;

// Which runs may have left a write open (`settled` 0), which run was the last of a playbook, and which run has a caller's key. For older
// runs, unknown values are looked up in their records.
const START_SCHEMA = `
ALTER TABLE run ADD COLUMN settled INTEGER NOT NULL DEFAULT 0;
ALTER TABLE run ADD COLUMN identity TEXT NOT NULL DEFAULT '';
ALTER TABLE run ADD COLUMN key TEXT;
UPDATE run SET settled = 1 WHERE outcome = 'passed';
${START_INDEXES}`;

// Until when other runs may find what a run has written, by the service's time; null while it may still write, or has left a write open.
const WRITTEN_SCHEMA = `
ALTER TABLE run ADD COLUMN written_until INTEGER;
UPDATE run SET written_until = COALESCE((SELECT at FROM record WHERE run_id = id AND sequence = last_sequence), 0) WHERE settled = 1;
CREATE INDEX run_written ON run (written_until);
`;

// What each version adds to the previous one. A journal of any version is brought up to the last one, and loses nothing.
const MIGRATIONS: readonly string[] = [
  RUN_TABLE + RECORD_TABLE,
  GROUP_SCHEMA,
  LEASE_TABLE + FIRST_LEASES,
  END_SCHEMA,
  PROOF_TABLE + FIRST_PROOFS,
  LOSS_SCHEMA,
  START_SCHEMA,
  APPROVAL_SCHEMA,
  ARCHIVE_SCHEMA,
  WRITTEN_SCHEMA,
];

const ON_SERVER: ServerTables = {
  part: "journal",
  since: 8,
  create: `
CREATE TABLE run (
  id TEXT PRIMARY KEY, playbook TEXT NOT NULL, environment TEXT NOT NULL, opened_at INTEGER NOT NULL, outcome TEXT,
  last_sequence INTEGER NOT NULL DEFAULT -1, last_hash TEXT NOT NULL DEFAULT '', settled INTEGER NOT NULL DEFAULT 0,
  identity TEXT NOT NULL DEFAULT '', key TEXT
);
CREATE INDEX run_opened ON run (opened_at, id);
${START_INDEXES}${RECORD_TABLE}${LEASE_TABLE}${PROOF_TABLE}${LOSS_SCHEMA}${APPROVAL_SCHEMA}`,
  copied: [
    { name: "run", order: "opened_at, id" },
    { name: "record", order: "sequence", hasRowid: true, pieces: { table: "run", column: "run_id" } },
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

/** The journal, as a part of the state. */
export const JOURNAL_PART: StatePart = { entry: "journal.db", layout: JOURNAL, newerCode: "journal.newer" };

/** The format that this version writes. */
export const FORMAT: number = JOURNAL.newest;

// From this format on, a journal has a tail.
const TAILED = 6;

/** Returns the path of the journal in a state directory. Throws a Failure if the directory cannot be trusted. */
export function journalIn(stateDirectory: string, access: Access | "create"): string {
  return stateEntry(stateDirectory, "journal.db", access);
}

/** Returns the tail of a journal: the file beside it, or the one of the ports. For a server, this machine has one. A journal in memory needs none. */
export function tailOf(database: SqlDatabase, { tail }: { readonly tail?: TailFile | undefined }): Tail {
  if (tail === undefined && database.server !== undefined) return new ServerTail(database.server);
  return new FileTail(tail ?? (database.file === undefined ? undefined : tailFileOf(database.file)));
}

/** Throws a Failure if a journal is missing or empty, although a file beside it shows that it had records. */
export function assertThere(journal: string): void {
  if (sizeOf(journal) > 0) return;
  try {
    new FileTail(tailFileOf(journal)).assertNothingLost(journal);
    if (sizeOf(`${journal}-wal`) > 0) throw goneFailure(journal, `its log ${journal}-wal is there`);
  } catch (error) {
    // Another process may have created the journal and the files beside it in the meantime.
    if (sizeOf(journal) === 0) throw error;
  }
}

function sizeOf(path: string): number {
  return isPrivateThere(path) ? statSync(path).size : 0;
}

/** Throws a Failure if a journal has lost records that its tail names, or must have a tail and has none. */
export function assertWhole(database: SqlDatabase, tail: Tail): void {
  // The tail of a server asks tables that earlier formats lack.
  if (versionOf(database) < (database.server === undefined ? TAILED : FORMAT)) tail.assertNotAhead(database);
  else tail.assertKept(database);
}

/** Brings a journal up to the present format. Throws a Failure if its format is newer, or it has lost records. */
export function migrate(database: SqlDatabase, tail: Tail): void {
  const version = versionOf(database);
  if (version === FORMAT) return;
  if (version > FORMAT) throw newerFailure(database.path, JOURNAL_PART, version);
  assertWhole(database, tail);
  database.transaction(() => {
    const before = versionOf(database);
    JOURNAL.bringUp(database);
    // The tail must be durable before the format says that it exists.
    if (before < TAILED) tail.create(database);
  });
  // If the log is cut off later, the journal still has this format, and does not look new.
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
}

/** Returns the format in which a journal was written. */
export function versionOf(database: SqlDatabase): number {
  return database.formatOf(JOURNAL);
}
