import { resolve } from "node:path";
import { Failure } from "../../base/failure.ts";
import type { KnownArchive } from "../../journal/archives/archives.ts";
import { LOOKING } from "../../journal/journal.ts";
import { JournalStore } from "../../journal/store.ts";
import type { StatePlace } from "../../sql/place.ts";
import { knownStatePlace, type Where } from "../project/project.ts";
import type { Shell } from "../shell.ts";
import type { RunReference } from "./run-reference.ts";

/** Looks into the journal of the state directory, and closes it whatever happens. Where there is no journal, none is made. */
export function lookIntoJournal<T>(shell: Shell, where: Where, look: (store: JournalStore) => T): T {
  using store = JournalStore.existing(knownStatePlace(shell, where), LOOKING);
  return look(store);
}

/** The same for what writes into it. */
export async function changeJournal<T>(shell: Shell, where: Where, change: (store: JournalStore) => Promise<T>): Promise<T> {
  using store = JournalStore.open(knownStatePlace(shell, where), LOOKING);
  return await change(store);
}

/** Looks for whoever may change no file. Only a journal of an earlier format is brought up to date. */
export function peekIntoJournal<T>(state: StatePlace, look: (store: JournalStore) => T): T {
  using store = JournalStore.look(state, LOOKING) ?? JournalStore.existing(state, LOOKING);
  return look(store);
}

/** Throws a Failure when the journal of a state directory has lost records: what else is kept there may rest on them. */
export function assertJournalWhole(state: StatePlace): void {
  JournalStore.look(state, LOOKING)?.close();
}

/** Options of a command that shows runs, of the journal or of archives. */
export interface RunsOptions {
  /** The folder that keeps the runs; the project's own state when left out. */
  readonly state?: string;
  /** A file or a folder of archives, in which the runs are looked for instead. */
  readonly archive?: string;
}

/** Looks for runs in the journal, or in archives: there, only the named runs have their records. */
export async function lookForRuns<T>(
  shell: Shell,
  options: RunsOptions,
  named: readonly RunReference[],
  look: (store: JournalStore) => T,
): Promise<T> {
  if (options.archive === undefined) return lookIntoJournal(shell, options, look);
  const { openArchives } = await import("../../journal/archives/archive-journal.ts");
  const path = resolve(shell.cwd, options.archive);
  const known = knownArchives(shell, options);
  const uncompared = (): void => noteUncompared(shell, known);
  const archives = { path, known: known ?? [], named: named.map(({ typed }) => typed), uncompared };
  using store = openArchives(archives, LOOKING);
  return look(store);
}

/** Returns all archives that the journal has written; `undefined` when it cannot be read, which is noted: archives are read wherever they are. */
export function knownArchives(shell: Shell, where: Where): readonly KnownArchive[] | undefined {
  try {
    return lookIntoJournal(shell, where, (store) => store.archives.all());
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    shell.stderr.write(`note: the archives were not compared with the journal: ${error.message}\n`);
    return undefined;
  }
}

/** Notes that archives are whole by themselves only: whoever wrote all of them again would not be found out. */
export function noteUncompared({ stderr }: Pick<Shell, "stderr">, known: readonly KnownArchive[] | undefined): void {
  if (known === undefined) return;
  const why =
    known.length === 0 ? "there is no journal here that has written archives" : "the journal here has written none of them";
  stderr.write(`note: the archives were not compared with a journal: ${why}; to name its state directory: --state DIR\n`);
}
