import { readyOrClosed } from "../base/ready-or-closed.ts";
import { LIMITS } from "../base/limits.ts";
import type { Clock } from "../base/ports.ts";
import { identityOf, placeOf } from "../protocol/identity.ts";
import type { Fact, RunOpened, RunRecord } from "../protocol/record.ts";
import type { SqlDatabase } from "../sql/database.ts";
import type { StatePlace } from "../sql/place.ts";
import { existingTables, lookAtTables, openTables } from "../state/tables.ts";
import { Approvals } from "./approvals.ts";
import { Archives, type KeyedRun, runIsArchived } from "./archives/archives.ts";
import { CHAIN_START, type ChainedRecord, type RunHistory, readChain, readHistory } from "./chain.ts";
import { Commits } from "./commits.ts";
import type { Liveness } from "./holder.ts";
import { keyTaken, latestUnsure, noRunYet, noSuchRun, notEmpty, runHeld, severalRuns } from "./failures.ts";
import { endedByLoss, lossesIn, type Loss } from "./loss.ts";
import { type HeldRun, type JournalPorts, LOOKING, RunJournal, type TimedPorts } from "./journal.ts";
import { livenessIn } from "./liveness.ts";
import { RunRows } from "./run-rows.ts";
import type { RunSummary } from "./run-summary.ts";
import { lastOf, type Tail } from "./tail.ts";
import { assertThere, FORMAT, JOURNAL_PART, journalIn, migrate, tailOf, versionOf } from "./format.ts";
import { type Claim, type Lease, Leases, NOTHING_ELSE, type Taken } from "./leases.ts";

/** A run that this process may write to, with everything that is known of it. */
export interface Held {
  /** Takes further records of the run. */
  readonly journal: RunJournal;
  /** The records so far, in order. */
  readonly records: readonly RunRecord[];
}

/**
 * Called in the transaction of the first record of a process. Throws a Failure if the process may not begin or resume the run any more. It may be called
 * again when the transaction is repeated.
 */
export type Admit = (database: SqlDatabase) => void;

/** What a process has that takes over a run. */
interface Reclaiming {
  /** The records that were read already. */
  readonly known?: RunHistory | undefined;
  readonly admit?: Admit;
}

/** The facts before and after the claim in the first commit of a process. */
interface FirstFacts {
  readonly first?: Fact;
  readonly last?: Fact;
}

const REOPEN = "UPDATE run SET outcome = NULL, settled = 0, written_until = NULL WHERE id = ?";

/** All runs of one state directory. */
export class JournalStore {
  /** The leases of the runs. */
  readonly leases: Leases;
  /** Gives the times of the records. */
  readonly clock: Clock;
  /** The archives that hold earlier runs. */
  readonly archives: Archives;
  /** The runs, selected by queries. */
  readonly runs: RunRows;
  /** The plans that people have approved. */
  readonly approvals: Approvals;
  readonly #database: SqlDatabase;
  readonly #tail: Tail;
  readonly #commits: Commits;
  readonly #ports: TimedPorts;
  readonly #liveness: Liveness;

