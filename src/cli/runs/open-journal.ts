import { systemClock } from "../../base/ports.ts";
import type { JournalPorts } from "../../journal/journal.ts";
import { JournalStore } from "../../journal/store.ts";
import type { StatePlace } from "../../sql/place.ts";
import { knownStatePlace, type Where } from "../project/project.ts";
import type { Shell } from "../shell.ts";

/** For whoever writes nothing that a run has said, so nothing is masked. */
export const LOOKING: JournalPorts = { clock: systemClock, redact: (text) => text };

/** Looks into the journal of the state directory, and closes it whatever happens. Where there is no journal, none is made. */
export function lookIntoJournal<T>(shell: Shell, where: Where, look: (store: JournalStore) => T): T {
  return closing(JournalStore.existing(knownStatePlace(shell, where), LOOKING), look);
}

/** The same for what writes into it. */
export async function changeJournal<T>(shell: Shell, where: Where, change: (store: JournalStore) => Promise<T>): Promise<T> {
  const store = JournalStore.open(knownStatePlace(shell, where), LOOKING);
  try {
    return await change(store);
  } finally {
    store.close();
  }
}

/** Looks for whoever may change no file. Only a journal of an earlier format is brought up to date. */
export function peekIntoJournal<T>(state: StatePlace, look: (store: JournalStore) => T): T {
  return closing(JournalStore.look(state, LOOKING) ?? JournalStore.existing(state, LOOKING), look);
}

/** Throws a Failure when the journal of a state directory has lost records: what else is kept there may rest on them. */
export function assertJournalWhole(state: StatePlace): void {
  JournalStore.look(state, LOOKING)?.close();
}

function closing<T>(store: JournalStore, look: (store: JournalStore) => T): T {
  try {
    return look(store);
  } finally {
    store.close();
  }
}
