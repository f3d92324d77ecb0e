import { systemClock } from "../base/ports.ts";
import { JournalStore } from "../journal/store.ts";
import { stateDirectory, type Where } from "./project.ts";
import type { Shell } from "./shell.ts";

/** Looks into the journal of the state directory, and lets go of it whatever happens. Nothing is written, so nothing is masked. */
export function lookIntoJournal<T>(shell: Shell, where: Where, look: (store: JournalStore) => T): T {
  const store = JournalStore.open(stateDirectory(shell, where), { clock: systemClock, redact: (text) => text });
  try {
    return look(store);
  } finally {
    store.close();
  }
}