  private constructor(database: SqlDatabase, ports: JournalPorts) {
    this.#database = database;
    this.#tail = tailOf(database, ports);
    this.clock = ports.clock ?? database.clock;
    this.#ports = { ...ports, clock: this.clock };
    this.#liveness = ports.liveness ?? livenessIn(database);
    this.leases = new Leases(database, { ...this.#ports, liveness: this.#liveness });
    this.#commits = new Commits(database, this.#ports);
    this.archives = new Archives(database, this.leases);
    this.runs = new RunRows(database, this.leases);
    this.approvals = new Approvals(database, this.#ports.redact);
  }

  /** Opens the journal of a state, and creates it if there never was one. Throws a Failure, for example if the journal has lost records. */
  static open(place: StatePlace, ports: JournalPorts): JournalStore {
    if (typeof place === "string") assertThere(journalIn(place, "create"));
    return JournalStore.over(openTables(place, JOURNAL_PART), ports);
  }

  /** Does the same if a journal exists, on a server also if it has lost records. Otherwise returns an empty journal that leaves no file. */
  static existing(place: StatePlace): JournalStore {
    if (typeof place === "string") assertThere(journalIn(place, "write"));
    return JournalStore.#shown(migrated(existingTables(place, JOURNAL_PART), LOOKING));
  }

  /** Opens the journal without changing anything; `undefined` if none has the present format. Throws a Failure like `existing`. */
  static look(place: StatePlace): JournalStore | undefined {
    if (typeof place === "string") assertThere(journalIn(place, "look"));
    const database = lookAtTables(place, JOURNAL_PART);
    if (database === undefined) return undefined;
    if (versionOf(database) === FORMAT) return JournalStore.#shown(database);
    database.close();
    return undefined;
  }

  /** Returns the runs of an open database, whatever kind it is. */
  static over(database: SqlDatabase, ports: JournalPorts): JournalStore {
    return JournalStore.#whole(migrated(database, ports), ports);
  }

  // A person who must accept what a server has lost sees its runs first. A standby that is late shows an earlier moment, too.
  static #shown(database: SqlDatabase): JournalStore {
    return database.server === undefined ? JournalStore.#whole(database, LOOKING) : new JournalStore(database, LOOKING);
  }

  static #whole(database: SqlDatabase, ports: JournalPorts): JournalStore {
    return readyOrClosed(new JournalStore(database, ports), (store) => store.assertWhole());
  }

  /**
   * Begins a run. When the promise resolves, the run is held and its first records are durable. Without a claim it takes one. `admit` is
   * called in the transaction that makes the run known, and prevents this by throwing a Failure. Also throws a Failure if another run has
   * the caller's key.
   */
  async begin(opened: RunOpened, taken?: Claim, admit: Admit = () => undefined): Promise<Held> {
    const { runId, idempotencyKey } = opened;
    const claim = taken ?? { runId, epoch: 1 };
    const key = idempotencyKey === undefined ? null : this.#ports.redact(idempotencyKey);
    const opening = (): void => {
      if (key !== null) this.#assertFree(key);
      admit(this.#database);
      if (taken === undefined) claimed(this.leases.takeWithin(runId, NOTHING_ELSE));
      this.#database.run(
        "INSERT INTO run (id, playbook, environment, opened_at, identity, key) VALUES (?, ?, ?, ?, ?, ?)",
        runId,
        opened.playbook.file,
        opened.target.environment,
        this.#ports.clock.now(),
        identityOf(placeOf(opened)),
        key,
      );
    };
    return this.#held({ claim, end: CHAIN_START, opening }, [], { first: opened });
  }

  /** Takes a run and nothing else, and writes nothing for it yet. Throws a Failure (exit 6) that names the holder if there is one. */
  take(runId: string): Claim {
    this.#assertKnown(runId);
    return claimed(this.leases.take(runId, NOTHING_ELSE));
  }

  /**
   * Takes over a run that nobody holds. Records that are known need not be read again. Throws a Failure (exit 6) that names the holder if
   * somebody holds the run. Without a claim it takes one. `admit` is called in the transaction of the first record, as in `begin`.
   */
  async claim(runId: string, taken?: Claim, { known, admit = () => undefined }: Reclaiming = {}): Promise<Held> {
    this.assertResumable(runId);
    const claim = taken ?? this.take(runId);
    const { records, end } = readHistory(this.#database, runId, () => this.#unknown(runId), known);
    const opening = (): void => {
      admit(this.#database);
      this.#database.run(REOPEN, runId);
    };
    return this.#held({ claim, end, opening }, records);
  }

  /**
   * Takes a run from its holder, and records this in the same commit: a crash leaves both, or neither. Throws a Failure if the run has
   * changed since the lease was read.
   */
  async takeOver(lease: Lease, says: (records: readonly RunRecord[]) => Fact): Promise<Held> {
    const { run, records } = this.#takingFrom(lease);
    return this.#held(run, records, { last: says(records) });
  }

  /** Takes a run from its holder at once, records this in the same commit, and releases the run. Throws a Failure like `takeOver`. */
  takeAway(lease: Lease, says: (records: readonly RunRecord[]) => Fact): void {
    const { run, records } = this.#takingFrom(lease);
    const { journal } = this.#noted(run, { last: says(records) });
    journal.flush();
    this.leases.release(journal.claim, true);
  }

  #takingFrom(lease: Lease): { readonly run: HeldRun; readonly records: readonly RunRecord[] } {
    const { runId } = lease;
    const { records, end } = this.history(runId);
    const opening = (): void => {
      if (!this.leases.takeFrom(lease) || this.count(runId) !== end.sequence + 1) throw runHeld(lease);
      this.#database.run(REOPEN, runId);
    };
    return { run: { claim: { runId, epoch: lease.epoch + 1 }, end, opening }, records };
  }

  // Only the holder of the run can write these records, and they are durable before anything else.
  async #held(run: HeldRun, before: readonly RunRecord[], facts: FirstFacts = {}): Promise<Held> {
    const { journal, records } = this.#noted(run, facts);
    await journal.flushed();
    return { journal, records: [...before, ...records] };
  }

  #noted(run: HeldRun, { first, last }: FirstFacts): Held {
    const opening = (): void => {
      // It may have been opened long ago, and a server may lead to another one by now.
      this.#database.assertDurable();
      this.assertWhole();
      run.opening();
    };
    const stored = {
      database: this.#database,
      commits: this.#commits,
      leases: this.leases,
      liveness: this.#liveness,
      tail: this.#tail,
    };
    const journal = new RunJournal(stored, { ...run, opening }, this.#ports);
    const claimedNow: Fact = { kind: "run.claimed", holder: this.#liveness.me() };
    return { journal, records: [first ?? [], claimedNow, last ?? []].flat().map((fact) => journal.note(fact)) };
  }

  /** Releases a run in the commit of its last records. `until` is the result of `writtenUntil`; `undefined` means that the run leaves a write open. */
  async release(journal: RunJournal, outcome: string, until: number | undefined): Promise<void> {
    const leavesOpen = until === undefined;
    await journal.ended(() => {
      const values = [outcome, leavesOpen ? 0 : 1, until ?? null, journal.claim.runId];
      this.#database.run("UPDATE run SET outcome = ?, settled = ?, written_until = ? WHERE id = ?", ...values);
      this.leases.releaseWithin(journal.claim, leavesOpen);
    });
  }

  /** Returns the records of a run, each checked against the chain. */
  read(runId: string): readonly RunRecord[] {
    return this.history(runId).records;
  }

  /** Does the same, with the end of the chain. Reads only what follows the known records, and returns `known` itself if there is nothing new. */
  history(runId: string, known?: RunHistory): RunHistory {
    return readHistory(this.#database, runId, () => this.#unknown(runId), known);
  }

  /** Yields the records of a run with their hashes, each checked against the chain. */
  chain(runId: string): Iterable<ChainedRecord> {
    return readChain(this.#database, runId, () => this.#unknown(runId));
  }

  /** Whether there is a run with this id. */
  knows(runId: string): boolean {
    return this.#database.get("SELECT 1 FROM run WHERE id = ?", runId) !== undefined;
  }

  /** Returns how many records a run has. This is cheap enough for polling. */
  count(runId: string): number {
    this.#assertKnown(runId);
    return Number(this.#database.get("SELECT last_sequence FROM run WHERE id = ?", runId)?.["last_sequence"] ?? -1) + 1;
  }

  /**
   * Returns the id of the run that a person names: by its id, its whole key, a part that no other id has, or `latest`. Throws a Failure; if
   * several ids contain the part, the Failure lists them.
   */
  named(name: string): string {
    if (name === LATEST) {
      const [latest] = this.runs.latest(1);
      if (latest !== undefined && latest.openedAt > this.clock.now() + LIMITS.scheduleSetBackMs) throw latestUnsure(latest);
      if (latest !== undefined) return latest.id;
      this.assertWhole();
      throw noRunYet();
    }
    if (this.knows(name)) return name;
    const keyed = this.withKey(name);
    if (keyed !== undefined) return keyed.id;
    const most = LIMITS.runsNamed + 1;
    const begun = this.#database.all(
      "SELECT id FROM run WHERE instr(id, ?) > 0 ORDER BY opened_at DESC, id DESC LIMIT ?",
      name,
      most,
    );
    // A run that is about to begin has no row yet, but it has leases.
    const found =
      begun.length > 0
        ? begun
        : this.#database.all("SELECT DISTINCT run_id AS id FROM lease WHERE instr(run_id, ?) > 0 LIMIT ?", name, most);
    const [only, ...others] = found.map(({ id }) => String(id));
    if (only === undefined) return this.#unknown(name);
    if (others.length === 0) return only;
    throw severalRuns(name, [only, ...others]);
  }

  /** Throws a Failure if the journal has lost its last records, or may have. */
  assertWhole(): void {
    this.#tail.assertKept(this.#database);
  }

  /**
   * Names the last record of the journal in its tail. The process that wrote the record may have ended before it did this. Once the record is named,
   * its loss is noticed. No other process writes at the same time, so none has named a later record.
   */
  nameLast(): void {
    this.#database.transaction(() => {
      const last = this.#database.get("SELECT run_id, sequence, hash FROM record ORDER BY rowid DESC LIMIT 1");
      if (last !== undefined) this.#tail.keep(lastOf(last));
    });
  }

  /** Returns the summary of a run. Throws a Failure if no run has this id. */
  summary(runId: string): RunSummary {
    return this.runs.find(runId) ?? this.#unknown(runId);
  }

  /** Returns the losses that people have accepted, the earliest first. */
  losses(): readonly Loss[] {
    return lossesIn(this.#database);
  }

  /** Throws a Failure if a run cannot be resumed because a loss may have taken some of its records. */
  assertResumable(runId: string): void {
    const loss = this.#database.get("SELECT loss.* FROM ended_run JOIN loss ON id = loss WHERE run_id = ?", runId);
    if (loss !== undefined) throw endedByLoss(runId, loss);
  }

  /**
   * Remembers in its row that a run has left no write open, which only its records showed so far. Does nothing if a process may still continue
   * the run.
   */
  settle({ id, held }: Pick<RunSummary, "id" | "held">, until: number): void {
    if (held !== undefined || this.leases.holding(id) !== undefined) return;
    this.#database.run("UPDATE run SET settled = 1, written_until = ? WHERE id = ?", until, id);
  }

  /** Returns the first record of a run, without reading the others. */
  openingOf(runId: string): RunOpened | undefined {
    const [first] = this.chain(runId);
    return first?.record.kind === "run.opened" ? first.record : undefined;
  }

  /** Returns the run to which a caller gave this key. Throws a Failure if that run is archived. */
  withKey(key: string): RunSummary | undefined {
    const runId = this.archives.runWithKey(this.#ports.redact(key));
    return runId === undefined ? undefined : this.summary(runId);
  }

  /** Returns the run to which a caller gave this key, even if it is archived. */
  keyed(key: string): KeyedRun | undefined {
    return this.archives.keyed(this.#ports.redact(key));
  }

  #assertFree(key: string): void {
    const other = this.archives.runWithKey(key);
    if (other !== undefined) throw keyTaken(other);
  }

  /** Throws a Failure if the journal holds a run. */
  assertEmpty(): void {
    if (this.runs.total() > 0) throw notEmpty(this.#database.path);
  }

  /** Closes the journal. From then on this process holds nothing in it. */
  close(): void {
    this.#tail.close();
    this.#liveness.close();
    this.#database.close();
  }

  /** Closes the journal at the end of its scope (`using`). */
  [Symbol.dispose](): void {
    this.close();
  }

  #assertKnown(runId: string): void {
    if (!this.knows(runId)) this.#unknown(runId);
  }

  #unknown(runId: string): never {
    this.assertWhole();
    const [archived, ...others] = this.archives.named(runId, LIMITS.runsNamed + 1);
    if (archived === undefined) throw noSuchRun(runId, this.runs.ids());
    if (others.length === 0) throw runIsArchived(archived);
    throw severalRuns(
      runId,
      [archived, ...others].map(({ id }) => id),
    );
  }
}

function migrated(database: SqlDatabase, ports: JournalPorts): SqlDatabase {
  return readyOrClosed(database, () => migrate(database, tailOf(database, ports)));
}

function claimed(taken: Taken): Claim {
  if ("claim" in taken) return taken.claim;
  throw runHeld(taken.inTheWay);
}

const LATEST = "latest";
