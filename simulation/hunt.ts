import type { PlantedBug } from "./bugs.ts";
import { drawSchedule } from "./schedule.ts";
import { simulate } from "./simulate.ts";
import { World } from "./world.ts";

/** So many schedules are enough to find any planted bug. */
export const ENOUGH_SEEDS = 3_000;

/** Looks for the first schedule in which a planted bug breaks its promise, and the code as it is none. Gives the seed. */
export async function hunt(bug: PlantedBug): Promise<number | undefined> {
  const [ill, well] = [new World(bug), new World()];
  for (let seed = 0; seed < ENOUGH_SEEDS; seed++) {
    const schedule = drawSchedule(seed);
    const { violations } = await simulate(ill, schedule);
    if (!violations.some(({ breach }) => breach === bug.breaks)) continue;
    if ((await simulate(well, schedule)).violations.length === 0) return seed;
  }
  return undefined;
}
