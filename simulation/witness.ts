import { Failure } from "../src/base/failure.ts";
import type { RunOutcome, RunRecord } from "../src/protocol/record.ts";
import { hadNoEffect } from "../src/protocol/attempt-state.ts";
import { type RunState, stateOf } from "../src/protocol/state.ts";
import type { Delivery } from "./network.ts";
import type { Commit } from "./service.ts";
import { AT_FIRST, type SimulatedStep } from "./draft.ts";

/** A way in which a promise can be broken. */
export type Breach =
  | "double effect"
  | "lost acknowledgement"
  | "false pass"
  | "silent effect"
  | "wrong order"
  | "late value stays"
  | "second run"
  | "not passed without a fault"
  | "no end"
  | "hang"
  | "broken journal"
  | "crash";

/** A promise that was not kept. */
export interface Violation {
  readonly breach: Breach;
  readonly what: string;
}

/** What really happens, according to the service itself. */
interface Truth {
  readonly deliveries: readonly Delivery[];
  readonly commits: () => readonly Commit[];
}

/** How a run ended. */
export interface Conclusion {
  /** The outcome that the last process reported; `undefined` if no process ended normally. */
  readonly outcome: RunOutcome | undefined;
  /** The final records of the journal; `undefined` if nobody can read them. */
  readonly records: readonly RunRecord[] | undefined;
  /** Whether anything happened that may keep it from passing. */
  readonly isHindered: boolean;
}

/** Compares what processes report with what the service really does. */
export class Witness {
  readonly violations: Violation[] = [];
  readonly #steps: readonly SimulatedStep[];
  readonly #truth: Truth;
  /** What processes reported as recorded. */
  readonly #reported: RunRecord[] = [];
  /** The steps that set a value which was already there. */
  readonly #unchanged = new Set<string>();
  readonly #runs = new Set<string>();

  constructor(steps: readonly SimulatedStep[], truth: Truth) {
    this.#steps = steps;
    this.#truth = truth;
  }

  /** Notes a violation that is visible without the service. */
  sees(breach: Breach, what: string): void {
    this.violations.push({ breach, what });
  }

  /** Notes that a run begins or resumes. There must be only one run, however often the command is given. */
  begins(runId: string): void {
    if (this.#runs.add(runId).size > 1) this.sees("second run", `${[...this.#runs].join(" and ")} were begun`);
  }

  /** Whether a step's write has taken effect. */
  tookEffect(address: string): boolean {
    return this.#effects().has(address);
  }

  /** Checks, when a write is sent, that all earlier writes of the playbook have taken effect. */
  sends(address: string): void {
    const done = this.#effects();
    for (const step of this.#steps) {
      if (step.writes.includes(address)) return;
      const isMissing = (each: string): boolean => !done.has(each) && !this.#unchanged.has(each);
      const missing = mustHaveEffect(step) ? step.writes.find(isMissing) : undefined;
      if (missing !== undefined) this.sees("wrong order", `${address} was sent before ${missing} took effect`);
    }
  }

  /** Takes a record that a process reports. */
  hears(record: RunRecord): void {
    const isKept = record.kind === "run.closed" || (record.kind === "attempt.answered" && record.meaning === "acknowledged");
    if (isKept) this.#reported.push(record);
    if (record.kind !== "step.completed" || !this.#mustHaveEffect(record.step)) return;
    if (record.outcome === "unchanged" && this.#isSoNow(record.step)) this.#unchanged.add(record.step);
    else if (!this.#effects().has(record.step))
      this.sees("false pass", `${record.step} was called ${record.outcome} without effect`);
  }

  // Returns whether the value of a step is there, whoever has set it.
  #isSoNow(address: string): boolean {
    const step = this.#steps.find(({ writes }) => writes.includes(address));
    if (step?.sets === undefined || step.leaves === undefined) return false;
    return this.#valueOf(step.sets) === leftBy(step, address);
  }

  #valueOf(target: string): string | undefined {
    const setters = this.#steps.filter(({ sets }) => sets === target);
    const last = [...this.#committed().values()].findLast((address) => setters.some(({ writes }) => writes.includes(address)));
    const setter = setters.find(({ writes }) => writes.some((address) => address === last));
    return last === undefined || setter === undefined ? AT_FIRST : leftBy(setter, last);
  }

  /** Makes the final checks, after everything has come to rest. */
  concludes({ outcome, records, isHindered }: Conclusion): void {
    this.#counts();
    if (records !== undefined) this.#compares(records, outcome);
    if (!isHindered && outcome !== "passed") this.sees("not passed without a fault", `the run is ${outcome ?? "without an end"}`);
  }

  #compares(records: readonly RunRecord[], outcome: RunOutcome | undefined): void {
    const state = stateOf(records);
    this.#remembers(records);
    this.#isNotSilent(state);
    if (outcome === "passed") this.#passes(state);
  }

  #mustHaveEffect(address: string): boolean {
    const step = this.#steps.find(({ writes }) => writes.includes(address));
    return step !== undefined && mustHaveEffect(step);
  }

  #counts(): void {
    const counts = new Map<string, number>();
    for (const address of this.#committed().values()) counts.set(address, (counts.get(address) ?? 0) + 1);
    for (const step of this.#steps) {
      const { writes, effect } = step;
      // A write that sets a value may set it twice, as long as the value is there in the end.
      if (effect === "absolute") {
        this.#setsOver(step);
        continue;
      }
      for (const address of writes) {
        const count = counts.get(address) ?? 0;
        if (count > 1) this.sees("double effect", `${address} took effect ${count} times`);
      }
    }
  }

  // Of two parallel rounds, either may come last, but none may be repeated after the other.
  #setsOver({ writes }: SimulatedStep): void {
    const done = [...this.#committed().values()].filter((address) => writes.includes(address));
    const turns = done.filter((address, nth) => address !== done[nth - 1]);
    if (new Set(turns).size < turns.length) this.sees("double effect", `${turns.join(", then ")} took effect`);
  }

  #remembers(records: readonly RunRecord[]): void {
    for (const reported of this.#reported) {
      const { sequence, kind } = reported;
      const kept = records[sequence];
      const same = kept !== undefined && kept.kind === kind && stepOf(kept) === stepOf(reported);
      if (!same) this.sees("lost acknowledgement", `record ${sequence} (${kind}) was reported, and is not in the journal`);
    }
  }

