import { type Backoff, pauseAfter } from "../base/time/backoff.ts";
import { Failure } from "../base/failure.ts";
import { LIMITS } from "../base/limits.ts";
import type { Clock } from "../base/ports.ts";
import { retry } from "../base/time/retry.ts";
import type { SqlDatabase } from "../sql/database.ts";
import { DatabaseFailure, PassingFailure, Unmet } from "../sql/failure.ts";

/** What one run has to say in a commit. */
export interface Share {
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

/** How a share makes sure that its claim still holds the run: `required` by the transaction, or `asked`, so that the Failure names the run. */
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
}

interface Joined {
  readonly share: Share;
  readonly settle: (failure: Failure | undefined) => void;
}

type Failed = ReadonlyMap<Share, Failure>;

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

  /** Commits at once. Throws the Failure that keeps the share from being durable. */
  now(share: Share): void {
    const done = this.#commit([share]);
    const failure = done instanceof PassingFailure ? share.fail(done) : done.get(share);
    if (failure !== undefined) throw failure;
  }

  /** Commits with whoever else joins in this turn. Rejects with the Failure that keeps this share from being durable. */
  async join(share: Share): Promise<void> {
    let failure: Failure | undefined;
    if (this.#runs <= 1 && !this.#isAway) {
      const done = this.#commit([share]);
      failure = (done instanceof PassingFailure ? await this.#untilBack([share], done) : done).get(share);
    } else {
      failure = await new Promise<Failure | undefined>((settle) => {
        this.#joined.push({ share, settle });
        if (this.#joined.length === 1 && !this.#isAway) this.#later();
      });
    }
    if (failure !== undefined) throw failure;
  }

  #later(): void {
    (this.#ports.inNextTurn ?? setImmediate)(() => this.#commitJoined());
  }

  #commitJoined(): void {
    if (this.#isAway) return; // they wait behind what is tried again
    const joined = this.#joined;
    this.#joined = [];
    const settle = (failed: Failed): void => {
      for (const each of joined) each.settle(failed.get(each.share));
    };
    const shares = joined.map(({ share }) => share);
    const done = this.#commit(shares);
    if (done instanceof PassingFailure) void this.#untilBack(shares, done).then(settle);
    else settle(done);
  }

  // Nothing else is committed meanwhile, so that records stay in order.
  async #untilBack(shares: readonly Share[], away: PassingFailure): Promise<Failed> {
    const { clock, onAway } = this.#ports;
    this.#isAway = true;
    onAway?.(away.message);
    const began = clock.elapsed();
    const pause = async (_: unknown, tries: number): Promise<boolean> => {
      if (clock.elapsed() - began >= LIMITS.databaseAwayMs) return false;
      await clock.sleep(pauseAfter(AWAY, tries));
      return true;
    };
    try {
      await clock.sleep(AWAY.everyMs);
      const done = await retry(async () => this.#commit(shares, true), {
        isFinal: (each) => !(each instanceof PassingFailure),
        pause,
      });
      return done instanceof PassingFailure ? new Map(shares.map((share) => [share, share.fail(done)])) : done;
    } finally {
      this.#isAway = false;
      if (this.#joined.length > 0) this.#later();
    }
  }

  #commit(shares: readonly Share[], isAgain = false): Failed | PassingFailure {
    const failed = new Map<Share, Failure>();
    const fail = (share: Share, error: unknown): void => void failed.set(share, share.fail(error));
    const left = (): readonly Share[] => shares.filter((share) => !failed.has(share));
    if (!isAgain) for (const share of shares) attempt(share.begin, (error) => fail(share, error));
    try {
      if (!isAgain || !left().some((share) => share.isKept())) {
        this.#database.assertInPlace();
        this.#write(left, fail);
      }
    } catch (error) {
      if (error instanceof PassingFailure) return error;
      for (const share of left()) fail(share, error);
    }
    for (const share of left()) attempt(share.end, (error) => fail(share, error));
    return failed;
  }

  // What keeps one run from writing, such as a claim that it has lost, keeps back no other: they are written again without it. What the disk
  // says is said to all.
  #write(left: () => readonly Share[], fail: (share: Share, error: unknown) => void): void {
    let check: ClaimCheck = "required";
    while (left().length > 0) {
      let writing: Share | undefined;
      const work = (): void => {
        for (writing of left()) writing.write(check);
        writing = undefined;
      };
      try {
        if (left().every((share) => share.isOwn())) this.#database.sharing(work);
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

function attempt(work: () => void, failed: (error: unknown) => void): void {
  try {
    work();
  } catch (error) {
    failed(error);
  }
}
