import { hash } from "node:crypto";
import { Failure, messageOf } from "../base/failure.ts";
import { EXIT } from "../base/exit.ts";
import { LIMITS } from "../base/limits.ts";
import type { Clock } from "../base/ports.ts";
import type { Redact } from "../base/secret.ts";
import type { Fact, RunRecord } from "../protocol/record.ts";
import type { Database } from "../sqlite/database.ts";
import { decode, encode } from "./codec.ts";

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
  readonly runId: string;
  readonly epoch: number;
  readonly #store: Database;
  readonly #ports: JournalPorts;
  #sequence: number;
  #hash: string;
  #waiting: Waiting[] = [];
  #waitingChars = 0;
  /** What the first commit does before its records: a large one may be the first record itself. */
  #opening: (() => void) | undefined;

  constructor(store: Database, run: HeldRun, ports: JournalPorts) {
    this.#store = store;
    this.runId = run.runId;
    this.epoch = run.epoch;
    this.#opening = run.opening;
    this.#sequence = run.tail.sequence;
    this.#hash = run.tail.hash;
    this.#ports = ports;
  }

  /**
   * Takes a fact that may wait: it is durable with the next one that may not, or with `flush`. What comes back is what is
   * kept: a secret that the service may have echoed is masked in it, for the state and for reports as for the disk.
   */
  note(fact: Fact): RunRecord {
    const { clean, body } = encode(fact, this.#ports.redact);
    const record: RunRecord = { ...clean, sequence: ++this.#sequence, epoch: this.epoch, at: this.#ports.clock.now() };
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

  /** Takes everything to disk, and with it, in the same commit, whatever the store has to say of the run. */
  flush(after?: () => void): void {
    const waiting = this.#waiting;
    if (waiting.length === 0 && after === undefined) return;
    this.#waiting = [];
    this.#waitingChars = 0;
    this.#watch("before", waiting);
    try {
      this.#store.transaction(() => {
        this.#opening?.();
        this.#assertHeld();
        for (const each of waiting) this.#insert(each);
        after?.();
      });
      this.#opening = undefined;
    } catch (error) {
      throw error instanceof Failure ? error : this.#cannotWrite(waiting.at(-1)?.record, error);
    }
    this.#watch("after", waiting);
  }

  #watch(moment: "before" | "after", waiting: readonly Waiting[]): void {
    this.#ports.watch?.(
      moment,
      waiting.map(({ record }) => record),
    );
  }

  #cannotWrite(last: RunRecord | undefined, error: unknown): Failure {
    const about = last !== undefined && "step" in last ? ` (${last.kind} of step "${last.step}")` : "";
    return new Failure({
      code: "journal.cannot-write",
      message: `the journal cannot be written${about}: ${messageOf(error)}`,
      why: "what is not recorded would be forgotten, so nothing more is sent",
      next: `make room on the disk, then: tokenbook resume ${this.runId}`,
      cause: error,
    });
  }

  #insert({ record: { sequence, epoch, at, kind }, body }: Waiting): void {
    const link = chain(this.#hash, [sequence, epoch, at, kind, body]);
    this.#store.run(
      "INSERT INTO record (run_id, sequence, epoch, at, kind, body, previous, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
      this.runId,
      sequence,
      epoch,
      at,
      kind,
      body,
      this.#hash,
      link,
    );
    this.#hash = link;
  }

  // The epoch is the fencing token: whoever was taken over can write no more, however late it wakes up.
  #assertHeld(): void {
    const row = this.#store.get("SELECT epoch FROM run WHERE id = ?", this.runId);
    if (row?.["epoch"] === this.epoch) return;
    throw new Failure({
      code: "journal.claim-lost",
      message: `another process has taken over the run ${this.runId}`,
      why: "two processes writing for one run could send a write twice, so this one stops",
      next: `tokenbook runs show ${this.runId}`,
      exit: EXIT.locked,
    });
  }
}

/** A run as one process holds it. */
export interface HeldRun {
  readonly runId: string;
  readonly epoch: number;
  readonly tail: Tail;
  /** Enters a new run among the others. */
  readonly opening?: () => void;
}

/** Where a run's chain of records ends. */
export interface Tail {
  readonly sequence: number;
  readonly hash: string;
}

/** The hash of a run that has no records yet. */
export const CHAIN_START: string = "0".repeat(64);

interface Waiting {
  readonly record: RunRecord;
  readonly body: string;
}

function chain(previous: string, fields: readonly (string | number)[]): string {
  return hash("sha256", `${previous}\n${fields.join("\n")}`);
}

/** The records of a run in order, each checked against the chain. Throws a Failure that names the first broken one. */
export function* readRecords(store: Database, runId: string): Generator<RunRecord & { readonly hash: string }> {
  let previous = CHAIN_START;
  let expected = 0;
  for (const row of store.iterate("SELECT * FROM record WHERE run_id = ? ORDER BY sequence", runId)) {
    // Before anything of it is read: a damaged body may be no JSON at all.
    const link = chain(previous, [
      Number(row["sequence"]),
      Number(row["epoch"]),
      Number(row["at"]),
      String(row["kind"]),
      String(row["body"]),
    ]);
    if (row["sequence"] !== expected || row["previous"] !== previous || row["hash"] !== link) throw broken(runId, expected);
    yield { ...decode(row), hash: link };
    previous = link;
    expected++;
  }
}

function broken(runId: string, sequence: number): Failure {
  return new Failure({
    code: "journal.broken",
    message: `the journal of run ${runId} is damaged at record ${sequence}`,
    why: "a record does not follow from the one before it; what happened cannot be known from here, so nothing is sent",
    next: "restore the state directory from a backup, or begin a new run after looking at the ledger",
  });
}
