import type { Target } from "../src/environment/target.ts";
import type { RunOutcome } from "../src/protocol/record.ts";
import { Life } from "./life.ts";
import { Mishaps } from "./mishaps.ts";
import { type Delivery, type KeptAnswers, SimulatedNetwork } from "./network.ts";
import { playbookOf } from "./playbook.ts";
import { Dice } from "../src/base/numbers/dice.ts";
import { nextTurn } from "../src/base/time/turns.ts";
import type { Fault } from "./faults.ts";
import { buy, makeSharedCoin, mint, recordAsset, shareCoin } from "./recipes.ts";
import type { Course, Schedule } from "./schedule.ts";
import { stepsOf } from "./steps.ts";
import { Hang } from "./time.ts";
import type { Variety } from "./varieties.ts";
import { type Violation, Witness } from "./witness.ts";
import { TARGET, type World } from "./world.ts";

/** The result of a schedule. */
export interface Simulated {
  readonly schedule: Schedule;
  /** The run's outcome; `undefined` if it never ended. */
  readonly outcome: RunOutcome | undefined;
  /** The faults that actually struck. */
  readonly struck: readonly Fault[];
  readonly violations: readonly Violation[];
  /** Whether a commit first came to the moment at which the fault strikes. */
  readonly hasReached: (fault: Fault & { readonly at: "commit" }) => boolean;
  /** Everything that happened, in words. */
  readonly story: readonly string[];
}

// People's decisions are drawn separately, so the faults of a seed do not depend on them.
const PEOPLE = 0x5eed;
const CLOCKS = 0xc10c4;
/** How far people set a clock forwards or backwards. */
const SETTINGS_MS = [0, 60_000, 7_200_000, -60_000, -7_200_000];

/** What people do about a run. Returns its outcome. */
export type People = (life: Life) => Promise<RunOutcome | undefined>;

const DAY_MS = 86_400_000;
const FILE = "simulated.yaml";
// It writes to every interface, so that a cache can keep an answer from each. No schedule has its seed, because two runs would have the
// same name.
const EARLIER: Schedule = { seed: -1, steps: stepsOf([makeSharedCoin, shareCoin, recordAsset, buy]), faults: [], skewMs: 0 };
const IN_BETWEEN: Course = { steps: stepsOf([recordAsset, buy, mint], { sharesCoin: true }), faults: [] };
/** More processes than any run has. */
const PROCESSES_OF_A_RUN = 1_000;
const LONGEST_DELAY_MS = 10_000;

/** Runs a schedule in a world, which is reset for it, one day after another run has passed there. */
export async function simulate(world: World, schedule: Schedule, people: People = (life) => life.lead()): Promise<Simulated> {
  // Otherwise, steps that were counted earlier could make a run rest, and virtual time does not wait for a run that rests.
  await nextTurn();
  if (world.earlier === undefined) {
    world.renew({ skewMs: 0, past: false, beforeMs: DAY_MS });
    const { answers } = await happen(world, EARLIER, { people: (life) => life.lead(), earlier: new Map() });
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
  const { seed, varieties = [], company } = schedule;
  const story: string[] = [];
  const surroundings = { world, schedule, earlier, story };
  const own = begin(surroundings, schedule, { file: FILE, seed, number: 0, company: () => theirs[0]?.life });
  const theirs = (company === undefined ? [] : [company]).map((course) =>
    begin(surroundings, course, { file: "company.yaml", seed: ~seed, number: 1, company: () => own.life }),
  );
  const isHindered = (): boolean =>
    [own, ...theirs].some(({ mishaps }) => mishaps.struck.length > 0) || varieties.some(({ hinders = false }) => hinders);
  const lead = async ({ life, witness }: Begun, by: People): Promise<RunOutcome | undefined> => {
    const outcome = await by(life);
    witness.concludes({ outcome, records: life.records(), isHindered: isHindered() });
    return outcome;
  };
  const later = async (each: Begun): Promise<RunOutcome | undefined> => {
    await world.time.sleep(new Dice(~seed).span(1, LONGEST_DELAY_MS));
    return lead(each, (life) => life.lead());
  };
  let outcome: RunOutcome | undefined;
  try {
    [outcome] = await world.time.until(Promise.all([lead(own, people), ...theirs.map(later)]));
  } catch (error) {
    if (!(error instanceof Hang)) throw error;
    own.witness.sees("hang", error.message);
  }
  const struck = [own, ...theirs].flatMap(({ mishaps }) => mishaps.struck);
  const violations = [own, ...theirs].flatMap(({ witness }) => witness.violations);
  const hasReached: Simulated["hasReached"] = (fault) => own.mishaps.hasReached(fault);
  return { simulated: { schedule, outcome, struck, violations, hasReached, story }, answers: own.network.answers };
}

interface Surroundings {
  readonly world: World;
  readonly schedule: Schedule;
  readonly earlier: KeptAnswers;
  readonly story: string[];
}

interface Begun {
  readonly life: Life;
  readonly network: SimulatedNetwork;
  readonly mishaps: Mishaps;
  readonly witness: Witness;
}

/** What distinguishes a run from the other runs of a schedule. */
interface Whose {
  /** The file of its playbook. */
  readonly file: string;
  readonly seed: number;
  readonly number: number;
  readonly company?: () => Life | undefined;
}

function begin(surroundings: Surroundings, course: Course, { file, seed, number, company = nobody }: Whose): Begun {
  const { world, schedule, earlier, story } = surroundings;
  const { steps, faults } = course;
  const { settleWithinMs, readLagMs, isKeyed = false, varieties = [] } = schedule;
  const { time, service } = world;
  const dice = new Dice(~seed);
  const mishaps = new Mishaps(faults, time, story);
  const deliveries: Delivery[] = [];
  const witness = new Witness(steps, { deliveries, commits: () => service.commits() });
  const onSend = (step: string): void => witness.sends(step);
  const network = new SimulatedNetwork({ time, service, mishaps, dice, deliveries, onSend, earlier, varieties });
  const tookEffect = (step: string): boolean => witness.tookEffect(step);
  const { target = same, playbook = same } = world.bug;
  const isFirst = number === 0;
  let others = 1;
  const beside = async (): Promise<void> => {
    mishaps.log("another playbook runs");
    const whose = { file: `other-${++others}.yaml`, seed: dice.below(PEOPLE), number: others };
    await begin({ ...surroundings, story: [] }, IN_BETWEEN, whose).life.once();
  };
  const clocks = varieties.some(({ setsClock }) => setsClock) ? new Dice(seed ^ CLOCKS) : undefined;
  const setClock = (): void => {
    if (clocks === undefined) return;
    const aheadMs = clocks.pick(SETTINGS_MS);
    time.set(aheadMs);
    mishaps.log(`somebody sets the wall clock: it differs by ${aheadMs / 1_000} s`);
  };
  const isShared = isFirst && varieties.some((variety) => variety.isShared);
  const life = new Life({
    world,
    playbook: playbook(playbookOf(course, file)),
    target: target(varieties.reduce(declaring, { ...TARGET, settleWithinMs, readLagMs })),
    network,
    mishaps,
    witness,
    dice,
    people: new Dice(seed ^ PEOPLE),
    tookEffect,
    isKeyed: isKeyed && isFirst,
    processes: PROCESSES_OF_A_RUN * number,
    beside: isShared ? beside : undefined,
    setClock,
    company,
  });
  return { life, network, mishaps, witness };
}

function nobody(): undefined {
  return undefined;
}

function declaring(target: Target, { declared = same }: Variety): Target {
  return declared(target);
}

function same<T>(value: T): T {
  return value;
}
