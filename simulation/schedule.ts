import { BOUNDARIES, COMMIT_FAULTS, type Fault, NETWORK_FAULTS, READ_FAULTS, WRITE_FAULTS } from "./faults.ts";
import { Dice } from "./random.ts";
import type { SimulatedStep } from "./draft.ts";
import { drawSteps } from "./steps.ts";

/** All that is decided beforehand about one simulated run: what it does, and what goes wrong. */
export interface Schedule {
  /** Decides all else: how long things take, and how long people wait before they resume. */
  readonly seed: number;
  readonly steps: readonly SimulatedStep[];
  readonly faults: readonly Fault[];
  /** How far the service's clock is ahead of the runner's, in milliseconds. */
  readonly skewMs: number;
  /** The time within which the environment declares every write to settle, as nothing of the schedule takes longer. */
  readonly settleWithinMs?: number;
}

/** So many schedules in a row have the same playbook: to check one takes longer than to run it. */
export const SHARING = 20;
const SKEWS_MS = [0, 0, 0, -90_000, 5_000, 3_600_000];
const MOST_FAULTS = 4;
const LEAST_DELAY_MS = 500;
const MOST_DELAY_MS = 1_800_000;
const SHARE_DECLARED = 0.15;
const SETTLE_WITHIN_MS = 10_000;
const MOST_DECLARED_DELAY_MS = 9_000;
const MOST_LATENESS_MS = 30_000;

/** The schedule of a seed: the same on every machine. */
export function drawSchedule(seed: number): Schedule {
  const steps = drawSteps(new Dice(Math.floor(seed / SHARING)));
  const dice = new Dice(seed);
  const writes = steps.flatMap((step) => step.writes);
  const isDeclared = dice.chance(SHARE_DECLARED);
  const mostMs = isDeclared ? MOST_DECLARED_DELAY_MS : MOST_DELAY_MS;
  const faults = Array.from({ length: dice.below(MOST_FAULTS + 1) }, () => drawFault(dice, writes, mostMs));
  return { seed, steps, faults, skewMs: dice.pick(SKEWS_MS), ...(isDeclared ? { settleWithinMs: SETTLE_WITHIN_MS } : {}) };
}

/** A schedule in which each sending of a write suffers from the network with this chance, and nothing else goes wrong. */
export function drawAtRate(seed: number, rate: number): Schedule {
  const steps = drawSteps(new Dice(Math.floor(seed / SHARING)));
  const dice = new Dice(seed);
  const sendings = steps.flatMap(({ writes }) => writes.flatMap((step) => [1, 2, 3].map((sending) => ({ step, sending }))));
  const faults = sendings.flatMap(({ step, sending }): readonly Fault[] => {
    if (!dice.chance(rate)) return [];
    return [{ at: "write", step, sending, what: dice.pick(NETWORK_FAULTS), ms: dice.span(LEAST_DELAY_MS, MOST_LATENESS_MS) }];
  });
  return { seed, steps, faults, skewMs: 0 };
}

function drawFault(dice: Dice, writes: readonly string[], mostMs: number): Fault {
  const ms = dice.span(LEAST_DELAY_MS, mostMs);
  const kind = dice.next();
  if (kind < 0.6 && writes.length > 0) {
    return {
      at: "write",
      step: dice.pick(writes),
      sending: 1 + dice.below(2) * dice.below(2),
      what: dice.pick(WRITE_FAULTS),
      ms,
    };
  }
  if (kind < 0.7) return { at: "read", nth: 1 + dice.below(10), what: dice.pick(READ_FAULTS), ms };
  const boundary = dice.pick(BOUNDARIES);
  const about = boundary.startsWith("run.") || writes.length === 0 || dice.chance(0.2) ? {} : { step: dice.pick(writes) };
  return { at: "commit", boundary, ...about, nth: 1 + dice.below(2) * dice.below(2), what: dice.pick(COMMIT_FAULTS) };
}
