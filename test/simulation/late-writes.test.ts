// Two playbooks set the same value of a shared token, one after the other. The value of the second playbook stays, however late the requests
// of the first playbook arrive.
import { expect, test } from "vitest";
import { NETWORK_FAULTS } from "../../simulation/faults.ts";
import { describe, permit } from "../../simulation/recipes.ts";
import type { Course } from "../../simulation/schedule.ts";
import { simulate } from "../../simulation/simulate.ts";
import { drawSteps } from "../../simulation/steps.ts";
import { World } from "../../simulation/world.ts";
import { Dice } from "../../src/base/numbers/dice.ts";
import { isNightly } from "../sizes.ts";

const SEEDS = isNightly ? 3_000 : 60;
const [LEAST_MS, MOST_MS] = [500, 9_000];
const DECLARED = { settleWithinMs: 10_000, readLagMs: 0 };

test("a value that a run set stays, although a request of an earlier run arrives later", { timeout: 1_800_000 }, async () => {
  const world = new World();
  let inTurn = 0;
  for (let seed = 0; seed < SEEDS; seed++) {
    const dice = new Dice(seed);
    const recipe = [dice.pick([permit, describe])];
    const setter = (whose: string): Course => {
      const steps = drawSteps(new Dice(dice.below(1_000)), { whose, sharesCoin: true }, recipe).slice(0, 1);
      const step = steps[0]?.id ?? "";
      const what = dice.pick(NETWORK_FAULTS);
      return { steps, faults: [{ at: "write", step, request: 1, what, ms: dice.span(LEAST_MS, MOST_MS) }] };
    };
    const [own, theirs] = [setter(""), setter("their_")];
    const declared = dice.chance(0.5) ? DECLARED : {};
    const { story } = await simulate(world, { seed, skewMs: 0, ...own, company: theirs, ...declared });
    const [began = 0, passed = 0] = [" sends their_", "says: passed"].map((what) =>
      story.findIndex((line) => line.includes(what)),
    );
    // If both set the value at the same time, either order is right. If both set the same value, the order does not matter.
    if (began < passed || own.steps[0]?.leaves === theirs.steps[0]?.leaves) continue;
    inTurn++;
    const arrived = story.flatMap((line) => / (\w+) \(attempt \d+\) reaches the service$/.exec(line)?.[1] ?? []);
    expect(arrived.at(-1), `seed ${seed}\n${story.join("\n")}`).toMatch(/^their_/);
  }
  expect(inTurn).toBeGreaterThan(SEEDS / 3);
});
