// A service that carries out the items of a batch one by one may refuse the batch long after it was sent. A replica may show a part of the
// batch even later.
import { expect, test } from "vitest";
import { STALE_READS, TAKES_LONG } from "../../simulation/faults.ts";
import { makeCoin, mintBatch } from "../../simulation/recipes.ts";
import { simulate } from "../../simulation/simulate.ts";
import { stepsOf } from "../../simulation/steps.ts";
import { VARIETIES } from "../../simulation/varieties.ts";
import { World } from "../../simulation/world.ts";
import { isNightly } from "../sizes.ts";

const SEEDS = isNightly ? 2_000 : 40;
const READ_LAG_MS = 2_661;
const TAKES_MS = 4_020;

test("a refused batch counts as absent only in readings that are newer than the refusal", { timeout: 1_800_000 }, async () => {
  const world = new World();
  const varieties = VARIETIES.filter(({ name }) => name === "batches item by item, up to a refusal");
  const replica = STALE_READS.find(({ name }) => name === "a replica behind");
  expect([varieties.length, replica]).toEqual([1, expect.anything()]);
  const steps = stepsOf([makeCoin, mintBatch]);
  const step = steps.at(-1)?.id ?? "";
  for (let seed = 0; seed < SEEDS; seed++) {
    const faults = [
      { at: "write", step, request: 1, what: TAKES_LONG, ms: TAKES_MS } as const,
      ...(replica === undefined ? [] : [{ at: "reads", what: replica, ms: READ_LAG_MS } as const]),
    ];
    const schedule = { seed, steps, faults, skewMs: 0, varieties, settleWithinMs: 10_000, readLagMs: READ_LAG_MS };
    const { violations, story } = await simulate(world, schedule);
    expect(story.join("\n")).toContain("the service refuses item 2");
    expect(violations, `seed ${seed}\n${story.join("\n")}`).toEqual([]);
  }
});
