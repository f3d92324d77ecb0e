import { getOrInsert } from "../base/maps.ts";
import { invariant } from "../base/failure.ts";
import { DatabaseFailure } from "./failure.ts";

type Cells = Readonly<Record<string, unknown>>;

/** The part of an open file that its layout needs. */
export interface Queried {
  /** What messages call it. */
  readonly path: string;
  /** Returns the first row of a query; undefined when there is none. */
  get(sql: string): Cells | undefined;
  /** Returns all rows of a query. */
  all(sql: string): readonly Cells[];
  /** Runs statements that make or change tables. */
  exec(sql: string): void;
}

/** An empty file, to make the tables of a version in. */
export interface ModelFile extends Pick<Queried, "all" | "exec"> {
  /** Closes the file. */
  close(): void;
}

/** A table of a part of the state, as it is copied from one database into another. */
export interface CopiedTable {
  /** The name of the table, the same in a file and on a server. */
  readonly name: string;
  /** The columns by which its rows are sorted: the copy gets them in this order. */
  readonly order: string;
  /** Read in pieces: for each id of another table, the rows whose column holds it. */
  readonly pieces?: { readonly table: string; readonly column: string };
  /** The order in which its rows were inserted matters, so a server numbers them as SQLite does by itself. */
  readonly hasRowid?: true;
  /** The database numbers its `id`, so a row gets another one in the copy. */
  readonly isNumbered?: true;
  /** The column that holds the number of a row of another table. */
  readonly refers?: { readonly column: string; readonly table: string };
}

/** The same tables on a PostgreSQL server, which has known them since one version only. Their statements are those of files, see `forServer`. */
export interface ServerTables {
  /** The tables of one layout have names of their own, because those of all layouts are in one schema. */
  readonly part: "journal" | "schedule" | "drift" | "exchanges";
  /** The first version that a server can have. */
  readonly since: number;
  /** The statements that make that version on a server; left out where those of files can make it. */
  readonly create?: string;
  /** All of its tables, each after those that it refers to, as they are copied between a file and a server. */
  readonly copied: readonly CopiedTable[];
}

/** Where the version of a file is. */
export interface VersionPlace {
  /** Returns it; 0 of an empty file. */
  readonly of: (file: Queried) => number;
  /** Writes it, within a transaction of the caller. */
  readonly put: (file: Pick<Queried, "exec">, version: number) => void;
}

/** Returns the version that SQLite keeps in a file's head. */
export function userVersionOf(file: Pick<Queried, "get">): number {
  return Number(file.get("PRAGMA user_version")?.["user_version"] ?? 0);
}

const IN_HEAD: VersionPlace = {
  of: userVersionOf,
  put: (file, version) => file.exec(`PRAGMA user_version = ${version}`),
};

/** The tables of a file, version by version. A file with anything else is refused, because a trigger in it would act with each write. */
export class TableLayout {
  /** Undefined for tables that are never on a server. */
  readonly server: ServerTables | undefined;
  readonly #migrations: readonly string[];
  readonly #onServer: readonly string[];
  readonly #version: VersionPlace;
  readonly #known = new Map<number, ReadonlyMap<string, string>>();

  /** Entry n of `migrations` makes version n + 1 from version n. The file itself has its version, in its head where no other place is named. */
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

  /** Returns the version of a file; 0 of an empty one. */
  versionOf(file: Queried): number {
    return this.#version.of(file);
  }

  /** Brings a file of an earlier version up to the newest one, within a transaction of the caller. */
  bringUp(file: Queried): void {
    this.#bring(file, this.versionOf(file), this.newest);
  }

  #bring(file: Pick<Queried, "exec">, from: number, to: number): void {
    if (from >= to) return;
    for (const migration of this.#migrations.slice(from, to)) file.exec(migration);
    this.#version.put(file, to);
  }

  /** Returns the statements that a server of a version lacks, one text for each later version that it can have. */
  onServer(version: number): readonly string[] {
    const { since, copied } = this.server ?? { since: 0, copied: [] };
    return this.#onServer.slice(version === 0 ? 0 : version - since + 1).map((sql) => forServer(sql, copied));
  }

  /**
   * Throws a DatabaseFailure when a file has other tables, indexes, triggers or views than its version. `newModel` gives an empty
   * database, in which that version is made. A newer version is not compared, nor one with the mark of a move.
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
 * Returns statements for SQLite as those for PostgreSQL. There, texts are in the order of their bytes only in a column that declares it, and the number
 * of a row is a column like others.
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

/** Returns the names of the tables that statements make. */
export function tablesIn(sql: string): readonly string[] {
  return [...sql.matchAll(/CREATE TABLE (\w+)/g)].map(([, name = ""]) => name);
}

function isSame(names: readonly string[], copied: readonly CopiedTable[]): boolean {
  return names.length === copied.length && copied.every(({ name }) => names.includes(name));
}

// ANALYZE leaves tables of statistics; an index without a text belongs to its table.
const OBJECTS =
  "SELECT type, name, sql FROM sqlite_schema WHERE NOT (type = 'table' AND name IN ('sqlite_stat1', 'sqlite_stat4')) AND sql IS NOT NULL";

function objectsIn(rows: readonly Cells[]): ReadonlyMap<string, string> {
  return new Map(rows.map(({ type, name, sql }) => [`${String(type)} ${String(name)}`, plainSql(String(sql))]));
}

// A migration leaves other blanks than a new table, and earlier versions stored the same rows differently.
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
