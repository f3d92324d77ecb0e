import { expect, test } from "vitest";
import { PLANTED_BUGS } from "../../simulation/bugs.ts";
import { hunt } from "../../simulation/hunt.ts";
import { drawSchedule } from "../../simulation/schedule.ts";
import { showSimulated } from "../../simulation/show.ts";
import { shrink } from "../../simulation/shrink.ts";
import { simulate } from "../../simulation/simulate.ts";
import { Hang, MOST_EVENTS, VirtualTime } from "../../simulation/time.ts";
import { World } from "../../simulation/world.ts";
import { sharingSteps, spend } from "../../src/base/budget.ts";
import { LIMITS } from "../../src/base/limits.ts";

const PATIENCE_MS = 1_800_000;

test("a schedule that breaks a promise is shortened, and still breaks the same promise", { timeout: PATIENCE_MS }, async () => {
  const bug = PLANTED_BUGS.find(({ name }) => name === "a 5xx is sent again");
  if (bug === undefined) throw new Error("there is no such bug");
  const seed = (await hunt(bug)) ?? 0;
  const world = new World(bug);
  const found = await simulate(world, drawSchedule(seed));
  const smallest = await shrink(world, found);
  expect(smallest.schedule.faults).toHaveLength(1);
  expect(smallest.schedule.steps.length).toBeLessThanOrEqual(found.schedule.steps.length);
  expect(smallest.violations.map(({ breach }) => breach)).toContain(bug.breaks);
  const story = showSimulated(smallest);
  expect(story).toContain(`seed ${seed}`);
  expect(story).toContain("! "); // marks where the fault strikes in the story
  expect(story).toContain(`VIOLATION, ${bug.breaks}`);
});

test("a seed gives the same story in every world", { timeout: PATIENCE_MS }, async () => {
  const used = new World();
  for (let seed = 0; seed < 60; seed++) await simulate(used, drawSchedule(seed));
  for (const seed of [3, 17, 41, 59]) {
    const [again, fresh] = [await simulate(used, drawSchedule(seed)), await simulate(new World(), drawSchedule(seed))];
    expect(withoutIds(again.story)).toEqual(withoutIds(fresh.story));
    expect(again.struck).toEqual(fresh.struck);
  }
});

test("earlier computing does not make a schedule pause", async () => {
  const world = new World();
  await simulate(world, drawSchedule(0));
  sharingSteps("validationSteps", () => spend(LIMITS.validationSteps));
  const { outcome, violations } = await simulate(world, drawSchedule(0));
  expect({ outcome, violations }).toEqual({ outcome: "passed", violations: [] });
});

// The service picks its own ids at random, not by the seed.
function withoutIds(story: readonly string[]): readonly string[] {
  return story.map((line) => line.replaceAll(/[0-9a-f]{24,}/g, "ID"));
}

test("an endless wait is reported as a hang", async () => {
  const time = new VirtualTime();
  await expect(time.until(new Promise(() => {}))).rejects.toThrow(Hang);
  const busy = async (): Promise<void> => {
    for (let turn = 0; turn <= MOST_EVENTS; turn++) await time.sleep(1);
  };
  await expect(time.until(busy())).rejects.toThrow(Hang);
  time.reset();
  expect(await time.until(time.sleep(3_600_000).then(() => "an hour later"))).toBe("an hour later");
});
