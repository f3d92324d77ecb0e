import type { Target } from "../src/environment/target.ts";
import type { RunOutcome } from "../src/protocol/record.ts";
import { Life } from "./life.ts";
import { Mishaps } from "./mishaps.ts";
import { type Delivery, type KeptAnswers, SimulatedNetwork } from "./network.ts";
import { playbookOf } from "./playbook.ts";
import { Dice } from "../src/base/numbers/dice.ts";
import type { Fault } from "./faults.ts";
import { buy, recordAsset } from "./recipes.ts";
import type { Schedule } from "./schedule.ts";
import { stepsOf } from "./steps.ts";
import { Hang } from "./time.ts";
import type { Variety } from "./varieties.ts";
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
  /** Whether a commit came to the moment at which the fault strikes, the first time. */
  readonly hasReached: (fault: Fault & { readonly at: "commit" }) => boolean;
  /** All that happened, in words. */
  readonly story: readonly string[];
}

// Their decisions are drawn apart: what befalls the requests of a seed does not depend on them.
const PEOPLE = 0x5eed;

/** What people do about a run. Gives its outcome. */
export type People = (life: Life) => Promise<RunOutcome | undefined>;

const DAY_MS = 86_400_000;
// Fewer steps would leave an interface without an answer that somebody could keep.
// No schedule has its seed, or both runs would have one name.
const OTHER: Schedule = { seed: -1, steps: stepsOf([recordAsset, buy]), faults: [], skewMs: 0 };
/** More than any run has. */
const PROCESSES_OF_A_RUN = 1_000;

/** Lets a schedule happen in a world, which is reset for it, a day after another run has passed there. */
export async function simulate(world: World, schedule: Schedule, people: People = (life) => life.lead()): Promise<Simulated> {
  if (world.earlier === undefined) {
    world.renew({ skewMs: 0, past: false, beforeMs: DAY_MS });
    const { answers } = await happen(world, OTHER, { people: (life) => life.lead(), earlier: new Map() });
    world.keep(answers);
  }
  world.renew({ skewMs: schedule.skewMs, past: schedule.faults.some(({ at }) => at === "reads") });
  return (await happen(world, schedule, { people, earlier: world.earlier ?? new Map() })).simulated;
}

interface Happened {
  readonly simulated: Simulated;
  readonly answers: KeptAnswers;
}

async function happen(
  world: World,
  schedule: Schedule,
  { people, earlier }: { readonly people: People; readonly earlier: KeptAnswers },
): Promise<Happened> {
  const { varieties = [] } = schedule;
  const { life, network, mishaps, witness } = begin(world, schedule, earlier);
  world.disk.suffer(mishaps);
  let outcome: RunOutcome | undefined;
  try {
    outcome = await world.time.until(people(life));
    const isHindered = mishaps.struck.length > 0 || varieties.some(({ hinders = false }) => hinders);
    witness.concludes({ outcome, records: life.records(), isHindered });
  } catch (error) {
    if (!(error instanceof Hang)) throw error;
    witness.sees("hang", error.message);
  }
  const { struck, story } = mishaps;
  const hasReached: Simulated["hasReached"] = (fault) => mishaps.hasReached(fault);
  const simulated = { schedule, outcome, struck, violations: witness.violations, hasReached, story };
  return { simulated, answers: network.answers };
}

interface Begun {
  readonly life: Life;
  readonly network: SimulatedNetwork;
  readonly mishaps: Mishaps;
  readonly witness: Witness;
}

function begin(world: World, schedule: Schedule, earlier: KeptAnswers, processes = 0): Begun {
  const { seed, steps, faults, settleWithinMs, readLagMs, isKeyed = false, varieties = [] } = schedule;
  const { time, service } = world;
  const dice = new Dice(~seed);
  const mishaps = new Mishaps(faults, time);
  const deliveries: Delivery[] = [];
  const witness = new Witness(steps, { deliveries, commits: () => service.commits() });
  const onSend = (step: string): void => witness.sends(step);
  const network = new SimulatedNetwork({ time, service, mishaps, dice, deliveries, onSend, earlier, varieties });
  const tookEffect = (step: string): boolean => witness.tookEffect(step);
  const { target = same, playbook = same } = world.bug;
  let others = 0;
  const beside = async (): Promise<void> => {
    mishaps.log("another playbook runs");
    const { life: theirs } = begin(world, { ...OTHER, seed: dice.below(PEOPLE) }, earlier, PROCESSES_OF_A_RUN * ++others);
    await world.disk.beside(() => theirs.once());
  };
  const life = new Life({
    world,
    playbook: playbook(playbookOf(steps)),
    target: target(varieties.reduce(declaring, { ...TARGET, settleWithinMs, readLagMs })),
    network,
    mishaps,
    witness,
    dice,
    people: new Dice(seed ^ PEOPLE),
    tookEffect,
    isKeyed,
    processes,
    beside: varieties.some(({ isShared = false }) => isShared) ? beside : undefined,
  });
  return { life, network, mishaps, witness };
}

function declaring(target: Target, { declared = same }: Variety): Target {
  return declared(target);
}

function same<T>(value: T): T {
  return value;
}
