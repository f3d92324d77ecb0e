import { command } from "../base/command-line.ts";
import { Failure, messageOf } from "../base/failure.ts";
import { EXIT } from "../base/exit.ts";
import { LIMITS } from "../base/limits.ts";
import type { Clock } from "../base/ports.ts";
import { timeOfHeader } from "../base/time/http-date.ts";
import type { Redact } from "../base/secret.ts";
import type { Fact, RunRecord } from "../protocol/record.ts";
import type { AttemptState } from "../protocol/attempt-state.ts";
import { provenBy } from "../protocol/state.ts";
import type { SqlDatabase } from "../sql/database.ts";
import { DatabaseFailure, PassingFailure } from "../sql/failure.ts";
import { type ChainEnd, link } from "./chain.ts";
import { encode } from "./codec.ts";
import { type Proof, proofsOf, prove, RunsBeside } from "./proofs.ts";
import type { ClaimCheck, CommitPart, Commits, CommitPorts } from "./commits.ts";
import type { Liveness } from "./holder.ts";
import type { Claim, Leases } from "./leases.ts";
import { turnedBack } from "./server-tail.ts";
import type { Tail, TailFile } from "./tail.ts";

/** Called right before and right after each commit of a journal, with the records that become durable. */
export type CommitWatch = (moment: "before" | "after", records: readonly RunRecord[]) => void;

/** What a journal needs from outside. */
export interface JournalPorts extends Pick<CommitPorts, "inNextTurn" | "onAway" | "stopping"> {
  /** Gives the times of records, and measures waits; if left out, the database's clock. */
  readonly clock?: Clock | undefined;
  /** Masks secrets before they are written. */
  readonly redact: Redact;
  /** Called right before and right after each commit. */
  readonly watch?: CommitWatch | undefined;
  /** Who this process is, and which others are alive; if left out, the state directory shows it. */
  readonly liveness?: Liveness | undefined;
  /** The file that names the last record; if left out, the one beside the journal. */
  readonly tail?: TailFile | undefined;
}

/** For callers that write no new text of a run, or only text that was already masked: nothing is masked. */
export const LOOKING: JournalPorts = { redact: (text) => text };

/** The same ports, with a clock. */
export type TimedPorts = JournalPorts & { readonly clock: Clock };

/** The durable memory of one run, held under one claim. */
export class RunJournal {
  /** The claim under which this process writes. */
  readonly claim: Claim;
  readonly #database: SqlDatabase;
  readonly #commits: Commits;
  readonly #leases: Leases;
  readonly #liveness: Liveness;
  readonly #tail: Tail;
  readonly #ports: TimedPorts;
  /** Whether the run had records before this process took it. */
  readonly #hasRecords: boolean;
  #sequence: number;
  #hash: string;
  #waiting: WaitingRecord[] = [];
  #waitingChars = 0;
  /** A commit that has not begun. It will hold everything that is waiting when it begins. */
  #joined: Promise<void> | undefined;
  /** What the first commit does before its records. Even the first record may be large enough to cause a commit. */
  #opening: (() => void) | undefined;
  /** Why a commit failed. Its records are missing from then on, so no record may follow. */
  #failure: Failure | undefined;

  constructor(store: Stored, run: HeldRun, ports: TimedPorts) {
    this.#database = store.database;
    this.#commits = store.commits;
    this.#commits.enter();
    this.#leases = store.leases;
    this.#liveness = store.liveness;
    this.#tail = store.tail;
    this.claim = run.claim;
    this.#opening = run.opening;
    this.#hasRecords = run.end.sequence >= 0;
    this.#sequence = run.end.sequence;
    this.#hash = run.end.hash;
    this.#ports = ports;
  }

