import { existsSync } from "node:fs";
import { join } from "node:path";
import { Failure } from "../base/failure.ts";
import { LIMITS } from "../base/limits.ts";
import { systemClock } from "../base/ports.ts";
import { type OpenWrite, openWrites } from "../protocol/open-writes.ts";
import { stateOf } from "../protocol/state.ts";
import { Database } from "../sqlite/database.ts";
import { FORMAT, JournalStore, type RunSummary, versionOf } from "./store.ts";

/** How the journal of a state directory stands. */
export interface JournalHealth {
  readonly path: string;
  /** The format that it was written in, and the one that this version writes. */
  readonly format: number;
  readonly newest: number;
  /** What of it is broken. */
  readonly damage: readonly string[];
  /** The latest runs that did not pass; none where the format is another. */
  readonly runs: readonly RunHealth[];
}

/** How a run that did not pass stands. */
export interface RunHealth extends RunSummary {
  /** Its writes of which nobody knows whether they took effect. */
  readonly open: readonly OpenWrite[];
}

/** Looks at a journal and changes nothing; `undefined` where there is none. Throws a Failure when it cannot be read. */
export function journalHealth(stateDirectory: string): JournalHealth | undefined {
  const path = join(stateDirectory, "journal.db");
  if (!existsSync(path)) return undefined;
  const database = Database.look(path);
  try {
    const format = versionOf(database);
    const health = { path, format, newest: FORMAT, damage: database.quickCheck() };
    if (format !== FORMAT) return { ...health, runs: [] };
    const store = lookedInto(database);
    const damage = [...health.damage, ...lossOf(store)];
    return { ...health, damage, runs: damage.length > 0 ? [] : runsOf(store) };
  } finally {
    database.close();
  }
}

function lossOf(store: JournalStore): readonly string[] {
  try {
    store.assertWhole();
    return [];
  } catch (error) {
    if (error instanceof Failure) return [error.message];
    throw error;
  }
}

function runsOf(store: JournalStore): readonly RunHealth[] {
  const runs = store.notPassed(LIMITS.doctorRuns);
  return runs.map((run) => ({ ...run, open: openWrites(stateOf(store.read(run.id))) }));
}

/** The latest runs of a state directory; nothing in it is changed. None where the journal is of another format. Throws a Failure when it cannot be read. */
export function runsIn(stateDirectory: string): readonly RunSummary[] {
  const path = join(stateDirectory, "journal.db");
  if (!existsSync(path)) return [];
  const database = Database.look(path);
  try {
    return versionOf(database) === FORMAT ? lookedInto(database).list(LIMITS.doctorRuns) : [];
  } finally {
    database.close();
  }
}

function lookedInto(database: Database): JournalStore {
  return JournalStore.look(database, { clock: systemClock, redact: (text) => text });
}
