import type { RunOutcome } from "../src/protocol/record.ts";
import { Life } from "./life.ts";
import { Mishaps } from "./mishaps.ts";
import { type Delivery, SimulatedNetwork } from "./network.ts";
import { playbookOf } from "./playbook.ts";
import { Dice } from "./random.ts";
import type { Fault } from "./faults.ts";
import type { Schedule } from "./schedule.ts";
import { Hang } from "./time.ts";
import { type Violation, Witness } from "./witness.ts";
import { TARGET, type World } from "./world.ts";

/** What came of a schedule. */
export interface Simulated {
  readonly schedule: Schedule;
  /** `undefined`: the run came to no end. */
  readonly outcome: RunOutcome | undefined;
  /** Those faults that something came in the way of. */
  readonly struck: readonly Fault[];
  readonly violations: readonly Violation[];
  /** All that happened, in words. */
  readonly story: readonly string[];
}

/** What people do about a run. Gives its outcome. */
export type People = (life: Life) => Promise<RunOutcome | undefined>;

/** Lets a schedule happen in a world, which is made anew for it. */
export async function simulate(world: World, schedule: Schedule, people: People = (life) => life.lead()): Promise<Simulated> {
  const { seed, steps, faults, skewMs, settleWithinMs, readLagMs, isKeyed = false } = schedule;
  world.renew({ skewMs, past: faults.some(({ at }) => at === "reads") });
  const { time, service, disk } = world;
  const dice = new Dice(~seed);
  const mishaps = new Mishaps(faults, time);
  const deliveries: Delivery[] = [];
  const witness = new Witness(steps, { deliveries, commits: () => service.commits() });
  const network = new SimulatedNetwork({ time, service, mishaps, dice, deliveries, onSend: (step) => witness.sends(step) });
  disk.suffer(mishaps);
  const tookEffect = (step: string): boolean => witness.tookEffect(step);
  const { target = same, playbook = same } = world.bug;
  const life = new Life({
    world,
    playbook: playbook(playbookOf(steps)),
    target: target({ ...TARGET, settleWithinMs, readLagMs }),
    network,
    mishaps,
    witness,
    dice,
    tookEffect,
    isKeyed,
  });
  let outcome: RunOutcome | undefined;
  try {
    outcome = await time.until(people(life));
    witness.concludes({ outcome, records: life.records(), faults: mishaps.struck.length });
  } catch (error) {
    if (!(error instanceof Hang)) throw error;
    witness.sees("hang", error.message);
  }
  return { schedule, outcome, struck: mishaps.struck, violations: witness.violations, story: mishaps.story };
}

function same<T>(value: T): T {
  return value;
}
