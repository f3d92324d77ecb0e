import type PQueue from "p-queue";
import { LIMITS } from "../base/limits.ts";
import type { Pacing } from "../environment/target.ts";
import type { Exchanged, Outgoing } from "../transport/exchange.ts";

/** Does some work for each item, some at a time. What keeps one from being done is thrown when nothing is under way any more. */
export async function inParallel<T, R>(items: readonly T[], jobs: number, work: (item: T) => Promise<R>): Promise<readonly R[]> {
  const [only, ...others] = items;
  if (only !== undefined && others.length === 0) return [await work(only)];
  const { default: Queue } = await import("p-queue");
  const queue = new Queue({ concurrency: Math.max(1, jobs) });
  const works = items.map((item) => queue.add(() => work(item)));
  await Promise.allSettled(works);
  return Promise.all(works);
}

/** Lets so many works be under way at a time; the others wait, in the order in which they came. */
export async function slots(jobs: number): Promise<<T>(work: () => Promise<T>) => Promise<T>> {
  const { default: Queue } = await import("p-queue");
  const queue = new Queue({ concurrency: Math.max(1, jobs) });
  return (work) => queue.add(work);
}

type Exchange = (outgoing: Outgoing) => Promise<Exchanged>;

const SECOND_MS = 1_000;
const BUSY: ReadonlySet<number> = new Set([429, 503]);

/**
 * Holds the reads of all runs to what an environment allows, and all of them back when the service says that it is too busy. A write never waits
 * here: its intent is recorded, and how long ago it was sent is counted from there.
 */
export class Pacer {
  readonly #pacing: Pacing;
  readonly #queues = new Map<string, Promise<PQueue>>();

  constructor(pacing: Pacing) {
    this.#pacing = pacing;
  }

  /** The same exchange, paced. */
  paced(exchange: Exchange): Exchange {
    return async (outgoing) => {
      if (outgoing.fresh) return exchange(outgoing);
      const queue = await this.#queueOf(outgoing.origin);
      return queue.add(async () => {
        const exchanged = await exchange(outgoing);
        holdBack(queue, exchanged);
        return exchanged;
      });
    };
  }

  #queueOf(origin: string): Promise<PQueue> {
    let queue = this.#queues.get(origin);
    if (queue === undefined) {
      queue = newQueue(this.#pacing);
      this.#queues.set(origin, queue);
    }
    return queue;
  }
}

async function newQueue({ perSecond, atOnce }: Pacing): Promise<PQueue> {
  const { default: Queue } = await import("p-queue");
  return new Queue({
    ...(atOnce === undefined ? {} : { concurrency: atOnce }),
    ...(perSecond === undefined ? {} : { interval: SECOND_MS, intervalCap: perSecond }),
  });
}

function holdBack(queue: PQueue, exchanged: Exchanged): void {
  if (exchanged.kind !== "answered" || !BUSY.has(exchanged.status)) return;
  const seconds = Number(exchanged.headers["retry-after"]);
  if (!(seconds > 0) || queue.isPaused) return;
  queue.pause();
  setTimeout(() => queue.start(), Math.min(seconds * SECOND_MS, LIMITS.heldBackMs));
}
