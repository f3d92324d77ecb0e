import { type ServerTables, TableLayout, type VersionPlace } from "../sql/layout.ts";
import type { StatePart } from "../state/tables.ts";

const ROWS = "json_extract(evidence, '$.left.rows') || ' and ' || json_extract(evidence, '$.right.rows')";

// For acknowledgements from before rows were counted, we assume the rows of the last run.
const ROWS_ACKNOWLEDGED = `
ALTER TABLE acknowledgement ADD COLUMN rows TEXT;
UPDATE acknowledgement SET rows = (SELECT ${ROWS} FROM drift WHERE drift.id = acknowledgement.drift);
`;

const TABLES = `
CREATE TABLE comparison (
  id INTEGER PRIMARY KEY, environment TEXT NOT NULL, playbook TEXT NOT NULL, name TEXT NOT NULL, scope TEXT NOT NULL,
  words TEXT NOT NULL, UNIQUE (environment, playbook, name, scope)) STRICT;
CREATE TABLE drift (
  id TEXT PRIMARY KEY, comparison INTEGER NOT NULL REFERENCES comparison (id), key TEXT NOT NULL, kind TEXT NOT NULL,
  left TEXT, right TEXT, difference TEXT, evidence TEXT NOT NULL, since_at INTEGER NOT NULL, since_run TEXT NOT NULL,
  first_alike_at INTEGER NOT NULL, last_at INTEGER NOT NULL, last_run TEXT NOT NULL, cleared_at INTEGER, cleared_run TEXT) STRICT;
CREATE INDEX drift_of ON drift (comparison, cleared_at);
CREATE TABLE sighting (
  drift TEXT NOT NULL, run TEXT NOT NULL, at INTEGER NOT NULL, left TEXT, right TEXT, difference TEXT, cleared INTEGER NOT NULL,
  PRIMARY KEY (drift, run)) STRICT;
CREATE TABLE acknowledgement (
  id INTEGER PRIMARY KEY, drift TEXT NOT NULL, at INTEGER NOT NULL, who TEXT NOT NULL, because TEXT NOT NULL,
  until INTEGER NOT NULL, left TEXT, right TEXT, difference TEXT) STRICT;
`;

const YOUNG_AND_CLOSED = `
CREATE TABLE young (
  id TEXT PRIMARY KEY, comparison INTEGER NOT NULL REFERENCES comparison (id), key TEXT NOT NULL, left TEXT, right TEXT,
  first_alike_at INTEGER NOT NULL) STRICT;
ALTER TABLE acknowledgement ADD COLUMN closes INTEGER NOT NULL DEFAULT 0;
`;

// A digest is null in records of an earlier version until a run sees the drift again. The ages of young differences restart.
const KNOWN_BY_DIGEST = `
ALTER TABLE comparison ADD COLUMN digest TEXT;
ALTER TABLE drift ADD COLUMN key_digest TEXT;
ALTER TABLE drift ADD COLUMN values_digest TEXT;
ALTER TABLE drift ADD COLUMN reads TEXT;
ALTER TABLE acknowledgement ADD COLUMN values_digest TEXT;
DELETE FROM young;
ALTER TABLE young ADD COLUMN kind TEXT NOT NULL DEFAULT '';
ALTER TABLE young ADD COLUMN key_digest TEXT NOT NULL DEFAULT '';
ALTER TABLE young ADD COLUMN values_digest TEXT NOT NULL DEFAULT '';
ALTER TABLE young ADD COLUMN reads TEXT NOT NULL DEFAULT '';
ALTER TABLE young ADD COLUMN last_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE young ADD COLUMN last_run TEXT NOT NULL DEFAULT '';
CREATE INDEX drift_known ON drift (comparison, key_digest);
CREATE TABLE drift_reads (digest TEXT PRIMARY KEY, reads TEXT NOT NULL) STRICT;
CREATE TABLE drift_salt (one INTEGER PRIMARY KEY, salt TEXT NOT NULL) STRICT;
`;

// The names of the parts of its key, if its comparison has given its keys other parts since.
const WITH_PARTS = "ALTER TABLE drift ADD COLUMN parts TEXT;";

const ON_SERVER: ServerTables = {
  part: "drift",
  since: 2,
  copied: [
    { name: "comparison", order: "id", isNumbered: true },
    { name: "drift", order: "since_at, id", refers: { column: "comparison", table: "comparison" } },
    { name: "young", order: "id", refers: { column: "comparison", table: "comparison" } },
    { name: "sighting", order: "at, drift, run" },
    { name: "acknowledgement", order: "id", isNumbered: true },
    { name: "drift_reads", order: "digest" },
    { name: "drift_salt", order: "one" },
  ],
};

const IN_TABLE: VersionPlace = {
  of: (file) => {
    const hasFormat = file.get("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'about'") !== undefined;
    return Number(hasFormat ? (file.get("SELECT format FROM about")?.["format"] ?? 0) : 0);
  },
  put: (file, version) =>
    file.exec(
      `CREATE TABLE IF NOT EXISTS about (format INTEGER NOT NULL) STRICT; DELETE FROM about; INSERT INTO about (format) VALUES (${version})`,
    ),
};

/** The tables of a file of drifts. */
export const DRIFTS: TableLayout = new TableLayout([TABLES, ROWS_ACKNOWLEDGED, YOUNG_AND_CLOSED, KNOWN_BY_DIGEST, WITH_PARTS], {
  version: IN_TABLE,
  server: ON_SERVER,
});

/** The drifts, as a part of the state. */
export const DRIFT_PART: StatePart = { entry: "drift.db", layout: DRIFTS, newerCode: "drift.newer" };
