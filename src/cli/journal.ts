import { Failure } from "../base/failure.ts";
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

const LATEST = "latest";

/** The id of a run that is named: itself, or `latest` for the last one. */
export function runNamed(store: JournalStore, named: string): string {
  if (named !== LATEST) return named;
  const [latest] = store.list(1);
  if (latest !== undefined) return latest.id;
  throw new Failure({
    code: "journal.no-such-run",
    message: "there is no run in this state directory yet",
    next: "tokenbook run PLAYBOOK",
  });
}
