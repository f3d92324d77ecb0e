import { type Backoff, pauseAfter } from "../base/time/backoff.ts";
import { Failure } from "../base/failure.ts";
import { LIMITS } from "../base/limits.ts";
import type { Clock } from "../base/ports.ts";
import { retry } from "../base/time/retry.ts";
import type { SqlDatabase } from "../sql/database.ts";
import { DatabaseFailure, PassingFailure, Unmet } from "../sql/failure.ts";

/** What one run contributes to a commit. */
export interface CommitPart {
  /** Called right before the commit. */
  readonly begin: () => void;
  /** Whether it changes nothing but its own run and the holds of that run. */
  readonly isOwn: () => boolean;
  /** Writes the part within the commit. Called again if the transaction was rolled back. Throws a Failure that keeps only this run from writing. */
  readonly write: (check: ClaimCheck) => void;
  /** Whether the part is durable already. A server may have gone away after the commit, but before it answered. */
  readonly isKept: () => boolean;
  /** Called once the part is durable. */
  readonly end: () => void;
  /** Called at once if the part cannot become durable. Returns the error for whoever waits for the part. */
  readonly fail: (error: unknown) => Failure;
}

/**
 * How a part makes sure that its claim still holds the run. `required`: the transaction requires it. `asked`: the part asks first, so that
 * the Failure names the run.
 */
export type ClaimCheck = "required" | "asked";

/** Does the work after everything that can be done in the present turn of the event loop. */
export type NextTurn = (work: () => void) => void;

/** What commits need from outside. */
export interface CommitPorts {
  /** The clock that measures waits for a server. */
  readonly clock: Pick<Clock, "elapsed" | "sleep">;
  /** Schedules a commit; if left out, for the next turn of the event loop. */
  readonly inNextTurn?: NextTurn | undefined;
  /** Called when a database cannot be written now, and commits wait for it. */
  readonly onAway?: ((why: string) => void) | undefined;
  /** Returns the signal that stops the runs. After it, commits do not wait much longer for a database. */
  readonly stopping?: (() => AbortSignal) | undefined;
}

interface JoinedCommit {
  readonly part: CommitPart;
  readonly settle: (failure: Failure | undefined) => void;
}

type Failed = ReadonlyMap<CommitPart, Failure>;

interface CommitAttempt {
  readonly left: () => readonly CommitPart[];
  readonly fail: (part: CommitPart, error: unknown) => void;
  readonly isAgain: boolean;
}

const AWAY: Backoff = { everyMs: LIMITS.databaseAwayPauseMs, backoff: 2, maxMs: LIMITS.databaseAwayPauseMostMs };

/**
 * The commits of a journal. Syncing the disk costs the same for one run as for all, so all records of the same turn of the event loop go into one commit. A
 * single run commits at once (decision 65). Commits wait for a failure that may pass, such as a server that is away.
 */
export class Commits {
  readonly #database: SqlDatabase;
  readonly #ports: CommitPorts;
  #joined: JoinedCommit[] = [];
  #runs = 0;
  #isAway = false;

  constructor(database: SqlDatabase, ports: CommitPorts) {
    this.#database = database;
    this.#ports = ports;
  }

  /** A run may have records to commit from now on. */
  enter(): void {
    this.#runs += 1;
  }

  /** The run has nothing to commit any more. */
  leave(): void {
    this.#runs -= 1;
  }

  /** Commits at once. Throws the Failure that keeps the part from becoming durable. */
  now(part: CommitPart): void {
    const done = this.#commit([part]);
    const failure = done instanceof PassingFailure ? part.fail(done) : done.get(part);
    if (failure !== undefined) throw failure;
  }

