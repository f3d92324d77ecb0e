import { isPrivateThere } from "../files/private.ts";
import { stateEntry } from "../files/state.ts";
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

/** Removes the schema of a state with all that it holds. Throws a Failure. */
export function removeSchema(place: ServerPlace, { layout }: StatePart): void {
  using database = PostgresDatabase.existing(place, layout, { moving: true });
  database?.exec(`DROP SCHEMA "${place.schema}" CASCADE`);
}

/** Opens a part of the state, and creates it where there is none. Throws a Failure. */
export function openTables(place: StatePlace, { entry, layout }: StatePart, opening: Opening = {}): SqlDatabase {
  if (typeof place !== "string") return PostgresDatabase.open(place, layout, opening);
  const path = stateEntry(place, entry, "create");
  assertNotMoved(place, entry, opening);
  return Database.open(path, layout, opening);
}

/** Opens a part of the state where there is one; otherwise returns an empty one that leaves nothing. Throws a Failure. */
export function existingTables(place: StatePlace, { entry, layout }: StatePart): SqlDatabase {
  if (typeof place !== "string") return PostgresDatabase.existing(place, layout) ?? Database.open(IN_MEMORY, layout);
  const path = stateEntry(place, entry, "write");
  assertNotMoved(place, entry);
  return Database.existing(path, layout);
}

/** Opens a part of the state for reading only; undefined where there is none. Throws a Failure. */
export function lookAtTables(place: StatePlace, { entry, layout }: StatePart): SqlDatabase | undefined {
  if (typeof place !== "string") return PostgresDatabase.look(place, layout);
  const path = stateEntry(place, entry, "look");
  assertNotMoved(place, entry);
  return isPrivateThere(path) ? Database.look(path, layout) : undefined;
}

// The journal has the mark of a folder, which holds for what is beside it too.
function assertNotMoved(folder: string, entry: StatePart["entry"], { moving = false }: Opening = {}): void {
  if (moving || entry === JOURNAL_ENTRY) return;
  const journal = stateEntry(folder, JOURNAL_ENTRY, "look");
  if (isPrivateThere(journal)) Database.assertUnmarked(journal);
}

const JOURNAL_ENTRY = "journal.db";