  /**
   * Takes a fact that becomes durable with the next flush. Returns the record as it is kept: a secret that the service may have echoed is
   * masked in it, for the state and the reports as well as on the disk.
   */
  note(fact: Fact): RunRecord {
    const { clock, redact } = this.#ports;
    const { clean, body } = encode(withUptime(fact, clock), redact);
    const record: RunRecord = { ...clean, sequence: ++this.#sequence, epoch: this.claim.epoch, at: clock.now() };
    this.#waiting.push({ record, body });
    this.#waitingChars += body.length;
    if (this.#waiting.length >= LIMITS.journalBuffer || this.#waitingChars >= LIMITS.journalBufferChars) this.flush();
    return record;
  }

  /**
   * Asks the state a question that changes nothing. Waits for a database that is away, like a commit. If it stays away, rejects with a Failure
   * that ends the run.
   */
  async asked<T>(question: () => T): Promise<T> {
    try {
      return await this.#commits.asked(question);
    } catch (error) {
      throw error instanceof PassingFailure ? cannotRead(this.claim.runId, error) : error;
    }
  }

  /** Takes an entity that the run has learnt only now. Other holders of the entity learn about it. */
  actAs(entity: string): void {
    this.#leases.actAs(entity, this.claim);
  }

  /** Whether no other run has acted as an entity since this run took it, and none may do so now. */
  isAlone(entity: string): boolean {
    return this.#leases.isAlone(entity, this.claim.runId);
  }

  /** Returns the writes of other runs that a transaction or a receipt has proven. */
  provenElsewhere(id: string): readonly Proof[] {
    return proofsOf(this.#database, id, this.claim.runId);
  }

  /** Returns the other runs that may have written at the time of an attempt of this run. `readLagMs` is how old its first readings may have been. */
  runsBeside({ intended, sequence }: AttemptState, readLagMs: number): RunsBeside {
    const { baselineAt } = intended;
    const since = timeOfHeader(baselineAt?.date);
    return new RunsBeside(this.#database, {
      runId: this.claim.runId,
      sequence: baselineAt?.sequence ?? sequence,
      since,
      readLagMs,
    });
  }

  /** Throws a Failure if this process no longer holds the run: then it may send nothing for it. */
  assertHeld(): void {
    this.#database.assertInPlace();
    this.#assertHeld();
  }

  /** Makes all records durable: when this returns, a crash cannot lose them. */
  flush(): void {
    if (this.#waiting.length > 0) this.#commits.now(this.#part());
  }

  /** Does the same, in one commit with the records of other runs. The records are durable when the promise resolves. */
  async flushed(): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#joined !== undefined) return this.#joined;
    if (this.#waiting.length === 0) return;
    const committed = this.#commits.join(this.#part());
    if (this.#waiting.length > 0) this.#joined = committed; // the commit waits for other runs
    return committed;
  }

  /** Does the same, with what the store writes about the run at its end. */
  async ended(say: () => void): Promise<void> {
    try {
      await this.#commits.join(this.#part(say));
    } finally {
      this.#commits.leave();
    }
  }

  // The part takes what is waiting when the commit begins, not only what is waiting now.
  #part(say?: () => void): CommitPart {
    let waiting: readonly WaitingRecord[] = [];
    // The hash at the end of the chain before the first attempt. The run may have another part in the same commit.
    let before: string | undefined;
    return {
      begin: () => {
        this.#joined = undefined;
        if (this.#failure !== undefined) throw this.#failure;
        waiting = this.#waiting;
        this.#waiting = [];
        this.#waitingChars = 0;
        this.#watch("before", waiting);
      },
      isOwn: () => this.#opening === undefined,
      write: (check) => {
        this.#hash = before ??= this.#hash;
        this.#opening?.();
        this.#assertHeld(check);
        if (this.#opening === undefined) this.#assertEnd(check);
        for (const each of waiting) this.#insert(each);
        this.#end(waiting.at(-1)?.record);
        say?.();
      },
      isKept: () => waiting.length > 0 && this.#isLast(waiting),
      end: () => {
        this.#opening = undefined;
        const sequence = waiting.at(-1)?.record.sequence;
        if (sequence !== undefined) this.#tail.keep({ runId: this.claim.runId, sequence, hash: this.#hash });
        this.#watch("after", waiting);
      },
      fail: (error) => {
        const isExplained = error instanceof Failure && !(error instanceof DatabaseFailure);
        this.#failure = isExplained ? error : this.#cannotWrite(waiting.at(-1)?.record, error);
        return this.#failure;
      },
    };
  }

  // The attempt has given the records their hashes, unless it failed earlier.
  #isLast(waiting: readonly WaitingRecord[]): boolean {
    const { runId } = this.claim;
    const row = this.#database.get("SELECT last_sequence, last_hash FROM run WHERE id = ?", runId);
    return row?.["last_sequence"] === waiting.at(-1)?.record.sequence && row?.["last_hash"] === this.#hash;
  }

  #watch(moment: "before" | "after", waiting: readonly WaitingRecord[]): void {
    this.#ports.watch?.(
      moment,
      waiting.map(({ record }) => record),
    );
  }

  #end(last: RunRecord | undefined): void {
    if (last === undefined) return;
    const { runId } = this.claim;
    this.#database.run("UPDATE run SET last_sequence = ?, last_hash = ? WHERE id = ?", last.sequence, this.#hash, runId);
  }

  #cannotWrite(last: RunRecord | undefined, error: unknown): Failure {
    const about = last !== undefined && "step" in last ? ` (${last.kind} of step "${last.step}")` : "";
    const { why, next } = remedyOf(error);
    const isThere = this.#hasRecords || this.#opening === undefined;
    return new Failure({
      code: CANNOT_WRITE,
      message: `the journal cannot be written${about}: ${messageOf(error)}`,
      why: `what is not recorded would be forgotten, so nothing more is sent${why === undefined ? "" : `; ${why}`}`,
      next: [
        `${next}, then ${isThere ? "continue the run:" : "begin this run again"}`,
        ...(isThere ? [command`resume ${this.claim.runId}`] : []),
      ],
      cause: error,
    });
  }

