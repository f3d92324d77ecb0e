import { parseJson, writeJson, type Json } from "../../base/json/json.ts";
import type { Cell, SqlRow } from "../../sql/database.ts";
import type { Database } from "../../sqlite/database.ts";
import type { Kind, Resources } from "./resources.ts";

/** A resource with its place in the order of creation. */
export interface Placed<T> {
  /** Its place in the order of creation, from 1. Places may be missing. */
  readonly seq: number;
  /** The resource. */
  readonly value: T;
}

/** Identifies a resource of a kind. The scope, such as the token of an account, filters lists. It never changes. */
export interface Key {
  /** Its key, which is unique within its kind. */
  readonly id: string;
  /** The filter of lists; empty if left out. */
  readonly scope?: string;
}

/** The resources of the service by kind and id, listed in the order of their creation. Nothing is cached in memory. */
export class World {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Returns the resource; undefined if there is none. */
  get<K extends Kind>(kind: K, id: string): Resources[K] | undefined {
    const row = this.#database.get("SELECT body FROM resources WHERE kind = ? AND id = ?", kind, id);
    return row === undefined ? undefined : (readBody(row) as Resources[K]);
  }

  /** Adds the resource or replaces its value. Its place and its scope do not change. */
  put<K extends Kind>(kind: K, { id, scope = "" }: Key, value: Resources[K]): void {
    this.#database.run(
      "INSERT INTO resources (kind, id, scope, body) VALUES (?, ?, ?, ?) ON CONFLICT (kind, id) DO UPDATE SET body = excluded.body",
      kind,
      id,
      scope,
      writeJson(value),
    );
  }

  /** Removes the resource if it exists. Its history stays. */
  delete(kind: Kind, id: string): void {
    this.#database.run("DELETE FROM resources WHERE kind = ? AND id = ?", kind, id);
  }

  /** Returns the resources of the kind in the order of creation: all, or those of the scope. */
  list<K extends Kind>(kind: K, scope?: string): readonly Resources[K][] {
    return [...this.iterate(kind, scope)].map(({ value }) => value);
  }

  /** Yields the resources of the kind or scope after a place, in the order of creation. */
  *iterate<K extends Kind>(kind: K, scope?: string, after = 0): Generator<Placed<Resources[K]>> {
    const [narrowed, cells]: [string, Cell[]] = scope === undefined ? ["", []] : [" AND scope = ?", [scope]];
    const sql = `SELECT seq, body FROM resources WHERE kind = ?${narrowed} AND seq > ? ORDER BY seq`;
    for (const row of this.#database.iterate(sql, kind, ...cells, after)) {
      yield { seq: Number(row["seq"]), value: readBody(row) as Resources[K] };
    }
  }

  /** Returns the number of resources of the kind or scope. */
  count(kind: Kind, scope?: string): number {
    const [narrowed, cells]: [string, Cell[]] = scope === undefined ? ["", []] : [" AND scope = ?", [scope]];
    return Number(this.#database.get(`SELECT count(*) AS n FROM resources WHERE kind = ?${narrowed}`, kind, ...cells)?.["n"]);
  }

  /** Returns the newest resources, the newest first. */
  latest<K extends Kind>(kind: K, most: number): readonly Resources[K][] {
    const sql = "SELECT body FROM resources WHERE kind = ? ORDER BY seq DESC LIMIT ?";
    return this.#database.all(sql, kind, most).map((row) => readBody(row) as Resources[K]);
  }

  /** Returns the numerals of one top-level field of all resources of a scope, exactly as stored. */
  numerals(kind: Kind, scope: string, field: string): readonly string[] {
    const sql = "SELECT body -> ? AS numeral FROM resources WHERE kind = ? AND scope = ?";
    return this.#database.all(sql, `$.${field}`, kind, scope).map((row) => String(row["numeral"]));
  }

  /** Adds a resource's value after a transaction to its history, which outlives the resource. */
  remember(kind: Kind, id: string, record: object): void {
    this.#database.run("INSERT INTO history (kind, id, body) VALUES (?, ?, ?)", kind, id, writeJson(record));
  }

  /** Returns the history of the resource, the oldest first; empty if there is none. */
  history(kind: Kind, id: string): readonly Json[] {
    return this.#database
      .all("SELECT body FROM history WHERE kind = ? AND id = ? ORDER BY seq", kind, id)
      .map((row) => readBody(row) as Json);
  }
}

// `put` of the same kind has written the row, so it has the shape of the kind.
function readBody(row: SqlRow): unknown {
  return parseJson(String(row["body"]));
}
