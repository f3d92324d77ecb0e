import { expect, test } from "vitest";
import { simulateMany } from "../../simulation/pool.ts";
import { showTally } from "../../simulation/show.ts";
import { DRAWN_SCHEDULES } from "./sizes.ts";

const PATIENCE_MS = 1_800_000;

test(
  "no schedule of faults and crashes breaks a promise",
  async () => {
    const began = performance.now();
    const tally = await simulateMany({ from: 0, to: DRAWN_SCHEDULES });
    process.stdout.write(showTally(tally, (performance.now() - began) / 1_000));
    expect(tally.broken).toEqual([]);
    expect(tally.schedules).toBe(DRAWN_SCHEDULES);
  },
  PATIENCE_MS,
);