  // The journal must not deny a write that took effect.
  #isNotSilent({ steps }: RunState): void {
    for (const address of this.#effects()) {
      const step = steps.get(address);
      const denied = step === undefined || (step.completed === undefined && step.attempts.every(hadNoEffect));
      if (denied) this.sees("silent effect", `${address} took effect, and the journal says that it did not`);
    }
  }

  #passes({ steps }: RunState): void {
    const done = this.#effects();
    for (const step of this.#steps.filter(mustHaveEffect)) {
      for (const address of step.writes) {
        if (!done.has(address) && !this.#unchanged.has(address))
          this.sees("false pass", `the run passed, and ${address} had no effect`);
        if (steps.get(address)?.completed === undefined)
          this.sees("false pass", `the run passed, and ${address} is not complete`);
      }
    }
    this.#lastStays();
  }

  #lastStays(): void {
    const order = [...this.#committed().values()];
    for (const target of new Set(this.#steps.flatMap(({ sets }) => sets ?? []))) {
      const setters = this.#steps.filter(({ sets }) => sets === target).flatMap(({ writes }) => writes);
      const last = order.findLast((address) => setters.includes(address));
      const wanted = this.#steps.findLast(({ sets }) => sets === target);
      const stays =
        wanted?.leaves === undefined
          ? last === setters.at(-1)
          : wanted.writes.some((address) => this.#valueOf(target) === leftBy(wanted, address));
      if (!stays) this.sees("late value stays", `${target} is as ${last ?? "nobody"} set it, not as ${setters.at(-1)} did`);
    }
  }

  // Returns every write that took effect, in this order, with the address of its step.
  #committed(): ReadonlyMap<string, string> {
    const addresses = new Map(
      this.#truth.deliveries.flatMap(({ step, transactions }) => transactions.map((id) => [id, step] as const)),
    );
    return new Map(
      this.#truth.commits().flatMap(({ transactionId }) => {
        const address = addresses.get(transactionId);
        return address === undefined ? [] : [[transactionId, address] as const];
      }),
    );
  }

  #effects(): ReadonlySet<string> {
    return new Set(this.#committed().values());
  }
}

function leftBy({ writes, leaves }: SimulatedStep, address: string): string | undefined {
  return typeof leaves === "object" ? leaves[writes.indexOf(address)] : leaves;
}

// A step that does not wait for its write passes without its effect.
function mustHaveEffect({ effect, isUnawaited }: SimulatedStep): boolean {
  return effect !== "refused" && isUnawaited !== true;
}

function stepOf(record: RunRecord): string | undefined {
  return "step" in record ? record.step : undefined;
}

/** Returns whether a process found the journal broken, which must never happen. */
export function isBroken(error: unknown): error is Failure {
  return error instanceof Failure && error.code === "journal.broken";
}
