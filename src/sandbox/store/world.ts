import { parseJson, writeJson, type Json } from "../../base/json/json.ts";
import type { Cell, SqlRow } from "../../sql/database.ts";
import type { Database } from "../../sqlite/database.ts";
import type { Kind, Resources } from "./resources.ts";

/** A resource with its place in the order of creation. */
export interface Placed<T> {
  /** Its place in the order of creation, from 1 on; places may be missing. */
  readonly seq: number;
  /** The resource. */
  readonly value: T;
}

/** Names a resource of a kind. The scope (such as the token of an account) narrows lists; it never changes. */
export interface Key {
  /** The key under which it is stored, which is unique within its kind. */
  readonly id: string;
  /** What lists are narrowed by; the empty text when it is left out. */
  readonly scope?: string;
}

/** Everything the service knows: resources by kind and id, listed in the order of their creation. Nothing is kept in memory. */
export class World {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Returns the resource; undefined when there is none. */
  get<K extends Kind>(kind: K, id: string): Resources[K] | undefined {
    const row = this.#database.get("SELECT body FROM resources WHERE kind = ? AND id = ?", kind, id);
    return row === undefined ? undefined : (readBody(row) as Resources[K]);
  }

  /** Adds the resource, or replaces its value; its place and its scope stay as they were. */
  put<K extends Kind>(kind: K, { id, scope = "" }: Key, value: Resources[K]): void {
    this.#database.run(
      "INSERT INTO resources (kind, id, scope, body) VALUES (?, ?, ?, ?) ON CONFLICT (kind, id) DO UPDATE SET body = excluded.body",
      kind,
      id,
      scope,
      writeJson(value),
    );
  }

  /** Removes the resource, if it is there. Its history stays. */
  delete(kind: Kind, id: string): void {
    this.#database.run("DELETE FROM resources WHERE kind = ? AND id = ?", kind, id);
  }

  /** Returns the resources of the kind in the order of creation: all, or those of the scope. */
  list<K extends Kind>(kind: K, scope?: string): readonly Resources[K][] {
    return [...this.iterate(kind, scope)].map(({ value }) => value);
  }

  /** Yields the resources of the kind, or of its scope, that come after the place, in the order of creation. */
  *iterate<K extends Kind>(kind: K, scope?: string, after = 0): Generator<Placed<Resources[K]>> {
    const [narrowed, cells]: [string, Cell[]] = scope === undefined ? ["", []] : [" AND scope = ?", [scope]];
    const sql = `SELECT seq, body FROM resources WHERE kind = ?${narrowed} AND seq > ? ORDER BY seq`;
    for (const row of this.#database.iterate(sql, kind, ...cells, after)) {
      yield { seq: Number(row["seq"]), value: readBody(row) as Resources[K] };
    }
  }

  /** Returns how many resources of the kind there are, in all or in the scope. */
  count(kind: Kind, scope?: string): number {
    const [narrowed, cells]: [string, Cell[]] = scope === undefined ? ["", []] : [" AND scope = ?", [scope]];
    return Number(this.#database.get(`SELECT count(*) AS n FROM resources WHERE kind = ?${narrowed}`, kind, ...cells)?.["n"]);
  }

  /** The resources made last, newest first. */
  latest<K extends Kind>(kind: K, most: number): readonly Resources[K][] {
    const sql = "SELECT body FROM resources WHERE kind = ? ORDER BY seq DESC LIMIT ?";
    return this.#database.all(sql, kind, most).map((row) => readBody(row) as Resources[K]);
  }

  /** The numerals of one top-level field of all resources of a scope, exactly as they are stored. */
  numerals(kind: Kind, scope: string, field: string): readonly string[] {
    const sql = "SELECT body -> ? AS numeral FROM resources WHERE kind = ? AND scope = ?";
    return this.#database.all(sql, `$.${field}`, kind, scope).map((row) => String(row["numeral"]));
  }

  /** Adds what one transaction left of a resource; history outlives the resource. */
  remember(kind: Kind, id: string, record: object): void {
    this.#database.run("INSERT INTO history (kind, id, body) VALUES (?, ?, ?)", kind, id, writeJson(record));
  }

  /** Returns what `remember` has added for the resource, oldest first; empty when there is nothing. */
  history(kind: Kind, id: string): readonly Json[] {
    return this.#database
      .all("SELECT body FROM history WHERE kind = ? AND id = ? ORDER BY seq", kind, id)
      .map((row) => readBody(row) as Json);
  }
}

// What lies in a row was written by `put` of the same kind, so its shape is the kind's.
function readBody(row: SqlRow): unknown {
  return parseJson(String(row["body"]));
}
