import { parentPort } from "node:worker_threads";
import { drawSchedule } from "./schedule.ts";
import { simulate } from "./simulate.ts";
import { count, emptyTally, type Tally } from "./tally.ts";
import { World } from "./world.ts";

// Simulates stretches of seeds in turn, and answers each with its tally.

/** The seeds from `from` up to, but not including, `to`. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

// Refusals are errors whose origin nobody reads.
Error.stackTraceLimit = 0;

const world = new World();

async function tallyOf({ from, to }: Stretch): Promise<Tally> {
  const tally = emptyTally();
  for (let seed = from; seed < to; seed++) count(tally, await simulate(world, drawSchedule(seed)));
  return tally;
}

parentPort?.on("message", (stretch: Stretch) => {
  void tallyOf(stretch).then((tally) => parentPort?.postMessage(tally));
});
