import { isPrivateThere } from "../files/private.ts";
import { setFolderAside, stateEntry } from "../files/state.ts";
import { PostgresDatabase } from "../postgres/database.ts";
import type { SqlDatabase } from "../sql/database.ts";
import type { TableLayout } from "../sql/layout.ts";
import type { ServerPlace, StatePlace } from "../sql/place.ts";
import { Database } from "../sqlite/database.ts";

/** A part of the state: a file of the folder, or tables of the schema. */
export interface StatePart {
  /** The name of its file in a state directory. */
  readonly entry: "journal.db" | "schedule.db" | "drift.db" | "exchanges.db";
  /** Its tables, and how earlier formats are brought up to the present one. */
  readonly layout: TableLayout;
}

const IN_MEMORY = ":memory:";

/** Gives a state another name, under which no run looks for it. Returns that name. Throws a Failure. */
export function setAside(place: StatePlace, { layout }: StatePart, mark: string): string {
  if (typeof place === "string") return setFolderAside(place, mark);
  const name = `${place.schema}_moved_${mark}`;
  changeSchema(place, layout, `ALTER SCHEMA "${place.schema}" RENAME TO "${name}"`);
  return `the schema "${name}"`;
}

/** Removes the schema of a state with all that it holds. Throws a Failure. */
export function removeSchema(place: ServerPlace, { layout }: StatePart): void {
  changeSchema(place, layout, `DROP SCHEMA "${place.schema}" CASCADE`);
}

function changeSchema(place: ServerPlace, layout: TableLayout, sql: string): void {
  const database = PostgresDatabase.existing(place, layout);
  database?.exec(sql);
  database?.close();
}

/** Opens a part of the state, and creates it where there is none. Throws a Failure. */
export function openTables(place: StatePlace, { entry, layout }: StatePart): SqlDatabase {
  if (typeof place !== "string") return PostgresDatabase.open(place, layout);
  return Database.open(stateEntry(place, entry, "create"), layout);
}

/** Opens a part of the state where there is one; otherwise returns an empty one that leaves nothing. Throws a Failure. */
export function existingTables(place: StatePlace, { entry, layout }: StatePart): SqlDatabase {
  if (typeof place !== "string") return PostgresDatabase.existing(place, layout) ?? Database.open(IN_MEMORY, layout);
  return Database.existing(stateEntry(place, entry, "write"), layout);
}

/** Opens a part of the state for reading only; undefined where there is none. Throws a Failure. */
export function lookAtTables(place: StatePlace, { entry, layout }: StatePart): SqlDatabase | undefined {
  if (typeof place !== "string") return PostgresDatabase.look(place, layout);
  const path = stateEntry(place, entry, "look");
  return isPrivateThere(path) ? Database.look(path, layout) : undefined;
}
