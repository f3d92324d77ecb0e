import { command } from "../base/command-line.ts";
import { Failure } from "../base/failure.ts";
import type { SqlDatabase } from "./database.ts";

// A mark is part of the format's number. So earlier versions refuse a state with a mark as one of a newer version, and a process that has a
// server's tables open fails at its next transaction.
const ROLES = ["leaving", "left", "arriving"] as const;
const STEP = 1_000;

/**
 * The role of a place in a move of the state. `leaving`: the state is being copied from here. `left`: the state is elsewhere. `arriving`: the copy here
 * is not complete yet.
 */
export type MoveRole = (typeof ROLES)[number];

/** The mark of a place from which, or to which, a state is moved (decision 205). */
export interface MoveMark {
  /** The role of the place in the move. */
  readonly role: MoveRole;
  readonly id: string;
  /** The other place, under its name in `state move`: the path of a folder, or the word `database`. */
  readonly other: string;
}

/** The word for the project's database in `state move`. */
export const DATABASE = "database";

/** Returns the role in a format's number; undefined if there is no mark. */
export function roleOf(format: number): MoveRole | undefined {
  return ROLES[Math.trunc(format / STEP) - 1];
}

/** The number of a format without its mark, in SQL, for the table `about` on a server. */
export const PLAIN_FORMAT: string = `format % ${STEP}`;

/** Returns the number of a format without its mark. */
export function plainFormat(format: number): number {
  return format % STEP;
}

/** Returns the mark of a journal's place; undefined if there is none. */
export function markOf(database: SqlDatabase): MoveMark | undefined {
  const role = roleOf(markedFormat(database));
  if (role === undefined) return undefined;
  const row = database.get("SELECT id, other FROM move");
  return { role, id: String(row?.["id"]), other: String(row?.["other"]) };
}

/** Replaces or removes the mark of a journal's place. Only within a transaction. */
export function writeMark(database: SqlDatabase, mark: MoveMark | undefined): void {
  database.exec("DROP TABLE IF EXISTS move");
  const added = mark === undefined ? 0 : STEP * (ROLES.indexOf(mark.role) + 1);
  if (database.server === undefined) database.exec(`PRAGMA user_version = ${plainFormat(markedFormat(database)) + added}`);
  else database.run(`UPDATE about SET format = ${PLAIN_FORMAT} + ?`, added);
  if (mark === undefined) return;
  database.exec("CREATE TABLE move (id TEXT NOT NULL, other TEXT NOT NULL)");
  database.run("INSERT INTO move (id, other) VALUES (?, ?)", mark.id, mark.other);
}

function markedFormat(database: SqlDatabase): number {
  if (database.server === undefined) return Number(database.get("PRAGMA user_version")?.["user_version"]);
  return Number(database.get("SELECT MAX(format) AS format FROM about")?.["format"] ?? 0);
}

/** The code of the failure for a state that was moved to another place. */
export const MOVED_AWAY = "state.moved-away";

/** Returns the failure for using a place with a mark. `here` and `there` are names as in `state move`. */
export function markFailure(role: MoveRole, here: string, there: string): Failure {
  const again = command`state move ${role === "arriving" ? [there, here] : [here, there]}`;
  switch (role) {
    case "leaving":
      return new Failure({
        code: "state.moving",
        message: `the state of ${placeNamed(here)} is being moved to ${placeNamed(there)}, and the move has not ended`,
        why: "what is written here now would be missing there",
        next: ["wait until it has ended; if it was killed, repeat it:", again],
      });
    case "left":
      return new Failure({
        code: MOVED_AWAY,
        message: `the state of ${placeNamed(here)} was moved to ${placeNamed(there)}`,
        why: "a new run here would not know what earlier runs did, and could do it again",
        next: [
          "let tokenbook.yaml name the place to which it was moved (state:), or bring it back:",
          command`state move ${there} ${here}`,
        ],
      });
    case "arriving":
      return new Failure({
        code: "state.incomplete",
        message: `${placeNamed(here)} holds an unfinished copy of the state of ${placeNamed(there)}`,
        why: "a new run here would not know all that earlier runs did, and could do it again",
        next: ["repeat the move:", again],
      });
  }
}

function placeNamed(name: string): string {
  return name === DATABASE ? "the database" : name;
}
