import { Failure, invariant } from "../base/failure.ts";
import type { SqlDatabase } from "../sql/database.ts";
import { DatabaseFailure } from "../sql/failure.ts";
import { DATABASE, markFailure, markOf, roleOf, writeMark } from "../sql/mark.ts";
import { type ServerTables, type TableLayout, tablesIn } from "../sql/layout.ts";

/** The tables in every schema of ours: the format of each layout, and the processes that are alive. */
const COMMON = `
CREATE TABLE about (part TEXT PRIMARY KEY, format BIGINT NOT NULL);
CREATE TABLE holder (name TEXT PRIMARY KEY, seen_at TIMESTAMPTZ NOT NULL);
`;

// Functions that SQLite has, but PostgreSQL lacks.
const FUNCTIONS = `
CREATE FUNCTION instr(whole TEXT, part TEXT) RETURNS INT LANGUAGE SQL IMMUTABLE AS 'SELECT strpos(whole, part)';
CREATE FUNCTION json_extract(value TEXT, path TEXT) RETURNS TEXT LANGUAGE SQL IMMUTABLE AS
  'SELECT jsonb_path_query_first(value::jsonb, path::jsonpath) #>> ''{}''';
`;

/** Returns the tables of a layout on a server. */
export function partOf({ server }: TableLayout): ServerTables {
  invariant(server !== undefined, "these tables are never on a server");
  return server;
}

/**
 * Creates the tables of a layout, or brings them up to its newest version. Throws a Failure if the schema belongs to somebody else, or is
 * newer; or if its state was moved away, unless `isMoved`.
 */
export function makeTables(database: SqlDatabase, layout: TableLayout, isMoved: boolean): void {
  if (database.formatOf(layout) !== layout.newest) database.transaction(() => makeWithin(database, layout, isMoved));
}

/** Throws a Failure unless this user may make the tables of a layout, or write into them where they are. What it tries, it undoes. */
export function tryTables(database: SqlDatabase, layout: TableLayout): void {
  try {
    database.transaction(() => {
      if (database.formatOf(layout) === 0) makeWithin(database, layout, false);
      else database.run("UPDATE about SET format = format");
      database.get("SELECT 1"); // by now the server has done it all
      throw new Undone();
    });
  } catch (error) {
    if (!(error instanceof Undone)) throw error;
  }
}

class Undone extends Error {}

function makeWithin(database: SqlDatabase, layout: TableLayout, isMoved: boolean): void {
  const { schema } = database.server ?? {};
  invariant(schema !== undefined, "the tables are on a server");
  if (database.get("SELECT 1 FROM pg_namespace WHERE nspname = ?", schema) === undefined)
    database.exec(`CREATE SCHEMA "${schema}"`);
  const format = database.formatOf(layout);
  assertOurs(database, schema);
  if (format > layout.newest) throw notOurs(database, format);
  const isNew = database.get("SELECT to_regclass('about')::text AS about")?.["about"] === null;
  const mark = isNew ? undefined : markOf(database);
  if (mark !== undefined && !isMoved) throw markFailure(mark.role, DATABASE, mark.other);
  if (isNew) database.exec(COMMON + FUNCTIONS);
  for (const statements of layout.onServer(format)) database.exec(statements);
  database.run(
    "INSERT INTO about (part, format) VALUES (?, ?) ON CONFLICT (part) DO UPDATE SET format = excluded.format",
    partOf(layout).part,
    layout.newest,
  );
  // A part that is created or brought up to date during a move gets its mark too.
  if (mark !== undefined) writeMark(database, mark);
}

/** Throws a Failure if a schema has the mark of a move. */
export function assertUnmarked(database: SqlDatabase): void {
  const hasTables = database.get("SELECT to_regclass('about')::text AS about")?.["about"] !== null;
  const mark = hasTables ? markOf(database) : undefined;
  if (mark !== undefined) throw markFailure(mark.role, DATABASE, mark.other);
}

/** Throws a DatabaseFailure if the tables of a layout are not as we made them: a trigger or a rule would act at each write. */
export function assertLayout(database: SqlDatabase, layout: TableLayout): void {
  const format = database.formatOf(layout);
  if (format === 0) return assertOurs(database, database.server?.schema ?? "");
  if (format > layout.newest) throw notOurs(database, format);
  const { part } = partOf(layout);
  const added = database.all(ADDED)[0];
  if (added !== undefined)
    throw changedFailure(database.path, `it holds the ${String(added["kind"])} "${String(added["name"])}"`);
  const there = new Set(
    database.all("SELECT tablename FROM pg_tables WHERE schemaname = current_schema()").map(({ tablename }) => tablename),
  );
  const missing = tablesIn(layout.onServer(0)[0] ?? "").find((name) => !there.has(name));
  if (missing !== undefined) throw changedFailure(database.path, `the table "${missing}" of the ${part} is missing`);
}

// The triggers, rules, policies and row security of the schema, and its unlogged tables, which are empty after a crash and on a standby. Triggers for foreign
// keys belong to the server.
const ADDED = `
SELECT 'trigger' AS kind, tgname AS name FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
WHERE relnamespace = current_schema()::regnamespace AND NOT tgisinternal
UNION ALL SELECT 'rule', rulename FROM pg_rules WHERE schemaname = current_schema()
UNION ALL SELECT 'policy', policyname FROM pg_policies WHERE schemaname = current_schema()
UNION ALL SELECT 'row security of the table', relname FROM pg_class
WHERE relnamespace = current_schema()::regnamespace AND (relrowsecurity OR relforcerowsecurity)
UNION ALL SELECT 'unlogged table', relname FROM pg_class
WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND relpersistence <> 'p'`;

function assertOurs(database: SqlDatabase, schema: string): void {
  const others =
    "SELECT relname FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace WHERE nspname = ? AND relkind IN ('r', 'v', 'm', 'p') LIMIT 1";
  const [other] = database.all(others, schema);
  if (other === undefined || database.get("SELECT to_regclass('holder')::text AS holder")?.["holder"] !== null) return;
  // For a user without this right, no table seems to exist. The server then reports what it denies; with another schema, all runs would be
  // forgotten.
  if (database.get("SELECT 1 AS may WHERE has_schema_privilege(?, 'USAGE')", schema) === undefined)
    database.get(`TABLE "${schema}".holder`);
  throw new Failure({
    code: "database.foreign",
    message: `${database.path} is not tokenbook's: it holds the table "${String(other["relname"])}"`,
    why: "tokenbook's tables would be among those of another program",
    next: "name a schema of its own in tokenbook.yaml: state: { postgres: …, schema: NAME }",
  });
}

function notOurs(database: SqlDatabase, format: number): Failure {
  const role = roleOf(format);
  return role === undefined
    ? newerFailure(database.path, format)
    : markFailure(role, DATABASE, markOf(database)?.other ?? "FOLDER");
}

function newerFailure(path: string, format: number): Failure {
  return new Failure({
    code: "database.newer",
    message: `${path} was written by a newer tokenbook (format ${format})`,
    next: "use the same tokenbook on every machine: update this one",
  });
}

function changedFailure(path: string, how: string): DatabaseFailure {
  return new DatabaseFailure({
    code: "database.changed",
    message: `${path} is not as tokenbook made it: ${how}`,
    why: "it could change or lose what tokenbook remembers, and a write could then be sent again",
    next: "find out who changed it, and undo the change; if anything is missing afterwards, restore the schema from a backup",
  });
}
