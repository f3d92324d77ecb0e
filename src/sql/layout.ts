import { getOrInsert } from "../base/maps.ts";
import { invariant } from "../base/failure.ts";
import { DatabaseFailure } from "./failure.ts";

type Cells = Readonly<Record<string, unknown>>;

/** The part of an open file that its layout needs. */
export interface Queried {
  /** Its name in messages. */
  readonly path: string;
  /** Returns the first row of a query; undefined if there is none. */
  get(sql: string): Cells | undefined;
  /** Returns all rows of a query. */
  all(sql: string): readonly Cells[];
  /** Runs statements that create or change tables. */
  exec(sql: string): void;
}

/** An empty file in which the tables of a version are created. */
export interface ModelFile extends Pick<Queried, "all" | "exec"> {
  /** Closes the file. */
  close(): void;
}

/** A table of the state, in the form in which it is copied between databases. */
export interface CopiedTable {
  /** The name of the table, which is the same in a file and on a server. */
  readonly name: string;
  /** The columns by which its rows are sorted for the copy. */
  readonly order: string;
  /** Set if it is read in pieces: for each id of another table, the rows with that id in a column. */
  readonly pieces?: { readonly table: string; readonly column: string };
  /** Whether the order matters in which its rows were inserted. Then a server numbers them, as SQLite does by itself. */
  readonly hasRowid?: true;
  /** Whether the database numbers its `id`, so that a row gets another id in the copy. */
  readonly isNumbered?: true;
  /** The column with the number of a row in another table. */
  readonly refers?: { readonly column: string; readonly table: string };
}

/**
 * The same tables on a PostgreSQL server, which supports them only since one version. Their statements are converted from those of files (see
 * `forServer`).
 */
export interface ServerTables {
  /** The part of the tables' names that belongs to this layout, because the tables of all layouts are in one schema. */
  readonly part: "journal" | "schedule" | "drift" | "exchanges";
  /** The first version that a server may have. */
  readonly since: number;
  /** The statements that create this version on a server; left out if those of files can do this. */
  readonly create?: string;
  /** All its tables for copying between a file and a server, each after those to which it refers. */
  readonly copied: readonly CopiedTable[];
}

/** The place of a file's version. */
export interface VersionPlace {
  /** Returns the version; 0 for an empty file. */
  readonly of: (file: Queried) => number;
  /** Writes the version, within a transaction of the caller. */
  readonly put: (file: Pick<Queried, "exec">, version: number) => void;
}

/** Returns the version in the header of a SQLite file. */
export function userVersionOf(file: Pick<Queried, "get">): number {
  return Number(file.get("PRAGMA user_version")?.["user_version"] ?? 0);
}

const IN_HEAD: VersionPlace = {
  of: userVersionOf,
  put: (file, version) => file.exec(`PRAGMA user_version = ${version}`),
};

/** The tables of a file, version by version. A file with anything else is refused, because a trigger in it would act at each write. */
export class TableLayout {
  /** Undefined for tables that are never on a server. */
  readonly server: ServerTables | undefined;
  readonly #migrations: readonly string[];
  readonly #onServer: readonly string[];
  readonly #version: VersionPlace;
  readonly #known = new Map<number, ReadonlyMap<string, string>>();

