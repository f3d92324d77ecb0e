import { readyOrClosed } from "../base/ready-or-closed.ts";
import { Failure } from "../base/failure.ts";
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
  /** Its tables, and the migrations from earlier formats. */
  readonly layout: TableLayout;
  /** The code of the failure if a newer version has written it. */
  readonly newerCode: string;
}

/** How a part of the state is opened. A move ignores the mark of a move (`moving`). */
interface PartOpening {
  readonly moving?: boolean;
}

const IN_MEMORY = ":memory:";

/** Removes the schema of a state with everything in it. Throws a Failure. */
export function removeSchema(place: ServerPlace, { layout }: StatePart): void {
  using database = PostgresDatabase.existing(place, layout, { moving: true });
  database?.exec(`DROP SCHEMA "${place.schema}" CASCADE`);
}

/** Opens a part of the state, and creates it if it is missing. Throws a Failure. */
export function openTables(place: StatePlace, { entry, layout }: StatePart, opening: PartOpening = {}): SqlDatabase {
  if (typeof place !== "string") return PostgresDatabase.open(place, layout, opening);
  const path = stateEntry(place, entry, "create");
  return Database.open(path, layout, { ...opening, ...journalBeside(place, entry) });
}

/** Opens a part of the state if it exists; otherwise returns an empty one that leaves no file. Throws a Failure. */
export function existingTables(place: StatePlace, { entry, layout }: StatePart): SqlDatabase {
  if (typeof place !== "string") return PostgresDatabase.existing(place, layout) ?? Database.open(IN_MEMORY, layout);
  const path = stateEntry(place, entry, "write");
  return Database.existing(path, layout, journalBeside(place, entry));
}

/** Opens a part of the state for reading only; returns undefined if there is none. Throws a Failure. */
export function lookAtTables(place: StatePlace, { entry, layout }: StatePart): SqlDatabase | undefined {
  if (typeof place !== "string") return PostgresDatabase.look(place, layout);
  const path = stateEntry(place, entry, "look");
  const beside = journalBeside(place, entry);
  if (isPrivateThere(path)) return Database.look(path, layout, beside);
  if (beside.journal !== undefined) Database.assertUnmarked(beside.journal);
  return undefined;
}

/**
 * Opens a part of the state in its newest format. If it is missing, it is created; if only an existing part is wanted, an empty one that leaves
 * no file is returned. Throws a Failure, for example if a newer version has written it.
 */
export function openPart(place: StatePlace, part: StatePart, how?: "existing"): SqlDatabase {
  const { layout } = part;
  return readyOrClosed(how === "existing" ? existingTables(place, part) : openTables(place, part), (database) => {
    const format = database.formatOf(layout);
    if (format > layout.newest) throw newerFailure(database.path, part, format);
    if (format < layout.newest) database.transaction(() => layout.bringUp(database));
  });
}

/** Opens a part of the state for reading only, in its present format; returns undefined if it is missing or empty. Throws like `openPart`. */
export function lookAtPart(place: StatePlace, part: StatePart): SqlDatabase | undefined {
  const database = lookAtTables(place, part);
  const format = database?.formatOf(part.layout) ?? 0;
  if (format > 0 && format <= part.layout.newest) return database;
  database?.close();
  if (database !== undefined && format > 0) throw newerFailure(database.path, part, format);
  return undefined;
}

/** Returns the failure for a part of the state that a newer version has written. */
export function newerFailure(path: string, { newerCode }: StatePart, format: number): Failure {
  return new Failure({
    code: newerCode,
    message: `${path} was written by a newer tokenbook (format ${format})`,
    next: "update tokenbook, or name another state directory with --state DIR",
  });
}

// The journal holds the mark of a folder, which also covers the files beside it.
function journalBeside(folder: string, entry: StatePart["entry"]): { readonly journal?: string } {
  return entry === JOURNAL_ENTRY ? {} : { journal: stateEntry(folder, JOURNAL_ENTRY, "look") };
}

const JOURNAL_ENTRY = "journal.db";
