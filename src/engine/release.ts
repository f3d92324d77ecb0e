import { Failure } from "../base/failure.ts";
import { isOfThisHost, spellHolder } from "../journal/holder.ts";
import { type JournalStore, noSuchRun } from "../journal/store.ts";
import { openWrites } from "../protocol/open-writes.ts";
import type { Holder } from "../protocol/record.ts";
import { stateOf } from "../protocol/state.ts";

/** Who says that a holder is gone, and why. */
export interface Release {
  readonly who: string;
  readonly because: string;
}

/**
 * Frees a run whose holder nobody here can tell the life of; the word is kept in its journal. Should the holder live after all, it can
 * write no more. Gives who held it. Throws a Failure when nobody does, or a process that lives.
 */
export async function releaseRun(store: JournalStore, runId: string, { who, because }: Release): Promise<Holder> {
  const holder = store.leases.holding(runId)?.holder;
  if (holder === undefined) throw nothingToRelease(store, runId);
  if (isOfThisHost(holder)) throw alive(runId, holder);
  const claim = store.leases.takeOver(runId);
  if (store.knows(runId)) {
    const { journal, records } = await store.claim(runId, claim);
    journal.note({ kind: "run.released", from: holder, who, because });
    journal.note({ kind: "run.closed", outcome: "interrupted", outputs: {} });
    await store.release(journal, "interrupted", openWrites(stateOf(records)).length > 0);
  } else store.leases.release(claim, false); // it was about to begin
  return holder;
}

function nothingToRelease(store: JournalStore, runId: string): Failure {
  if (!store.knows(runId)) return noSuchRun(runId, store.ids());
  return new Failure({
    code: "release.nothing",
    message: `nobody holds the run ${runId}`,
    next: `tokenbook resume ${runId}`,
  });
}

function alive(runId: string, holder: Holder): Failure {
  return new Failure({
    code: "release.alive",
    message: `the run ${runId} is held by ${spellHolder(holder)}, which lives`,
    why: "what it has under way could take effect after somebody else has gone on",
    next: `stop it: kill ${holder.pid}`,
  });
}