  #insert({ record, body }: WaitingRecord): void {
    const { sequence, epoch, at, kind } = record;
    const own = link(this.#hash, record, body);
    this.#database.run(
      "INSERT INTO record (run_id, sequence, epoch, at, kind, body, previous, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
      this.claim.runId,
      sequence,
      epoch,
      at,
      kind,
      body,
      this.#hash,
      own,
    );
    this.#hash = own;
    if ("step" in record)
      for (const id of provenBy(record)) prove(this.#database, id, { runId: this.claim.runId, step: record.step });
  }

  // The address of a database may now lead to an older copy, which lacks records that were durable.
  #assertEnd(check: ClaimCheck): void {
    const { runId } = this.claim;
    if (check === "required") this.#database.require(END, runId, this.#hash);
    else if (this.#database.get(END, runId, this.#hash) === undefined) throw this.#turnedBack();
  }

  #turnedBack(): Failure {
    return turnedBack(this.#database.path, `the last record of run ${this.claim.runId}`);
  }

  // A process that was taken over cannot write any more, however late it wakes up. An older copy of the database may not know the claim.
  #assertHeld(check: ClaimCheck = "asked"): void {
    const { runId } = this.claim;
    if (!this.#liveness.isSeen()) throw unseen(runId);
    if (check === "required") return this.#leases.requireHeld(this.claim);
    if (this.#leases.isHeld(this.claim)) return;
    const hasBegun = this.#opening === undefined;
    if (hasBegun && !this.#leases.isTakenOver(this.claim)) throw this.#turnedBack();
    throw new Failure({
      code: "journal.claim-lost",
      message: `this process no longer holds the run ${runId}: it was taken over, or released by somebody`,
      why: "two processes writing for one run could send a write twice, so this one stops",
      next: command`runs show ${runId}`,
      exit: EXIT.locked,
    });
  }
}

const CANNOT_WRITE = "journal.cannot-write";

/** Whether an error is the failure for records that cannot be written. */
export function isUnwritten(error: unknown): error is Failure {
  return error instanceof Failure && error.code === CANNOT_WRITE;
}

/** Returns why records cannot be written, if the database says why, and what to do before the next attempt. */
export function remedyOf(error: unknown): { readonly why: string | undefined; readonly next: string } {
  return error instanceof DatabaseFailure ? error : { why: undefined, next: "make room on the disk" };
}

const END = "SELECT 1 FROM run WHERE id = ? AND last_hash = ?";

function cannotRead(runId: string, error: PassingFailure): Failure {
  return new Failure({
    code: "journal.cannot-read",
    message: `the journal cannot be read: ${error.message}`,
    why: "what other runs have done cannot be compared, so nothing more is sent",
    next: [`${error.next}, then continue the run:`, command`resume ${runId}`],
    cause: error,
  });
}

function unseen(runId: string): Failure {
  return new Failure({
    code: "journal.claim-lost",
    message: `other processes can no longer see that this process holds the run ${runId}: its file in the state directory's folder "holders" is gone`,
    why: "another process may take the run over, and the two could send a write twice, so this one stops",
    next: ["leave the state directory as it is while a run is under way; then continue the run:", command`resume ${runId}`],
    exit: EXIT.locked,
  });
}

/** What the runs of a state directory share. */
export interface Stored {
  /** The database of the journal. */
  readonly database: SqlDatabase;
  /** The commits of all runs of this process. */
  readonly commits: Commits;
  /** The leases of the runs. */
  readonly leases: Leases;
  /** Who this process is, and which others are alive. */
  readonly liveness: Liveness;
  /** Names the last record in a file beside the journal. */
  readonly tail: Tail;
}

/** A run that this process holds. */
export interface HeldRun {
  /** The claim under which the process holds it. */
  readonly claim: Claim;
  /** The end of its chain of records. */
  readonly end: ChainEnd;
  /** What the first commit does before its records: it adds a new run to the table. */
  readonly opening: () => void;
}

interface WaitingRecord {
  readonly record: RunRecord;
  readonly body: string;
}

function withUptime(fact: Fact, clock: Clock): Fact {
  if (fact.kind !== "attempt.intended" && fact.kind !== "attempt.answered") return fact;
  const uptime = clock.uptime();
  return uptime === undefined ? fact : { ...fact, uptime };
}