  /** Entry n of `migrations` creates version n + 1 from version n. The file itself stores its version, by default in its header. */
  constructor(
    migrations: readonly string[],
    { version = IN_HEAD, server }: { readonly version?: VersionPlace; readonly server?: ServerTables } = {},
  ) {
    this.#migrations = migrations;
    this.#version = version;
    this.server = server;
    const { since, copied, create = migrations.slice(0, since).join("") } = server ?? { since: 0, copied: [], create: "" };
    this.#onServer = server === undefined ? [] : [create, ...migrations.slice(since)];
    invariant(isSame(tablesIn(this.#onServer.join("")), copied), "each table is copied");
  }

  /** The version that this program writes. */
  get newest(): number {
    return this.#migrations.length;
  }

  /** Returns the version of a file; 0 for an empty file. */
  versionOf(file: Queried): number {
    return this.#version.of(file);
  }

  /** Brings a file up to the newest version, within a transaction of the caller. */
  bringUp(file: Queried): void {
    this.#bring(file, this.versionOf(file), this.newest);
  }

  #bring(file: Pick<Queried, "exec">, from: number, to: number): void {
    if (from >= to) return;
    for (const migration of this.#migrations.slice(from, to)) file.exec(migration);
    this.#version.put(file, to);
  }

  /** Returns the statements that a server with a version lacks, one text for each later version. */
  onServer(version: number): readonly string[] {
    const { since, copied } = this.server ?? { since: 0, copied: [] };
    return this.#onServer.slice(version === 0 ? 0 : version - since + 1).map((sql) => forServer(sql, copied));
  }

  /**
   * Throws a DatabaseFailure if a file has other tables, indexes, triggers or views than its version. `newModel` returns an empty database,
   * in which that version is created for the comparison. A newer version, or one with the mark of a move, is not compared.
   */
  assertKnown(file: Queried, newModel: () => ModelFile): void {
    const version = this.versionOf(file);
    if (version <= this.newest) assertSame(file, objectsIn(file.all(OBJECTS)), this.#objectsOf(version, newModel));
  }

  #objectsOf(version: number, newModel: () => ModelFile): ReadonlyMap<string, string> {
    return getOrInsert(this.#known, version, () => {
      const model = newModel();
      this.#bring(model, 0, version);
      const objects = objectsIn(model.all(OBJECTS));
      model.close();
      return objects;
    });
  }
}

/**
 * Converts statements for SQLite to statements for PostgreSQL. There, a column sorts texts by their bytes only if it declares this, and the number of a
 * row is an ordinary column.
 */
function forServer(sql: string, copied: readonly CopiedTable[]): string {
  const numbered = new Set(copied.flatMap(({ name, hasRowid }) => (hasRowid === true ? [name] : [])));
  return sql
    .replaceAll(/\) STRICT(?:, WITHOUT ROWID)?/g, ")")
    .replaceAll(/\bid INTEGER PRIMARY KEY/g, `id ${IDENTITY} PRIMARY KEY`)
    .replaceAll(/CREATE TABLE (\w+) \(/g, (whole, name: string) => (numbered.has(name) ? `${whole} rowid ${IDENTITY},` : whole))
    .replaceAll(/\bINTEGER\b/g, "BIGINT")
    .replaceAll(/\b(left|right) TEXT\b/g, '"$1" TEXT')
    .replaceAll(/\bTEXT\b/g, 'TEXT COLLATE "C"');
}

const IDENTITY = "BIGINT GENERATED ALWAYS AS IDENTITY";

/** Returns the names of the tables that statements create. */
export function tablesIn(sql: string): readonly string[] {
  return [...sql.matchAll(/CREATE TABLE (\w+)/g)].map(([, name = ""]) => name);
}

function isSame(names: readonly string[], copied: readonly CopiedTable[]): boolean {
  return names.length === copied.length && copied.every(({ name }) => names.includes(name));
}

// ANALYZE creates tables of statistics. An index without SQL text belongs to its table.
const OBJECTS =
  "SELECT type, name, sql FROM sqlite_schema WHERE NOT (type = 'table' AND name IN ('sqlite_stat1', 'sqlite_stat4')) AND sql IS NOT NULL";

function objectsIn(rows: readonly Cells[]): ReadonlyMap<string, string> {
  return new Map(rows.map(({ type, name, sql }) => [`${String(type)} ${String(name)}`, plainSql(String(sql))]));
}

// A migration leaves other white space than a new table, and earlier versions stored the same rows differently.
function plainSql(sql: string): string {
  return sql
    .replaceAll(/\s+/g, " ")
    .replaceAll(/ ?([(),]) ?/g, "$1")
    .replace(/,WITHOUT ROWID$/, "")
    .trim();
}

function assertSame(file: Queried, there: ReadonlyMap<string, string>, known: ReadonlyMap<string, string>): void {
  const more = [...there.keys()].find((name) => !known.has(name));
  if (more !== undefined) throw changedFailure(file.path, `it holds the ${more}`);
  const less = [...known.keys()].find((name) => !there.has(name));
  if (less !== undefined) throw changedFailure(file.path, `the ${less} is missing`);
  const other = [...known].find(([name, sql]) => there.get(name) !== sql)?.[0];
  if (other !== undefined) throw changedFailure(file.path, `the ${other} is defined differently`);
}

function changedFailure(path: string, how: string): DatabaseFailure {
  return new DatabaseFailure({
    code: "database.changed",
    message: `${path} is not as tokenbook made it: ${how}`,
    why: "a trigger or a view in the file could change what it remembers, and so what is sent again",
    next: "find out who changed it, and restore the whole folder that it is in from a backup",
  });
}
