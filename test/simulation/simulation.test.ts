import { expect, test } from "vitest";
import { simulateMany } from "../../simulation/pool.ts";
import { showTally } from "../../simulation/show.ts";

// With those of the matrix, more than 10,000 in every run of the tests.
const SCHEDULES = 4_231;
const PATIENCE_MS = 1_800_000;

test(
  "no schedule of faults and crashes breaks a promise",
  async () => {
    const began = performance.now();
    const tally = await simulateMany({ from: 0, to: SCHEDULES });
    process.stdout.write(showTally(tally, (performance.now() - began) / 1_000));
    expect(tally.broken).toEqual([]);
    expect(tally.schedules).toBe(SCHEDULES);
  },
  PATIENCE_MS,
);
