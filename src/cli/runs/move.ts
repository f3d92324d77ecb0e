import { randomUUID } from "node:crypto";
import { command } from "../../base/command-line.ts";
import { Failure } from "../../base/failure.ts";
import { ExchangeStore, EXCHANGES_PART } from "../../exchanges/exchange-store.ts";
import { MovingJournal, type NamedPlace } from "../../journal/moving.ts";
import { JournalStore } from "../../journal/store.ts";
import { DriftBook } from "../../reconcile/drift-book.ts";
import { DRIFT_PART } from "../../reconcile/drift-tables.ts";
import { ScheduleStore, SCHEDULE_PART } from "../../schedule/store.ts";
import { DatabaseFailure } from "../../sql/failure.ts";
import { copyPart } from "../../state/copy.ts";

/** What to move, and where. */
interface StateMove {
  readonly from: NamedPlace;
  readonly to: NamedPlace;
  /** Throws a Failure while submitted runs are waiting or running. */
  readonly assertNoJobs: () => Promise<void>;
}

/** How much was moved. */
interface Moved {
  readonly runs: number;
  readonly records: number;
}

interface Journals {
  readonly source: MovingJournal;
  readonly copy: MovingJournal;
}

/**
 * Moves a state, which is then live only in the other place. If a move was killed, the next one continues it from the marks that it left. If a move fails
 * before the state has left, the state stays where it was. Throws a Failure.
 */
export async function moved(move: StateMove): Promise<Moved> {
  try {
    return await movedAll(move);
  } catch (error) {
    throw error instanceof DatabaseFailure ? notEnded(move, error) : error;
  }
}

// The mark that says how far the move has come may be there, or may be missing on the server that did not answer. A repetition finds out.
function notEnded({ from, to }: StateMove, { code, message, why, next, cause }: DatabaseFailure): Failure {
  const until = "until the move is repeated, commands may be refused in both places";
  return new Failure({
    code,
    message,
    why: why === undefined ? until : `${why}; ${until}`,
    next: [`${next}, then repeat the move:`, command`state move ${[from.name, to.name]}`],
    cause,
  });
}

async function movedAll(move: StateMove): Promise<Moved> {
  await move.assertNoJobs();
  using source = openMoving(move.from);
  using copy = openMoving(move.to);
  const chains = await movedOf(move, { source, copy });
  const records = [...chains.values()].reduce((sum, { length }) => sum + length, 0);
  return { runs: chains.size, records };
}

async function movedOf(move: StateMove, { source, copy }: Journals): Promise<ReadonlyMap<string, RecordChain>> {
  const mark = source.mark();
  if (mark?.role === "left" && mark.other === move.to.name) {
    const chains = verified(source.store);
    if (copy.mark()?.id === mark.id) assertSame(chains, verified(copy.store));
    else assertKnown(chains.keys(), copy);
    copy.finishTarget(mark.id);
    return chains;
  }
  copy.assertFree(move.from.name);
  const id = randomUUID();
  source.beginSource(id, move.to.name);
  try {
    await move.assertNoJobs();
    copy.beginTarget(id, move.from.name);
    for (const part of [DRIFT_PART, EXCHANGES_PART, SCHEDULE_PART]) copyPart(move.from.place, move.to.place, part);
    copy.copyFrom(source, id);
    const chains = verified(source.store);
    assertSame(chains, verified(copy.store));
    source.finishSource(id);
    copy.finishTarget(id);
    return chains;
  } catch (error) {
    abandonIfPossible(source, id);
    throw error;
  }
}

// If this fails, the mark stays, and the move must be repeated.
function abandonIfPossible(source: MovingJournal, id: string): void {
  try {
    source.abandon(id);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
  }
}

/** Opens a place for a move. Before the first mark, it creates all parts of the state and migrates them to the newest format. */
export function openMoving(named: NamedPlace): MovingJournal {
  const journal = MovingJournal.open(named);
  if (journal.mark() === undefined) {
    const { place } = named;
    // These texts were masked when they were written, so nothing is masked here.
    for (const open of [DriftBook.open(place), ExchangeStore.open(place), ScheduleStore.open(place, { redact: (text) => text })])
      open.close();
  }
  return journal;
}

interface RecordChain {
  readonly length: number;
  /** The hash of the last record, which covers all records before it. */
  readonly hash: string;
}

// Reading a chain verifies each of its records.
function verified(store: JournalStore): ReadonlyMap<string, RecordChain> {
  return new Map(
    store.runs.ids().map((run) => {
      let chain: RecordChain = { length: 0, hash: "" };
      for (const { hash } of store.chain(run)) chain = { length: chain.length + 1, hash };
      return [run, chain];
    }),
  );
}

// A copy that is already live may contain later runs, and may have archived earlier ones.
function assertKnown(runs: Iterable<string>, { store }: MovingJournal): void {
  for (const run of runs) if (!store.knows(run) && store.archives.named(run, 1).length === 0) throw differs(run);
}

function assertSame(before: ReadonlyMap<string, RecordChain>, after: ReadonlyMap<string, RecordChain>): void {
  const different = [...before].find(([run, { hash }]) => after.get(run)?.hash !== hash)?.[0];
  if (different !== undefined || before.size !== after.size) throw differs(different);
}

function differs(run: string | undefined): Failure {
  return new Failure({
    code: "state.not-same",
    message: `the copy differs from the original${run === undefined ? "" : ` in the run ${run}`}`,
    why: "nothing was removed, and the copy is not used",
    next: ["see what is damaged:", command`runs verify`],
  });
}
