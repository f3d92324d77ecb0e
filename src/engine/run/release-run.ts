import { command } from "../../base/command-line.ts";
import { formatDuration } from "../../base/time/duration.ts";
import { EXIT } from "../../base/exit.ts";
import { Failure } from "../../base/failure.ts";
import { LIMITS } from "../../base/limits.ts";
import { howToStop, spellHolder } from "../../journal/holder.ts";
import { actingFor, type Lease } from "../../journal/leases.ts";
import { isHeld, noSuchRun } from "../../journal/failures.ts";
import type { JournalStore } from "../../journal/store.ts";
import { writtenUntil } from "../../protocol/open-writes.ts";
import { closeEarly } from "../../protocol/decide.ts";
import type { Holder, PersonsWord } from "../../protocol/record.ts";
import { emptyState, maybeUnsent, stateOf } from "../../protocol/state.ts";

/**
 * Releases a run whose holder is on another machine, where we cannot tell whether it is alive. The journal keeps the release. If the holder
 * is alive after all, it can record nothing more and begins no further request. But it may be about to send a write that it had intended, so
 * time alone never settles such a write. Returns the former holder. Throws a Failure if the run is not held, or its holder is alive on this
 * machine.
 */
export async function releaseRun(store: JournalStore, runId: string, { who, because }: PersonsWord): Promise<Holder> {
  const lease = store.leases.holding(runId);
  const holder = lease?.holder;
  if (lease === undefined || holder === undefined) throw nothingToRelease(store, runId);
  if (lease.life === "alive") throw alive(runId, holder);
  await takeAway(store, { ...lease, holder }, { who, because });
  return holder;
}

/**
 * Releases a run whose process has shown no sign of life in the database for `LIMITS.beatLapsedMs`. The journal keeps the release, as it
 * keeps a person's. Does nothing if the run is not held, its process is alive, or another process releases it first. Returns whether it was released here.
 */
export async function releaseSilent(store: JournalStore, runId: string): Promise<boolean> {
  const lease = store.leases.holding(runId);
  if (lease?.holder === undefined || lease.life !== "silent") return false;
  const because = `its process has shown no sign of life for ${formatDuration(LIMITS.beatLapsedMs)}`;
  try {
    await takeAway(store, { ...lease, holder: lease.holder }, { who: "tokenbook", because });
    return true;
  } catch (error) {
    if (!isHeld(error)) throw error;
    return false;
  }
}

/**
 * Releases the run of a process that was taken for dead, at once and within a transaction of another part of the state. The journal keeps the release. Does
 * nothing if the run is not held, or its process has surely ended.
 */
export function releaseLapsed(store: JournalStore, runId: string): void {
  const lease = store.leases.holding(runId);
  const from = lease?.holder;
  if (lease === undefined || from === undefined) return;
  if (!store.knows(runId)) return store.leases.release(store.leases.takeOver(runId), false);
  const because = "another process took the one that ran its firing for dead";
  store.takeAway(lease, (before) => ({
    kind: "run.released",
    from,
    who: "tokenbook",
    because,
    unsent: maybeUnsent(stateOf(before)),
  }));
}

function takeAway(store: JournalStore, lease: Lease & { readonly holder: Holder }, { who, because }: PersonsWord): Promise<void> {
  const { runId, holder } = lease;
  return actingFor(runId, async () => {
    if (!store.knows(runId)) {
      store.leases.release(store.leases.takeOver(runId), false); // the run was about to begin
      return;
    }
    let left = emptyState();
    const { journal, records } = await store.takeOver(lease, (before) => {
      left = stateOf(before);
      return { kind: "run.released", from: holder, who, because, unsent: maybeUnsent(left) };
    });
    const until = writtenUntil(stateOf(records));
    const closed = closeEarly(left, until === undefined);
    journal.note(closed);
    await store.release(journal, closed.outcome, until);
  });
}

function nothingToRelease(store: JournalStore, runId: string): Failure {
  if (!store.knows(runId)) return noSuchRun(runId, store.runs.ids());
  return new Failure({
    code: "release.nothing",
    message: `no process holds the run ${runId}`,
    next: command`resume ${runId}`,
  });
}

function alive(runId: string, holder: Holder): Failure {
  return new Failure({
    code: "release.alive",
    message: `the run ${runId} is held by ${spellHolder(holder)}, which is alive`,
    why: "a write that it has under way could take effect after another process resumed the run",
    next: howToStop(holder),
    exit: EXIT.locked,
  });
}
