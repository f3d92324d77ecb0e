import {
  BOUNDARIES,
  COMMIT_FAULTS,
  type Fault,
  NETWORK_FAULTS,
  READ_FAULTS,
  STALE_READS,
  STOPS,
  TAKES_LONG,
  WRITE_FAULTS,
} from "./faults.ts";
import { Dice } from "../src/base/numbers/dice.ts";
import { type SimulatedStep, unawaited } from "./draft.ts";
import { ADDING, drawSteps, IN_ROUNDS, MINTING, stepsOf, UNCONDITIONAL } from "./steps.ts";
import { drawVarieties, VARIETIES, type Variety } from "./varieties.ts";

/** What a simulated run does, and its faults. */
export interface Course {
  /** Who acts in steps that name nobody; by default alice. */
  readonly by?: "erin";
  readonly steps: readonly SimulatedStep[];
  readonly faults: readonly Fault[];
}

/** Everything that is decided about a simulated run before it starts. */
export interface Schedule extends Course {
  /** Decides everything else: how long things take, and how long people wait before they resume. */
  readonly seed: number;
  /** Another run at the same time. */
  readonly company?: Course | undefined;
  /** How far the service's clock is ahead of the runner's, in milliseconds. */
  readonly skewMs: number;
  /** The time within which the environment declares every write to settle. Nothing in the schedule takes longer. */
  readonly settleWithinMs?: number;
  /** The age that the environment declares a reading to have at most. No reading in the schedule is older. */
  readonly readLagMs?: number;
  /** Whether the run has a caller's key. Then people start and resume it with the same command, perhaps twice. */
  readonly isKeyed?: boolean;
  /** How the service differs from the sandbox. */
  readonly varieties?: readonly Variety[];
}

/** How many schedules in a row share a playbook, because checking one takes longer than running it. */
export const SHARING = 20;
const SKEWS_MS = [0, 0, 0, -90_000, 5_000, 3_600_000];
const MOST_FAULTS = 4;
const LEAST_DELAY_MS = 500;
const MOST_DELAY_MS = 1_800_000;
const SHARE_DECLARED = 0.15;
const SHARE_DECLARED_IF_STALE = 0.4;
const SETTLE_WITHIN_MS = 10_000;
const MOST_DECLARED_DELAY_MS = 9_000;
const MOST_LATENESS_MS = 30_000;
const SHARE_STALE = 0.4;
const LEAST_STALE_MS = 100;
const MOST_STALE_MS = 60_000;
const SHARE_LAG_DECLARED = 0.5;
const LAGS_MS = [0, 0, 5_000];
const SHARE_KEYED = 0.3;
// Drawn separately, so that each seed keeps its other draws.
const COMPANY = 0xc0_1117;
const OTHERS = 0x07_4e25;
const SHARE_OF_SHARED_COINS = 0.3;
const SHARE_OF_COMPANY = 0.5;
const SHARE_OF_OTHERS = 0.4;
const ROUNDS = 0x04_0d25;
const SHARE_OF_ROUNDS = 0.1;
const UNAWAITED = 0x0a_4a17;
const SHARE_OF_UNAWAITED = 0.3;
const SHARE_OF_LONG = 0.5;
const LEAST_STOP_MS = 5_000;
const SHARE_STOPPED = 0.15;
const SHARE_DECLARED_AND_STOPPED = 0.8;

/** Returns the schedule of a seed, which is the same on every machine. */
export function drawSchedule(seed: number): Schedule {
  const block = Math.floor(seed / SHARING);
  const sharesCoin = new Dice(block ^ COMPANY).chance(SHARE_OF_SHARED_COINS);
  const steps = drawSteps(new Dice(block), { sharesCoin });
  const dice = new Dice(seed);
  const writes = steps.flatMap((step) => step.writes);
  const isStopped = writes.length > 0 && dice.chance(SHARE_STOPPED);
  const { faults, ...declared } = isStopped ? drawStopped(dice, steps, writes) : drawUsual(dice, writes);
  const skewMs = dice.pick(SKEWS_MS);
  // The key is drawn in between, so that each seed keeps its key.
  const first = drawVarieties(dice, VARIETIES.slice(0, 1), faults);
  const isKeyed = dice.chance(SHARE_KEYED);
  const varieties = [...first, ...drawVarieties(dice, VARIETIES.slice(1), faults)];
  const company = sharesCoin ? drawCompany(seed, declared) : undefined;
  const rounds = drawRounds(seed, declared);
  const [allSteps, allFaults] = [
    [...steps, ...rounds.steps],
    [...faults, ...rounds.faults],
  ];
  return { seed, steps: allSteps, faults: allFaults, skewMs, isKeyed, varieties, company, ...declared };
}