  /** Commits together with all parts that join in this turn. Rejects with the Failure that keeps this part from becoming durable. */
  async join(part: CommitPart): Promise<void> {
    let failure: Failure | undefined;
    if (this.#runs <= 1 && !this.#isAway) {
      const done = this.#commit([part]);
      failure = (done instanceof PassingFailure ? await this.#untilBack([part], done) : done).get(part);
    } else {
      failure = await new Promise<Failure | undefined>((settle) => {
        this.#joined.push({ part, settle });
        if (this.#joined.length === 1 && !this.#isAway) this.#later();
      });
    }
    if (failure !== undefined) throw failure;
  }

  /** Asks the database a question that changes nothing, and waits for it like a commit. Rejects with the last failure if the database stays away. */
  async asked<T>(question: () => T): Promise<T> {
    const answer = unlessAway(question);
    const last = answer instanceof PassingFailure ? await this.#again(() => unlessAway(question), answer) : answer;
    if (last instanceof PassingFailure) throw last;
    return last;
  }

  #later(): void {
    (this.#ports.inNextTurn ?? setImmediate)(() => this.#commitJoined());
  }

  #commitJoined(): void {
    if (this.#isAway) return; // the joined parts wait behind the commit that is being retried
    const joined = this.#joined;
    this.#joined = [];
    const settle = (failed: Failed): void => {
      for (const each of joined) each.settle(failed.get(each.part));
    };
    const parts = joined.map(({ part }) => part);
    const done = this.#commit(parts);
    if (done instanceof PassingFailure) void this.#untilBack(parts, done).then(settle);
    else settle(done);
  }

  // Nothing else is committed in the meantime, so that records stay in order.
  async #untilBack(parts: readonly CommitPart[], away: PassingFailure): Promise<Failed> {
    this.#isAway = true;
    try {
      const done = await this.#again(() => this.#commit(parts, true), away);
      return done instanceof PassingFailure ? new Map(parts.map((part) => [part, part.fail(done)])) : done;
    } finally {
      this.#isAway = false;
      if (this.#joined.length > 0) this.#later();
    }
  }

  async #again<T>(work: () => T | PassingFailure, away: PassingFailure): Promise<T | PassingFailure> {
    const { clock, onAway } = this.#ports;
    const stopping = this.#ports.stopping?.();
    onAway?.(away.message);
    const began = clock.elapsed();
    let stopped: number | undefined;
    const pause = async (_: unknown, tries: number): Promise<boolean> => {
      const now = clock.elapsed();
      if (stopping?.aborted === true) stopped ??= now;
      if (now - began >= LIMITS.databaseAwayMs || now - (stopped ?? now) >= LIMITS.writeGraceMs) return false;
      await clock.sleep(pauseAfter(AWAY, tries));
      return true;
    };
    await clock.sleep(AWAY.everyMs);
    return retry(async () => work(), { isFinal: (each) => !(each instanceof PassingFailure), pause });
  }

  #commit(parts: readonly CommitPart[], isAgain = false): Failed | PassingFailure {
    const failed = new Map<CommitPart, Failure>();
    const fail = (part: CommitPart, error: unknown): void => void failed.set(part, part.fail(error));
    const left = (): readonly CommitPart[] => parts.filter((part) => !failed.has(part));
    if (!isAgain) for (const part of parts) attempt(part.begin, (error) => fail(part, error));
    try {
      this.#database.assertInPlace();
      this.#write({ left, fail, isAgain });
    } catch (error) {
      if (error instanceof PassingFailure) return error;
      for (const part of left()) fail(part, error);
    }
    for (const part of left()) attempt(part.end, (error) => fail(part, error));
    return failed;
  }

  // A Failure of one run, such as a lost claim, holds back no other run: the others are written again without it. A failure of the disk fails
  // them all. A retry waits for the end of the first attempt, which the server may still be committing. Only then do we know whether that
  // attempt is durable.
  #write({ left, fail, isAgain }: CommitAttempt): void {
    let check: ClaimCheck = "required";
    while (left().length > 0) {
      let writing: CommitPart | undefined;
      const work = (): void => {
        if (isAgain && left().some((part) => part.isKept())) return;
        for (writing of left()) writing.write(check);
        writing = undefined;
      };
      try {
        if (!isAgain && left().every((part) => part.isOwn())) this.#database.sharedTransaction(work);
        else this.#database.transaction(work);
        return;
      } catch (error) {
        if (error instanceof Unmet) check = "asked";
        else if (writing === undefined || !(error instanceof Failure) || error instanceof DatabaseFailure) throw error;
        else fail(writing, error);
      }
    }
  }
}

function unlessAway<T>(work: () => T): T | PassingFailure {
  try {
    return work();
  } catch (error) {
    if (error instanceof PassingFailure) return error;
    throw error;
  }
}

function attempt(work: () => void, failed: (error: unknown) => void): void {
  try {
    work();
  } catch (error) {
    failed(error);
  }
}
