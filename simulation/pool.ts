import { once } from "node:events";
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { SHARING } from "./schedule.ts";
import { emptyTally, merge, type Tally } from "./tally.ts";
import type { Stretch } from "./worker.ts";

const MOST_WORKERS = 8;

/** Simulates many seeds on all processors. Calls `progress` with each new tally. */
export async function simulateMany({ from, to }: Stretch, progress: (tally: Tally) => void = () => {}): Promise<Tally> {
  const total = emptyTally();
  let next = from;
  const work = async (): Promise<void> => {
    const worker = new Worker(new URL("worker.ts", import.meta.url));
    try {
      while (next < to) {
        const stretch: Stretch = { from: next, to: Math.min(to, next + SHARING) };
        next = stretch.to;
        worker.postMessage(stretch);
        const [tally] = (await once(worker, "message")) as [Tally];
        merge(total, tally);
        progress(total);
      }
    } finally {
      await worker.terminate();
    }
  };
  const workers = Math.min(availableParallelism(), MOST_WORKERS, Math.ceil((to - from) / SHARING));
  await Promise.all(Array.from({ length: workers }, work));
  return total;
}
