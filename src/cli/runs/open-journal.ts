import { resolve } from "node:path";
import { Failure } from "../../base/failure.ts";
import type { KnownArchive } from "../../journal/archives/archives.ts";
import { isUnwritten, LOOKING, remedyOf } from "../../journal/journal.ts";
import { JournalStore } from "../../journal/store.ts";
import type { StatePlace } from "../../sql/place.ts";
import { knownStatePlace, type Where } from "../project/state-place.ts";
import type { Shell } from "../shell.ts";
import type { RunReference } from "./run-reference.ts";

/** Reads the journal of the state directory, and always closes it. Never creates a journal. */
export function lookIntoJournal<T>(shell: Shell, where: Where, look: (store: JournalStore) => T): T {
  using store = JournalStore.existing(knownStatePlace(shell, where));
  return look(store);
}

/** Opens the journal of the state directory to record what a person says, and always closes it. */
export async function changeJournal<T>(shell: Shell, where: Where, change: (store: JournalStore) => Promise<T>): Promise<T> {
  using store = JournalStore.open(knownStatePlace(shell, where), LOOKING);
  try {
    return await change(store);
  } catch (error) {
    throw isUnwritten(error) ? sayAgain(error) : error;
  }
}

// The journal suggests to continue the run, and that would leave out what the person said.
function sayAgain({ code, message, cause }: Failure): Failure {
  const { why, next } = remedyOf(cause);
  return new Failure({
    code,
    message,
    why: why ?? "so what you stated was not recorded",
    next: `${next}, then type this command again`,
    cause,
  });
}

/** Reads the journal without changing a file, except that a journal in an earlier format is migrated. */
export function peekIntoJournal<T>(state: StatePlace, look: (store: JournalStore) => T): T {
  using store = JournalStore.look(state) ?? JournalStore.existing(state);
  return look(store);
}

/** Throws a Failure if the journal of a state directory has lost records, because other data there may depend on them. */
export function assertJournalWhole(state: StatePlace): void {
  JournalStore.look(state)?.close();
}

/** Does the same for a journal on a server, too, because what is done next may have been done before. */
export function assertNothingLost(state: StatePlace): void {
  using store = JournalStore.look(state);
  store?.assertWhole();
}

/** Options of a command that shows runs from the journal or from archives. */
export interface RunsOptions {
  /** The folder that stores the runs. If left out, the project's own state. */
  readonly state?: string;
  /** An archive file, or a folder of archives, to read the runs from instead. */
  readonly archive?: string;
}

/** Finds runs in the journal or in archives. In archives, only the named runs have their records. */
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

/**
 * Returns all archives that the journal has written. If the journal cannot be read, prints a note and returns `undefined`, because archives can be read without
 * it.
 */
export function knownArchives(shell: Shell, where: Where): readonly KnownArchive[] | undefined {
  try {
    return lookIntoJournal(shell, where, (store) => store.archives.all());
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    shell.stderr.write(`note: the archives were not compared with the journal: ${error.message}\n`);
    return undefined;
  }
}

/**
 * Prints a note that nobody compared the archives with a journal. An archive proves only that it is consistent in itself: somebody could have rewritten all of
 * them.
 */
export function noteUncompared({ stderr }: Pick<Shell, "stderr">, known: readonly KnownArchive[] | undefined): void {
  if (known === undefined) return;
  const why =
    known.length === 0 ? "there is no journal here that has written archives" : "the journal here has written none of them";
  stderr.write(`note: the archives were not compared with a journal: ${why}; to name its state directory: --state DIR\n`);
}
