import { command } from "../base/command-line.ts";
import { Failure } from "../base/failure.ts";
import type { SqlDatabase } from "../sql/database.ts";
import { isEmbedded } from "../protocol/heading.ts";
import { MOVED_AWAY, type MoveMark, markFailure, markOf, writeMark } from "../sql/mark.ts";
import type { StatePlace } from "../sql/place.ts";
import { replaceTables } from "../state/copy.ts";
import { lookAtTables, openTables } from "../state/tables.ts";
import { runHeld } from "./failures.ts";
import { assertThere, FORMAT, JOURNAL, JOURNAL_PART, journalIn, tailOf } from "./format.ts";
import { LOOKING } from "./journal.ts";
import { targetOf } from "./proofs.ts";
import { JournalStore } from "./store.ts";

/** Returns whether the journal of a folder has a run on a real service, and was not moved away. Throws a Failure. */
export function holdsRuns(folder: string): boolean {
  try {
    using database = lookAtTables(folder, JOURNAL_PART);
    return (database?.all("SELECT id FROM run ORDER BY opened_at DESC") ?? []).some(({ id }) => {
      const target = database && targetOf(database, String(id));
      return target === undefined || !isEmbedded(target);
    });
  } catch (error) {
    if (error instanceof Failure && error.code === MOVED_AWAY) return false;
    throw error;
  }
}

/** A place of a move, with the name that `state move` uses. */
export interface NamedPlace {
  /** The place itself. */
  readonly place: StatePlace;
  /** The path of a folder, or the word `database`. */
  readonly name: string;
}

/**
 * A journal during a move, whatever its mark says. At most one of the two places is live at any time, and the marks say which (decision 205). The
 * order of the steps: `beginSource`, `beginTarget` and `copyFrom`, `finishSource`, `finishTarget`.
 */
export class MovingJournal {
  /** The same journal for reading. */
  readonly store: JournalStore;
  readonly #database: SqlDatabase;
  readonly #name: string;

  private constructor(database: SqlDatabase, name: string) {
    this.#database = database;
    this.#name = name;
    this.store = JournalStore.over(database, LOOKING);
  }

  /** Opens the journal of a place, and creates it if there is none. Throws a Failure. */
  static open({ place, name }: NamedPlace): MovingJournal {
    if (typeof place === "string") assertThere(journalIn(place, "create"));
    const database = openTables(place, JOURNAL_PART, { moving: true });
    if (database.formatOf(JOURNAL) === FORMAT || markOf(database) === undefined) return new MovingJournal(database, name);
    database.close();
    throw otherVersion(database.path);
  }

  /** Returns its mark, if it has one. */
  mark(): MoveMark | undefined {
    return markOf(this.#database);
  }

  /** From now on nobody writes here. Throws a Failure if a process holds a run, or the state was already moved away. */
  beginSource(id: string, other: string): void {
    this.#database.transaction(() => {
      const mark = this.mark();
      if (mark !== undefined && mark.role !== "leaving") throw this.#refuse(mark);
      const held = this.store.leases.list().find(({ holder }) => holder !== undefined);
      if (held !== undefined) throw runHeld(held);
      writeMark(this.#database, { role: "leaving", id, other });
    });
  }

  /** Undoes `beginSource`. Does nothing if the state was moved away, or another move has begun. */
  abandon(id: string): void {
    this.#database.transaction(() => {
      const mark = this.mark();
      if (mark?.role === "leaving" && mark.id === id) writeMark(this.#database, undefined);
    });
  }

  /** From now on the state is no longer here. Throws a Failure if another move has begun. */
  finishSource(id: string): void {
    this.#database.transaction(() => {
      const mark = this.mark();
      if (mark?.role !== "leaving" || mark.id !== id) throw movedByAnother(this.#database.path);
      writeMark(this.#database, { ...mark, role: "left" });
    });
  }

  /** Throws a Failure unless a state can be moved here from the other place: this place must be empty, or hold a copy from there. */
  assertFree(other: string): void {
    const mark = this.mark();
    if (mark === undefined) this.store.assertEmpty();
    else if (mark.role === "leaving" || mark.other !== other) throw this.#refuse(mark);
  }

  /** From now on nobody writes here until `finishTarget`. Throws a Failure like `assertFree`. */
  beginTarget(id: string, other: string): void {
    this.#database.transaction(() => {
      this.assertFree(other);
      writeMark(this.#database, { role: "arriving", id, other });
    });
  }

  /** Replaces the content of this journal by that of the other. Throws a Failure if another move has begun. */
  copyFrom(other: MovingJournal, id: string): void {
    this.#database.transaction(() => {
      const mark = this.mark();
      if (mark?.role !== "arriving" || mark.id !== id) throw movedByAnother(this.#database.path);
      replaceTables(other.#database, this.#database, JOURNAL);
      this.#database.run("UPDATE lease SET holder = NULL");
    });
    const tail = tailOf(this.#database, {});
    tail.create(this.#database);
    tail.close();
  }

  /** Makes the journal live, if it is still the copy of this move. */
  finishTarget(id: string): void {
    this.#database.transaction(() => {
      const mark = this.mark();
      if (mark?.role === "arriving" && mark.id === id) writeMark(this.#database, undefined);
    });
  }

  /** Closes the journal. */
  close(): void {
    this.store.close();
  }

  /** Closes the journal at the end of its scope (`using`). */
  [Symbol.dispose](): void {
    this.close();
  }

  #refuse({ role, other }: MoveMark): Failure {
    return markFailure(role, this.#name, other);
  }
}

function movedByAnother(path: string): Failure {
  return new Failure({
    code: "state.moving",
    message: `another state move of ${path} is under way, or has ended`,
    why: "two moves at a time would leave two states",
    next: ["wait until it has ended, and look where the state is:", command`runs`],
  });
}

function otherVersion(path: string): Failure {
  return new Failure({
    code: "state.moving",
    message: `the move of ${path} was begun by an earlier version of tokenbook, and has not ended`,
    next: "end it with that version: repeat the command",
  });
}
