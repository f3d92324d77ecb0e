import { expect, test } from "vitest";
import { SLOW_CONNECTIONS } from "../../simulation/faults.ts";
import { simulate } from "../../simulation/simulate.ts";
import { SPECIMENS } from "../../simulation/specimens.ts";
import { World } from "../../simulation/world.ts";
import { isNightly } from "../sizes.ts";

const PATIENCE_MS = 1_800_000;
const SEEDS = isNightly ? 20 : 2;
const SETTLE_WITHIN_MS = 10_000;
const DELAYS_MS = [500, 5_000, 9_000];

test.for(SLOW_CONNECTIONS)(
  "$name: the declared time begins when the write can leave, and no promise breaks",
  { timeout: PATIENCE_MS },
  async (what) => {
    const world = new World();
    for (const { name, steps, target } of SPECIMENS) {
      for (const ms of DELAYS_MS) {
        for (let seed = 0; seed < SEEDS; seed++) {
          const faults = [{ at: "write", step: target, request: 1, what, ms } as const];
          const schedule = { seed, steps, faults, skewMs: 0, settleWithinMs: SETTLE_WITHIN_MS, readLagMs: 0 };
          const { violations, struck } = await simulate(world, schedule);
          expect(struck).toHaveLength(1);
          expect(violations, `${name}, ${ms} ms, seed ${seed}`).toEqual([]);
        }
      }
    }
  },
);