// A write of one round may undo a write of another round whose answer was lost.
function drawRounds(seed: number, declared: Pick<Drawn, "settleWithinMs">): Course {
  const block = new Dice(Math.floor(seed / SHARING) ^ ROUNDS);
  if (!block.chance(SHARE_OF_ROUNDS)) return { steps: [], faults: [] };
  const steps = stepsOf(block.pick(IN_ROUNDS), { whose: "last" });
  const writes = steps.flatMap((step) => step.writes);
  return { steps, faults: drawDoubt(new Dice(seed ^ ROUNDS), writes, mostDelay(declared)) };
}

function mostDelay({ settleWithinMs }: Pick<Drawn, "settleWithinMs">): number {
  return settleWithinMs === undefined ? MOST_DELAY_MS : MOST_DECLARED_DELAY_MS;
}

// The environment's declarations apply to both runs. If no entity acts in both, neither run waits for the other.
function drawCompany(seed: number, declared: Pick<Drawn, "settleWithinMs">): Course | undefined {
  const dice = new Dice(seed ^ COMPANY);
  if (!dice.chance(SHARE_OF_COMPANY)) return undefined;
  const block = Math.floor(seed / SHARING);
  const isUnawaited = new Dice(block ^ UNAWAITED).chance(SHARE_OF_UNAWAITED);
  const isOfOthers = !isUnawaited && new Dice(block ^ OTHERS).chance(SHARE_OF_OTHERS);
  const recipes = isUnawaited ? UNCONDITIONAL : isOfOthers ? MINTING : ADDING;
  const awaited = drawSteps(new Dice(block ^ ~COMPANY), { whose: "their_", sharesCoin: true }, recipes);
  const steps = isUnawaited ? awaited.map(unawaited) : awaited;
  const writes = steps.flatMap((step) => step.writes);
  const mostMs = mostDelay(declared);
  const faults = [...(isUnawaited ? drawLong(dice, writes, mostMs) : []), ...drawFaults(dice, writes, mostMs)];
  // If receipts name no transaction, nobody can notice that such a receipt belongs to another write.
  const known = faults.filter(({ at, what }) => at !== "write" || what.receipts === undefined);
  return { steps, faults: known, ...(isOfOthers ? { by: "erin" } : {}) };
}

function drawLong(dice: Dice, writes: readonly string[], mostMs: number): readonly Fault[] {
  const late = writes.filter(() => dice.chance(SHARE_OF_LONG));
  return late.map((step) => ({ at: "write", step, request: 1, what: TAKES_LONG, ms: dice.span(LEAST_DELAY_MS, mostMs) }));
}

type Drawn = Pick<Schedule, "faults" | "settleWithinMs" | "readLagMs">;

function drawUsual(dice: Dice, writes: readonly string[]): Drawn {
  const stale = drawStaleReads(dice);
  const isDeclared = dice.chance(stale === undefined ? SHARE_DECLARED : SHARE_DECLARED_IF_STALE);
  const lag = drawLag(dice, stale);
  const mostMs = isDeclared ? MOST_DECLARED_DELAY_MS : MOST_DELAY_MS;
  const others = drawFaults(dice, writes, mostMs);
  const faults = stale === undefined ? others : [...others, ...drawDoubt(dice, writes, mostMs), stale];
  return { faults, ...(isDeclared ? { settleWithinMs: SETTLE_WITHIN_MS } : {}), ...lag };
}

