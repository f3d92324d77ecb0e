import { Failure } from "../base/failure.ts";
import type { SqlDatabase } from "../sql/database.ts";
import { DatabaseFailure } from "../sql/failure.ts";

/** What one run has to say in a commit. */
export interface Share {
  /** Right before the commit. */
  readonly begin: () => void;
  /** Within it. */
  readonly write: () => void;
  /** Once it is durable. */
  readonly end: () => void;
  /** When it cannot be, before anything else happens; returns the error for whoever waits for it. */
  readonly fail: (error: unknown) => Failure;
}

/** Does something after all that can be done in the present turn of the event loop. */
export type NextTurn = (work: () => void) => void;

interface Joined {
  readonly share: Share;
  readonly settle: (failure: Failure | undefined) => void;
}

/**
 * The commits of a journal. To sync the disk costs the same for one run as for all of them, so what runs have to say in the same turn of
 * the event loop goes into one commit; a run that is alone has nobody to wait for. See decision 65.
 */
export class Commits {
  readonly #database: SqlDatabase;
  readonly #inNextTurn: NextTurn;
  #joined: Joined[] = [];
  #runs = 0;

  constructor(database: SqlDatabase, inNextTurn: NextTurn = setImmediate) {
    this.#database = database;
    this.#inNextTurn = inNextTurn;
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
    const failure = this.#commit([share]).get(share);
    if (failure !== undefined) throw failure;
  }

  /** Commits with whoever else joins in this turn. Rejects with the Failure that keeps this share from being durable. */
  async join(share: Share): Promise<void> {
    if (this.#runs <= 1) return this.now(share);
    const failure = await new Promise<Failure | undefined>((settle) => {
      this.#joined.push({ share, settle });
      if (this.#joined.length === 1) this.#inNextTurn(() => this.#commitJoined());
    });
    if (failure !== undefined) throw failure;
  }

  #commitJoined(): void {
    const joined = this.#joined;
    this.#joined = [];
    const failed = this.#commit(joined.map(({ share }) => share));
    for (const { share, settle } of joined) settle(failed.get(share));
  }

  #commit(shares: readonly Share[]): ReadonlyMap<Share, Failure> {
    const failed = new Map<Share, Failure>();
    const fail = (share: Share, error: unknown): void => void failed.set(share, share.fail(error));
    const left = (): readonly Share[] => shares.filter((share) => !failed.has(share));
    const write = (share: Share): void => {
      try {
        this.#database.apart(share.write);
      } catch (error) {
        // What keeps one run from writing, such as a claim that it has lost, keeps back no other; what the disk says is said to all.
        if (!(error instanceof Failure) || error instanceof DatabaseFailure) throw error;
        fail(share, error);
      }
    };
    for (const share of shares) attempt(share.begin, (error) => fail(share, error));
    attempt(
      () => {
        this.#database.assertInPlace();
        this.#database.transaction(() => left().forEach(write));
      },
      (error) => {
        for (const share of left()) fail(share, error);
      },
    );
    for (const share of left()) attempt(share.end, (error) => fail(share, error));
    return failed;
  }
}

function attempt(work: () => void, failed: (error: unknown) => void): void {
  try {
    work();
  } catch (error) {
    failed(error);
  }
}
