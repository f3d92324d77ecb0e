import { getOrInsert } from "../../base/maps.ts";
import type PQueue from "p-queue";
import { LIMITS } from "../../base/limits.ts";
import { systemClock } from "../../base/ports.ts";
import { present } from "../../base/present.ts";
import type { Pacing } from "../../environment/target.ts";
import type { Exchanged, Outgoing } from "../../transport/exchange.ts";

/** Does some work for each item, some at a time. What keeps one from being done is thrown when nothing is under way any more. */
export async function inParallel<T, R>(items: readonly T[], jobs: number, work: (item: T) => Promise<R>): Promise<readonly R[]> {
  const [only, ...others] = items;
  if (only !== undefined && others.length === 0) return [await work(only)];
  const { default: Queue } = await import("p-queue");
  const queue = new Queue({ concurrency: jobs });
  const works = items.map((item) => queue.add(() => work(item)));
  await Promise.allSettled(works);
  return Promise.all(works);
}

/** Lets so many works be under way at a time; the others wait, in the order in which they came. */
export async function slots(jobs: number): Promise<<T>(work: () => Promise<T>) => Promise<T>> {
  const { default: Queue } = await import("p-queue");
  const queue = new Queue({ concurrency: jobs });
  return (work) => queue.add(work);
}

type Exchange = (outgoing: Outgoing) => Promise<Exchanged>;

const NOT_SENT: Exchanged = { kind: "not-sent", why: "the run is to stop" };
const SECOND_MS = 1_000;
const BUSY: ReadonlySet<number> = new Set([429, 503]);

/**
 * Holds the reads of all runs to what an environment allows, and all of them back when the service says that it is too busy. A write never waits
 * here: its intent is recorded, and how long ago it was sent is counted from there (decision 95).
 */
export class Pacer {
  readonly #pacing: Pacing;
  readonly #lanes = new Map<string, Promise<Lane>>();

  constructor(pacing: Pacing) {
    this.#pacing = pacing;
  }

  /** The same exchange, paced. One that is to end waits neither in the queue nor because the service is busy. */
  paced(exchange: Exchange): Exchange {
    return async (outgoing) => {
      if (outgoing.fresh) return exchange(outgoing);
      const { origin, signal } = outgoing;
      const lane = await this.#laneOf(origin);
      for (;;) {
        if (lane.heldBackMs > 0) await systemClock.sleep(lane.heldBackMs, signal);
        if (signal?.aborted === true) return NOT_SENT;
        const exchanged = await lane.add(signal, async () => {
          // All were held back while this one was in the queue.
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

/** The reads of one service. */
class Lane {
  readonly #queue: PQueue;
  // As `elapsed` shows it. No timer runs for it: what waits has one, and a process in which nothing waits may end.
  #heldBackUntil = 0;

  constructor(queue: PQueue) {
    this.#queue = queue;
  }

  /** Does some work when its turn comes; what is to end before has no turn. */
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
