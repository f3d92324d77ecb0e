import { getOrInsert } from "../../base/maps.ts";
import type PQueue from "p-queue";
import { LIMITS } from "../../base/limits.ts";
import { systemClock } from "../../base/ports.ts";
import { present } from "../../base/present.ts";
import type { Pacing } from "../../environment/target.ts";
import type { Exchanged, MakeExchange } from "../../transport/exchange.ts";

/** Does some work for each item, several in parallel. If the work for an item fails, throws its error after all work has ended. */
export async function inParallel<T, R>(items: readonly T[], jobs: number, work: (item: T) => Promise<R>): Promise<readonly R[]> {
  const [only, ...others] = items;
  if (only !== undefined && others.length === 0) return [await work(only)];
  const { default: Queue } = await import("p-queue");
  const queue = new Queue({ concurrency: jobs });
  const works = items.map((item) => queue.add(() => work(item)));
  await Promise.allSettled(works);
  return Promise.all(works);
}

/** Returns a function that runs at most `jobs` works in parallel. The others wait in order of arrival. */
export async function slots(jobs: number): Promise<<T>(work: () => Promise<T>) => Promise<T>> {
  const { default: Queue } = await import("p-queue");
  const queue = new Queue({ concurrency: jobs });
  return (work) => queue.add(work);
}

const NOT_SENT: Exchanged = { kind: "not-sent", why: "the run is to stop" };
const SECOND_MS = 1_000;
const BUSY: ReadonlySet<number> = new Set([429, 503]);

/**
 * Limits the reads of all runs to the rate that an environment allows, and delays all of them when the service reports that it is too busy. A write never waits
 * here, because the time since it was sent is measured from its intent, which is already recorded (decision 95).
 */
export class Pacer {
  readonly #pacing: Pacing;
  readonly #lanes = new Map<string, Promise<Lane>>();

  constructor(pacing: Pacing) {
    this.#pacing = pacing;
  }

  /**
   * Returns a function that makes the same exchange at the allowed rate. If the run is stopping, an exchange waits neither in the queue nor for a busy service.
   */
  paced(exchange: MakeExchange): MakeExchange {
    return async (outgoing) => {
      if (outgoing.fresh) return exchange(outgoing);
      const { origin, signal } = outgoing;
      const lane = await this.#laneOf(origin);
      for (;;) {
        if (lane.heldBackMs > 0) await systemClock.sleep(lane.heldBackMs, signal);
        if (signal?.aborted === true) return NOT_SENT;
        const exchanged = await lane.add(signal, async () => {
          // the service became busy while this exchange was in the queue
          if (lane.heldBackMs > 0) return undefined;
          return lane.heard(await exchange(outgoing));
        });
        if (exchanged !== undefined) return exchanged;
      }
    };
  }

  #laneOf(origin: string): Promise<Lane> {
    return getOrInsert(this.#lanes, origin, async () => new Lane(await newQueue(this.#pacing)));
  }
}

/** The queue of reads of one service. */
class Lane {
  readonly #queue: PQueue;
  // Measured with `elapsed`. It has no timer of its own: each waiting read has one, so a process in which nothing waits can end.
  #heldBackUntil = 0;

  constructor(queue: PQueue) {
    this.#queue = queue;
  }

  /** Does some work when its turn comes. If the run stops first, the work is not done. */
  async add(signal: AbortSignal | undefined, work: () => Promise<Exchanged | undefined>): Promise<Exchanged | undefined> {
    try {
      return await this.#queue.add(work, signal === undefined ? {} : { signal });
    } catch (error) {
      if (signal?.aborted === true) return NOT_SENT;
      throw error;
    }
  }

  get heldBackMs(): number {
    return Math.max(0, this.#heldBackUntil - systemClock.elapsed());
  }

  heard(exchanged: Exchanged): Exchanged {
    if (exchanged.kind !== "answered" || !BUSY.has(exchanged.status)) return exchanged;
    const seconds = Number(exchanged.headers["retry-after"]);
    if (seconds > 0 && this.heldBackMs === 0)
      this.#heldBackUntil = systemClock.elapsed() + Math.min(seconds * SECOND_MS, LIMITS.heldBackMs);
    return exchanged;
  }
}

async function newQueue({ perSecond, atOnce }: Pacing): Promise<PQueue> {
  const { default: Queue } = await import("p-queue");
  return new Queue({
    ...present({ concurrency: atOnce }),
    ...(perSecond === undefined ? {} : { interval: SECOND_MS, intervalCap: perSecond }),
  });
}
