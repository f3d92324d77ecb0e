import { getOrInsert, objectOf } from "../../base/maps.ts";
import type { Clock } from "../../base/ports.ts";
import type { Fact } from "../../protocol/record.ts";

interface Wait {
  /** How many pauses there are at the moment, since a step may read several lists at the same time. */
  pauses: number;
  since: number;
  totalMs: number;
}

type WithWaiting<F> = F extends { readonly step: string } ? ("waitedMs" extends keyof F ? F : never) : never;
type WaitedFact = WithWaiting<Fact>;

/** How long the steps of a run have waited since their last records. */
export class Waits {
  readonly #clock: Pick<Clock, "elapsed">;
  readonly #byStep = new Map<string, Wait>();

  constructor(clock: Pick<Clock, "elapsed">) {
    this.#clock = clock;
  }

  /** Counts a pause of a step. */
  async during(step: string, pause: () => Promise<void>): Promise<void> {
    const wait = getOrInsert(this.#byStep, step, () => ({ pauses: 0, since: 0, totalMs: 0 }));
    if (wait.pauses++ === 0) wait.since = this.#clock.elapsed();
    try {
      await pause();
    } finally {
      if (--wait.pauses === 0) wait.totalMs += this.#clock.elapsed() - wait.since;
    }
  }

  /** Adds to a fact the time that its step has waited, and resets that time. The end of the run gets the time of every step. */
  addedTo(fact: Fact): Fact {
    if (this.#byStep.size === 0) return fact;
    if (fact.kind === "run.closed") return { ...fact, waited: this.#all() };
    if (!mayHaveWaited(fact)) return fact;
    const waitedMs = Math.round(this.#byStep.get(fact.step)?.totalMs ?? 0);
    this.#byStep.delete(fact.step);
    return waitedMs === 0 ? fact : { ...fact, waitedMs };
  }

  #all(): Readonly<Record<string, number>> {
    return objectOf(this.#byStep, ({ totalMs }) => Math.round(totalMs));
  }
}

const KINDS: Readonly<Record<WaitedFact["kind"], true>> = {
  "attempt.intended": true,
  "attempt.settled": true,
  "block.turned": true,
  "receipt.read": true,
  "step.completed": true,
  "step.stopped": true,
};

function mayHaveWaited(fact: Fact): fact is WaitedFact {
  return Object.hasOwn(KINDS, fact.kind);
}
