import { type Backoff, pauseAfter } from "../base/time/backoff.ts";
import { Failure } from "../base/failure.ts";
import { LIMITS } from "../base/limits.ts";
import type { Clock } from "../base/ports.ts";
import { retry } from "../base/time/retry.ts";
import type { SqlDatabase } from "../sql/database.ts";
import { DatabaseFailure, ServerAway } from "../sql/failure.ts";
import type { Claim, Leases } from "./leases.ts";

/** What one run has to say in a commit. */
export interface Share {
  /** Right before the commit. */
  readonly begin: () => void;
  /** The claim of the run to which it only adds records; `undefined` when it does more. */
  readonly addsTo: () => Claim | undefined;
  /** Within it. It is called again when the server went away meanwhile. `isHeld`: whether its claim still holds the run, where that is known. */
  readonly write: (isHeld?: boolean) => void;
  /** Whether it is durable already: the server may have gone away when it was, and before it said so. */
  readonly isKept: () => boolean;
  /** Once it is durable. */
  readonly end: () => void;
  /** When it cannot be, before anything else happens; returns the error for whoever waits for it. */
  readonly fail: (error: unknown) => Failure;
}

/** Does something after all that can be done in the present turn of the event loop. */
export type NextTurn = (work: () => void) => void;

/** What commits need from outside. */
export interface CommitPorts {
  readonly clock: Pick<Clock, "elapsed" | "sleep">;
  /** The event loop's next turn when left out. */
  readonly inNextTurn?: NextTurn | undefined;
  /** Called when a server has gone away and is waited for. */
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
 * the event loop goes into one commit; a run that is alone has nobody to wait for. See decision 65. A server that is away is waited for.
 */
export class Commits {
  readonly #database: SqlDatabase;
  readonly #leases: Pick<Leases, "heldAmong">;
  readonly #ports: CommitPorts;
  #joined: Joined[] = [];
  #runs = 0;
  #isAway = false;

  constructor(database: SqlDatabase, leases: Pick<Leases, "heldAmong">, ports: CommitPorts) {
    this.#database = database;
    this.#leases = leases;
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
    const failure = done instanceof ServerAway ? share.fail(done) : done.get(share);
    if (failure !== undefined) throw failure;
  }

  /** Commits with whoever else joins in this turn. Rejects with the Failure that keeps this share from being durable. */
  async join(share: Share): Promise<void> {
    let failure: Failure | undefined;
    if (this.#runs <= 1 && !this.#isAway) {
      const done = this.#commit([share]);
      failure = (done instanceof ServerAway ? await this.#untilBack([share], done) : done).get(share);
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
    if (done instanceof ServerAway) void this.#untilBack(shares, done).then(settle);
    else settle(done);
  }

  // Nothing else is committed meanwhile, so that records stay in order.
  async #untilBack(shares: readonly Share[], away: ServerAway): Promise<Failed> {
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
        isFinal: (each) => !(each instanceof ServerAway),
        pause,
      });
      return done instanceof ServerAway ? new Map(shares.map((share) => [share, share.fail(done)])) : done;
    } finally {
      this.#isAway = false;
      if (this.#joined.length > 0) this.#later();
    }
  }

  #commit(shares: readonly Share[], isAgain = false): Failed | ServerAway {
    const failed = new Map<Share, Failure>();
    const fail = (share: Share, error: unknown): void => void failed.set(share, share.fail(error));
    const left = (): readonly Share[] => shares.filter((share) => !failed.has(share));
    const write = (share: Share, isHeld?: boolean): void => {
      try {
        this.#database.apart(() => share.write(isHeld));
      } catch (error) {
        // What keeps one run from writing, such as a claim that it has lost, keeps back no other; what the disk says is said to all.
        if (!(error instanceof Failure) || error instanceof DatabaseFailure) throw error;
        fail(share, error);
      }
    };
    if (!isAgain) for (const share of shares) attempt(share.begin, (error) => fail(share, error));
    try {
      if (!isAgain || !left().some((share) => share.isKept())) {
        this.#database.assertInPlace();
        this.#write(left(), write);
      }
    } catch (error) {
      if (error instanceof ServerAway) return error;
      for (const share of left()) fail(share, error);
    }
    for (const share of left()) attempt(share.end, (error) => fail(share, error));
    return failed;
  }

  // One question asks for all claims, because on a server each question takes a round trip.
  #write(shares: readonly Share[], write: (share: Share, isHeld?: boolean) => void): void {
    const additions = shares.flatMap((share) => {
      const claim = share.addsTo();
      return claim === undefined ? [] : [{ share, claim }];
    });
    if (additions.length < shares.length) return this.#database.transaction(() => shares.forEach((share) => write(share)));
    this.#database.adding(() => {
      const held = this.#leases.heldAmong(additions.map(({ claim }) => claim));
      for (const { share, claim } of additions) write(share, held.has(claim));
    });
  }
}

function attempt(work: () => void, failed: (error: unknown) => void): void {
  try {
    work();
  } catch (error) {
    failed(error);
  }
}
