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

/** For whom a part of the state is opened: a move does so whatever the mark of a move says (`moving`). */
interface Opening {
  readonly moving?: boolean;
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
  const database = PostgresDatabase.existing(place, layout, { moving: true });
  try {
    database?.exec(sql);
  } finally {
    database?.close();
  }
}

/** Opens a part of the state, and creates it where there is none. Throws a Failure. */
export function openTables(place: StatePlace, { entry, layout }: StatePart, opening: Opening = {}): SqlDatabase {
  if (typeof place !== "string") return PostgresDatabase.open(place, layout, opening);
  const path = stateEntry(place, entry, "create");
  assertNotMoved(place, entry, opening);
  return Database.open(path, layout, opening);
}

/**
 * Opens a part of the state where there is one; otherwise returns an empty one that leaves nothing. One that was set aside can only be read. Throws
 * a Failure.
 */
export function existingTables(place: StatePlace, part: StatePart): SqlDatabase {
  const { entry, layout } = part;
  const aside = isAside(place) ? lookAtTables(place, part) : undefined;
  if (aside?.formatOf(layout) === layout.newest) return aside;
  aside?.close();
  if (typeof place !== "string") return PostgresDatabase.existing(place, layout) ?? Database.open(IN_MEMORY, layout);
  const path = stateEntry(place, entry, "write");
  assertNotMoved(place, entry);
  return Database.existing(path, layout);
}

/** Opens a part of the state for reading only; undefined where there is none. Throws a Failure. */
export function lookAtTables(place: StatePlace, { entry, layout }: StatePart): SqlDatabase | undefined {
  // What was set aside can still be looked into.
  const opening = { moving: isAside(place) };
  if (typeof place !== "string") return PostgresDatabase.look(place, layout, opening);
  const path = stateEntry(place, entry, "look");
  assertNotMoved(place, entry, opening);
  return isPrivateThere(path) ? Database.look(path, layout, opening) : undefined;
}

// The journal has the mark of a folder, which holds for what is beside it too.
function assertNotMoved(folder: string, entry: StatePart["entry"], { moving = false }: Opening = {}): void {
  if (moving || entry === JOURNAL_ENTRY) return;
  const journal = stateEntry(folder, JOURNAL_ENTRY, "look");
  if (isPrivateThere(journal)) Database.assertUnmarked(journal);
}

const JOURNAL_ENTRY = "journal.db";

function isAside(place: StatePlace): boolean {
  return ASIDE.test(typeof place === "string" ? place : place.schema);
}

const ASIDE = /[._]moved[-_]\d{14}$/;
