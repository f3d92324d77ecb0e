import { Failure } from "../../base/failure.ts";
import { howToStop, spellHolder } from "../../journal/holder.ts";
import { type JournalStore, noSuchRun } from "../../journal/store.ts";
import { openWrites } from "../../protocol/open-writes.ts";
import type { Holder, RunRecord, RunReleased } from "../../protocol/record.ts";
import { maybeUnsent, stateOf } from "../../protocol/state.ts";

/** Who says that a holder is gone, and why. */
export interface Release {
  readonly who: string;
  readonly because: string;
}

/**
 * Frees a run whose holder ran on another machine, so that nobody here can know whether it is alive; the word is kept in its journal. Should
 * the holder be alive after all, it can record nothing more, and sends nothing of which it has not begun to send the first byte. What it had
 * intended may be just that, so time alone never settles it. Gives who held the run. Throws a Failure when nobody does, or a process that
 * is alive on this machine.
 */
export async function releaseRun(store: JournalStore, runId: string, { who, because }: Release): Promise<Holder> {
  const lease = store.leases.holding(runId);
  const holder = lease?.holder;
  if (lease === undefined || holder === undefined) throw nothingToRelease(store, runId);
  if (lease.life === "alive") throw alive(runId, holder);
  if (store.knows(runId)) {
    const says = (before: readonly RunRecord[]): RunReleased => {
      return { kind: "run.released", from: holder, who, because, unsent: maybeUnsent(stateOf(before)) };
    };
    const { journal, records } = await store.takeOver(lease, says);
    journal.note({ kind: "run.closed", outcome: "interrupted", outputs: {} });
    await store.release(journal, "interrupted", openWrites(stateOf(records)).length > 0);
  } else store.leases.release(store.leases.takeOver(runId), false); // it was about to begin
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
    message: `the run ${runId} is held by ${spellHolder(holder)}, which is alive`,
    why: "what it has under way could take effect after somebody else has gone on",
    next: howToStop(holder),
  });
}
