import type { PlantedBug } from "./bugs.ts";
import { drawSchedule } from "./schedule.ts";
import { simulate } from "./simulate.ts";
import { World } from "./world.ts";

/** This many schedules are enough to find any planted bug. */
export const ENOUGH_SEEDS = 3_000;

/**
 * Returns a seed whose schedule makes a planted bug break its promise, while the real code keeps it: the known seed or, if that is stale,
 * the first one found.
 */
export async function hunt(bug: PlantedBug): Promise<number | undefined> {
  const [ill, well] = [new World(bug), new World()];
  const isShownBy = async (seed: number): Promise<boolean> => {
    const schedule = drawSchedule(seed);
    const { violations } = await simulate(ill, schedule);
    return violations.some(({ breach }) => breach === bug.breaks) && (await simulate(well, schedule)).violations.length === 0;
  };
  if (await isShownBy(bug.shownBy)) return bug.shownBy;
  for (let seed = 0; seed < ENOUGH_SEEDS; seed++) if (await isShownBy(seed)) return seed;
  return undefined;
}