// A process is stopped before its request leaves. The declared time does not cover how long.
function drawStopped(dice: Dice, steps: readonly SimulatedStep[], writes: readonly string[]): Drawn {
  const isDeclared = dice.chance(SHARE_DECLARED_AND_STOPPED);
  const mostMs = isDeclared ? MOST_DECLARED_DELAY_MS : MOST_DELAY_MS;
  const faults = [drawStop(dice, steps), ...drawFaults(dice, writes, mostMs)];
  return { faults, ...(isDeclared ? { settleWithinMs: SETTLE_WITHIN_MS, readLagMs: dice.pick(LAGS_MS) } : {}) };
}

function drawFaults(dice: Dice, writes: readonly string[], mostMs: number): readonly Fault[] {
  return Array.from({ length: dice.below(MOST_FAULTS + 1) }, () => drawFault(dice, writes, mostMs));
}

// What reads show matters for a write without a clear answer.
function drawDoubt(dice: Dice, writes: readonly string[], mostMs: number): readonly Fault[] {
  if (writes.length === 0) return [];
  const ms = dice.span(LEAST_DELAY_MS, mostMs);
  return [{ at: "write", step: dice.pick(writes), request: 1, what: dice.pick(NETWORK_FAULTS), ms }];
}

type Stale = Extract<Fault, { readonly at: "reads" }>;

function drawStaleReads(dice: Dice): Stale | undefined {
  if (!dice.chance(SHARE_STALE)) return undefined;
  return { at: "reads", what: dice.pick(STALE_READS), ms: dice.span(LEAST_STALE_MS, MOST_STALE_MS) };
}

// The declared time is true, but not always as short as possible.
function drawLag(dice: Dice, stale: Stale | undefined): Pick<Schedule, "readLagMs"> {
  if (!dice.chance(SHARE_LAG_DECLARED)) return {};
  return { readLagMs: stale === undefined ? dice.pick(LAGS_MS) : stale.ms };
}

/** Draws a schedule in which each request of a write has a network fault with this probability, and no other faults. */
export function drawAtRate(seed: number, rate: number): Schedule {
  const steps = drawSteps(new Dice(Math.floor(seed / SHARING)));
  const dice = new Dice(seed);
  const requests = steps.flatMap(({ writes }) => writes.flatMap((step) => [1, 2, 3].map((request) => ({ step, request }))));
  const faults = requests.flatMap(({ step, request }): readonly Fault[] => {
    if (!dice.chance(rate)) return [];
    return [{ at: "write", step, request, what: dice.pick(NETWORK_FAULTS), ms: dice.span(LEAST_DELAY_MS, MOST_LATENESS_MS) }];
  });
  return { seed, steps, faults, skewMs: 0 };
}

// Effects that the service would repeat.
const RISKY: ReadonlySet<SimulatedStep["effect"]> = new Set(["additive", "marked"]);

function drawStop(dice: Dice, steps: readonly SimulatedStep[]): Fault {
  const ms = dice.span(LEAST_STOP_MS, MOST_DELAY_MS);
  const risky = steps.filter(({ effect }) => RISKY.has(effect));
  const writes = (risky.length > 0 ? risky : steps).flatMap((step) => step.writes);
  return { at: "write", step: dice.pick(writes), request: 1, what: dice.pick(STOPS), ms };
}

function drawFault(dice: Dice, writes: readonly string[], mostMs: number): Fault {
  const ms = dice.span(LEAST_DELAY_MS, mostMs);
  const kind = dice.next();
  if (kind < 0.6 && writes.length > 0) {
    return {
      at: "write",
      step: dice.pick(writes),
      request: 1 + dice.below(2) * dice.below(2),
      what: dice.pick(WRITE_FAULTS),
      ms,
    };
  }
  if (kind < 0.7) return { at: "read", nth: 1 + dice.below(10), what: dice.pick(READ_FAULTS), ms };
  const boundary = dice.pick(BOUNDARIES);
  const about = boundary.startsWith("run.") || writes.length === 0 || dice.chance(0.2) ? {} : { step: dice.pick(writes) };
  return { at: "commit", boundary, ...about, nth: 1 + dice.below(2) * dice.below(2), what: dice.pick(COMMIT_FAULTS) };
}
