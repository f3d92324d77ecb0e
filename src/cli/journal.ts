import { existsSync } from "node:fs";
import { join } from "node:path";
import { Failure } from "../base/failure.ts";
import { systemClock } from "../base/ports.ts";
import type { JournalPorts } from "../journal/journal.ts";
import { FORMAT, JournalStore, versionOf } from "../journal/store.ts";
import { Database } from "../sqlite/database.ts";
import { knownStateDirectory, type Where } from "./project.ts";
import type { Shell } from "./shell.ts";

// Nothing is written, so nothing is masked.
const LOOKING: JournalPorts = { clock: systemClock, redact: (text) => text };

/** Looks into the journal of the state directory, and lets go of it whatever happens. Where there is no journal none is made. */
export function lookIntoJournal<T>(shell: Shell, where: Where, look: (store: JournalStore) => T): T {
  return closing(JournalStore.over(Database.existing(fileIn(knownStateDirectory(shell, where))), LOOKING), look);
}

/** The same for what writes into it. */
export async function changeJournal<T>(shell: Shell, where: Where, change: (store: JournalStore) => Promise<T>): Promise<T> {
  const store = JournalStore.open(knownStateDirectory(shell, where), LOOKING);
  try {
    return await change(store);
  } finally {
    store.close();
  }
}

/** Looks for whoever may change no file. Only a journal of an earlier format is brought up to date. */
export function peekIntoJournal<T>(state: string, look: (store: JournalStore) => T): T {
  return closing(peeked(state), look);
}

function peeked(state: string): JournalStore {
  const file = fileIn(state);
  if (existsSync(file)) {
    const database = Database.look(file);
    if (versionOf(database) === FORMAT) return JournalStore.look(database, LOOKING);
    database.close();
  }
  return JournalStore.over(Database.existing(file), LOOKING);
}

function fileIn(state: string): string {
  return join(state, "journal.db");
}

function closing<T>(store: JournalStore, look: (store: JournalStore) => T): T {
  try {
    return look(store);
  } finally {
    store.close();
  }
}

const LATEST = "latest";

/** The id of a run that is named: itself, or `latest` for the last one. */
export function runNamed(store: JournalStore, named: string): string {
  if (named !== LATEST) return named;
  const [latest] = store.list(1);
  if (latest !== undefined) return latest.id;
  throw noRunYet();
}

/** Says that nothing has run here. */
export function noRunYet(): Failure {
  return new Failure({
    code: "journal.no-such-run",
    message: "there is no run in this state directory yet",
    next: "tokenbook run PLAYBOOK",
  });
}
