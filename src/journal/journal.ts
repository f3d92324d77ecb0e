import { Failure, messageOf } from "../base/failure.ts";
import { EXIT } from "../base/exit.ts";
import { LIMITS } from "../base/limits.ts";
import type { Clock } from "../base/ports.ts";
import type { Redact } from "../base/secret.ts";
import type { Fact, RunRecord } from "../protocol/record.ts";
import type { Database } from "../sqlite/database.ts";
import { DatabaseFailure } from "../sqlite/failure.ts";
import { type ChainEnd, link } from "./chain.ts";
import { encode } from "./codec.ts";
import type { Claim, Leases } from "./leases.ts";
import type { Tail } from "./tail.ts";

/** Told right before and right after each commit of a journal which records it makes durable. */
export type CommitWatch = (moment: "before" | "after", records: readonly RunRecord[]) => void;

/** What a journal is handed of the world. */
export interface JournalPorts {
  readonly clock: Clock;
  readonly redact: Redact;
  readonly watch?: CommitWatch | undefined;
}

/** The durable memory of one run, held under one claim. */
export class RunJournal {
  readonly claim: Claim;
  readonly #database: Database;
  readonly #leases: Leases;
  readonly #tail: Tail;
  readonly #ports: JournalPorts;
  #sequence: number;
  #hash: string;
  #waiting: Waiting[] = [];
  #waitingChars = 0;
  /** What the first commit does before its records: a large one may be the first record itself. */
  #opening: (() => void) | undefined;
  /** Why a commit failed. What it held is missing from then on, so nothing may follow it. */
  #failure: Failure | undefined;

  constructor(store: Stored, run: HeldRun, ports: JournalPorts) {
    this.#database = store.database;
    this.#leases = store.leases;
    this.#tail = store.tail;
    this.claim = run.claim;
    this.#opening = run.opening;
    this.#sequence = run.end.sequence;
    this.#hash = run.end.hash;
    this.#ports = ports;
  }

  /**
   * Takes a fact that may wait: it is durable with the next one that may not, or with `flush`. What comes back is what is
   * kept: a secret that the service may have echoed is masked in it, for the state and for reports as for the disk.
   */
  note(fact: Fact): RunRecord {
    const { clean, body } = encode(fact, this.#ports.redact);
    const record: RunRecord = { ...clean, sequence: ++this.#sequence, epoch: this.claim.epoch, at: this.#ports.clock.now() };
    this.#waiting.push({ record, body });
    this.#waitingChars += body.length;
    if (this.#waiting.length >= LIMITS.journalBuffer || this.#waitingChars >= LIMITS.journalBufferChars) this.flush();
    return record;
  }

  /** Takes a fact and everything before it to disk; when this returns, a crash cannot lose them. */
  write(fact: Fact): RunRecord {
    const record = this.note(fact);
    this.flush();
    return record;
  }

  /** Takes an entity of which the run has learnt only now: whoever has it too is told. */
  actAs(entity: string): void {
    this.#leases.actAs(entity, this.claim);
  }

  /** Whether no other run has acted as an entity since this run took it, nor may act as it now. */
  isAlone(entity: string): boolean {
    return this.#leases.isAlone(entity, this.claim.runId);
  }

  /** Takes everything to disk, and with it, in the same commit, whatever the store has to say of the run. */
  flush(after?: () => void): void {
    const waiting = this.#waiting;
    if (waiting.length === 0 && after === undefined) return;
    if (this.#failure !== undefined) throw this.#failure;
    this.#waiting = [];
    this.#waitingChars = 0;
    this.#watch("before", waiting);
    try {
      this.#commit(waiting, after);
    } catch (error) {
      const isTold = error instanceof Failure && !(error instanceof DatabaseFailure);
      this.#failure = isTold ? error : this.#cannotWrite(waiting.at(-1)?.record, error);
      throw this.#failure;
    }
    this.#watch("after", waiting);
  }

  #watch(moment: "before" | "after", waiting: readonly Waiting[]): void {
    this.#ports.watch?.(
      moment,
      waiting.map(({ record }) => record),
    );
  }

  #commit(waiting: readonly Waiting[], after: (() => void) | undefined): void {
    this.#database.assertInPlace();
    this.#database.transaction(() => {
      this.#opening?.();
      this.#assertHeld();
      for (const each of waiting) this.#insert(each);
      this.#end(waiting.at(-1)?.record);
      after?.();
    });
    this.#opening = undefined;
    const sequence = waiting.at(-1)?.record.sequence;
    if (sequence !== undefined) this.#tail.keep({ runId: this.claim.runId, sequence, hash: this.#hash });
  }

  #end(last: RunRecord | undefined): void {
    if (last === undefined) return;
    const { runId } = this.claim;
    this.#database.run("UPDATE run SET last_sequence = ?, last_hash = ? WHERE id = ?", last.sequence, this.#hash, runId);
  }

  #cannotWrite(last: RunRecord | undefined, error: unknown): Failure {
    const about = last !== undefined && "step" in last ? ` (${last.kind} of step "${last.step}")` : "";
    const then = this.#opening === undefined ? `: tokenbook resume ${this.claim.runId}` : " run the same command again";
    return new Failure({
      code: "journal.cannot-write",
      message: `the journal cannot be written${about}: ${messageOf(error)}`,
      why: "what is not recorded would be forgotten, so nothing more is sent",
      next: `${error instanceof DatabaseFailure ? error.next : "make room on the disk"}, then${then}`,
      cause: error,
    });
  }

  #insert({ record, body }: Waiting): void {
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
  }

  // Whoever was taken over can write no more, however late it wakes up.
  #assertHeld(): void {
    if (this.#leases.isHeld(this.claim)) return;
    const { runId } = this.claim;
    throw new Failure({
      code: "journal.claim-lost",
      message: `this process no longer holds the run ${runId}: it was taken over, or released by somebody`,
      why: "two processes writing for one run could send a write twice, so this one stops",
      next: `tokenbook runs show ${runId}`,
      exit: EXIT.locked,
    });
  }
}

/** What the runs of a state directory share. */
export interface Stored {
  readonly database: Database;
  readonly leases: Leases;
  readonly tail: Tail;
}

/** A run as one process holds it. */
export interface HeldRun {
  readonly claim: Claim;
  readonly end: ChainEnd;
  /** What the first commit does before its records: it enters a new run among the others. */
  readonly opening: () => void;
}

interface Waiting {
  readonly record: RunRecord;
  readonly body: string;
}
