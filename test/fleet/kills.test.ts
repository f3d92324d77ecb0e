import { randomInt } from "node:crypto";
import { expect, test } from "vitest";
import { Dice } from "../../src/base/numbers/dice.ts";
import { BINARIES } from "../postgres/server.ts";
import { isNightly } from "../sizes.ts";
import { FleetUnderFire } from "./fire.ts";

const KILLS = isNightly ? 400 : 10;
// One worker can die while the other one takes over. `npm run fleet:kills` has one worker more.
const WORKERS = 2;
const LONGEST_MS = 900_000;

test.skipIf(BINARIES === undefined)(
  "while workers and PostgreSQL are killed, no write happens twice, and no run passes with a missing effect",
  { timeout: LONGEST_MS },
  async () => {
    const seed = randomInt(1_000_000_000);
    const fleet = await FleetUnderFire.start(new Dice(seed), WORKERS);
    try {
      const { violations, runs } = await fleet.endure(KILLS);
      expect(violations, `replay: npm run fleet:kills -- --kills ${KILLS} --seed ${seed} --workers ${WORKERS}`).toEqual([]);
      expect(runs).toBeGreaterThan(0);
    } finally {
      await fleet.close();
    }
  },
);
