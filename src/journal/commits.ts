import { type Backoff, pauseAfter } from "../base/time/backoff.ts";
import { Failure } from "../base/failure.ts";
import { LIMITS } from "../base/limits.ts";
import type { Clock } from "../base/ports.ts";
import { retry } from "../base/time/retry.ts";
import type { SqlDatabase } from "../sql/database.ts";
import { DatabaseFailure, PassingFailure, Unmet } from "../sql/failure.ts";

/** What one run has to say in a commit. */
export interface CommitPart {
  /** Right before the commit. */
  readonly begin: () => void;
  /** Whether it changes nothing but its run and what that holds. */
  readonly isOwn: () => boolean;
  /** Within it. It is called again when the transaction was undone. Throws the Failure that keeps this run alone from writing. */
  readonly write: (check: ClaimCheck) => void;
  /** Whether it is durable already: the server may have gone away when it was, and before it said so. */
  readonly isKept: () => boolean;
  /** Once it is durable. */
  readonly end: () => void;
  /** When it cannot be, before anything else happens; returns the error for whoever waits for it. */
  readonly fail: (error: unknown) => Failure;
}

/** How a part makes sure that its claim still holds the run: `required` by the transaction, or `asked`, so that the Failure names the run. */
export type ClaimCheck = "required" | "asked";

/** Does something after all that can be done in the present turn of the event loop. */
export type NextTurn = (work: () => void) => void;

/** What commits need from outside. */
export interface CommitPorts {
  /** By which the waits for a server are measured. */
  readonly clock: Pick<Clock, "elapsed" | "sleep">;
  /** The event loop's next turn when left out. */
  readonly inNextTurn?: NextTurn | undefined;
  /** Called when a database cannot be written now and is waited for. */
  readonly onAway?: ((why: string) => void) | undefined;
  /** Gives the signal by which the runs are stopped: then a database is not waited for much longer. */
  readonly stopping?: (() => AbortSignal) | undefined;
}

interface Joined {
  readonly part: CommitPart;
  readonly settle: (failure: Failure | undefined) => void;
}

type Failed = ReadonlyMap<CommitPart, Failure>;

interface Writing {
  readonly left: () => readonly CommitPart[];
  readonly fail: (part: CommitPart, error: unknown) => void;
  readonly isAgain: boolean;
}

const AWAY: Backoff = { everyMs: LIMITS.databaseAwayPauseMs, backoff: 2, maxMs: LIMITS.databaseAwayPauseMostMs };

/**
 * The commits of a journal. To sync the disk costs the same for one run as for all of them, so what runs have to say in the same turn of
 * the event loop goes into one commit; a run that is alone has nobody to wait for. See decision 65. What may pass, such as a server that is away, is waited for.
 */
export class Commits {
  readonly #database: SqlDatabase;
  readonly #ports: CommitPorts;
  #joined: Joined[] = [];
  #runs = 0;
  #isAway = false;

  constructor(database: SqlDatabase, ports: CommitPorts) {
    this.#database = database;
    this.#ports = ports;
  }

  /** A run may have something to say from now on. */
  enter(): void {
    this.#runs += 1;
  }

  /** It has nothing to say any more. */
  leave(): void {
    this.#runs -= 1;
  }

  /** Commits at once. Throws the Failure that keeps the part from being durable. */
  now(part: CommitPart): void {
    const done = this.#commit([part]);
    const failure = done instanceof PassingFailure ? part.fail(done) : done.get(part);
    if (failure !== undefined) throw failure;
  }

  /** Commits with whoever else joins in this turn. Rejects with the Failure that keeps this part from being durable. */
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

  /** Asks the database something that changes nothing, and waits for it as for a commit. Rejects with the last failure where it stays away. */
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
    if (this.#isAway) return; // they wait behind what is tried again
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

  // Nothing else is committed meanwhile, so that records stay in order.
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

  // What keeps one run from writing, such as a claim that it has lost, keeps back no other: they are written again without it. What the disk
  // says is said to all. What is repeated waits for the end of the first try, which the server may still be committing: only then it is known
  // whether that one is durable.
  #write({ left, fail, isAgain }: Writing): void {
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
