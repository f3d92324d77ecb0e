import type { IncludeStep, Playbook, Step } from "../../playbook/model.ts";
import { heldBy } from "../../playbook/playbook-walk.ts";
import { frameOf, roundOf } from "../../protocol/address.ts";
import type { Round } from "../../protocol/decide.ts";
import { hadNoEffect, type RunState, type StepState } from "../../protocol/state.ts";
import type { PlanStep } from "../run/plan-steps.ts";

/** One step of a playbook at one place of a run. */
export interface TracedStep {
  /** The step or check as it is written. */
  readonly step: PlanStep;
  /** The step's address in the run, with the keys of all rounds around it. */
  readonly address: string;
  /** The frame it is in, which gives its expressions their `inputs` and `steps`. */
  readonly frame: string;
  /** The rounds around it within its frame, the outermost first. */
  readonly rounds: readonly Round<PlanStep>[];
  /** All rounds of a `foreach`, not one of them. */
  readonly isWhole: boolean;
  /** The playbook in which it is written. */
  readonly playbook: Playbook;
  /** The address of the block, included playbook or `foreach` that holds it. */
  readonly within: string | undefined;
}

/** Steps that are done in the order in which they are written. */
export interface Sequence {
  /** The address of the block, included playbook or `foreach` that holds them; undefined for the steps of the run's own playbook. */
  readonly within: string | undefined;
  /** The steps in the order in which they are written. */
  readonly spots: readonly TracedStep[];
}

type Around = Omit<TracedStep, "step" | "address" | "isWhole"> & { readonly keys: string };

/** The places of a playbook that a run has begun. */
export class Traces {
  /** What has begun, by its address. */
  readonly begun: Map<string, TracedStep> = new Map();
  /** The lists of steps that the run has reached, each one before those inside it. */
  readonly sequences: Sequence[] = [];
  readonly #state: RunState;

  constructor(playbook: Playbook, state: RunState) {
    this.#state = state;
    this.#visitPlaybook(playbook, "", undefined);
  }

  /** Whether a step left anything behind: one that failed and changed nothing may be edited freely. */
  hasBegun(address: string): boolean {
    const step = this.#state.steps.get(address);
    return this.#state.expansions.has(address) || (step !== undefined && stays(step));
  }

  #visitPlaybook(playbook: Playbook, frame: string, within: string | undefined): void {
    const around: Around = { frame, keys: "", rounds: [], playbook, within };
    this.#visitSequence(playbook.steps, around);
    for (const check of playbook.checks) this.#visit(spotOf(check, around));
  }

  #visitSequence(steps: readonly Step[], around: Around): void {
    const spots = steps.map((step) => spotOf(step, around));
    this.sequences.push({ within: around.within, spots });
    for (const spot of spots) this.#visit(spot);
  }

  #visit(spot: TracedStep): void {
    const { address, step } = spot;
    if (!this.hasBegun(address)) return;
    this.begun.set(address, spot);
    const expansion = spot.isWhole ? this.#state.expansions.get(address) : undefined;
    if (expansion === undefined) return this.#visitHeld(spot);
    for (const [index, { key }] of expansion.rounds.entries()) {
      const round = { owner: step, expansion: address, index, key };
      this.#visit({
        ...spot,
        address: roundOf(address, key),
        isWhole: false,
        rounds: [...spot.rounds, round],
        within: address,
      });
    }
  }

  #visitHeld({ step, address, frame, rounds, playbook }: TracedStep): void {
    if (step.kind === "include") return this.#visitPlaybook(step.playbook, frameOf(address), address);
    if (step.kind !== "block") return;
    const keys = rounds.map(({ key }) => roundOf("", key)).join("");
    for (const list of [step.steps, step.rescue, step.always])
      this.#visitSequence(list, { frame, keys, rounds, playbook, within: address });
  }
}

function spotOf(step: PlanStep, { keys, ...around }: Around): TracedStep {
  return { ...around, step, address: `${around.frame}${step.id}${keys}`, isWhole: step.foreach !== undefined };
}

function stays({ completed, begun, attempts }: StepState): boolean {
  return completed !== undefined || begun !== undefined || attempts.some((attempt) => !hadNoEffect(attempt));
}

/** The ids of what a block or an including step holds. */
export function idsIn(step: PlanStep | IncludeStep): ReadonlySet<string> {
  if (step.kind === "include") return new Set(step.playbook.steps.map(({ id }) => id));
  return new Set(step.kind === "block" ? heldBy(step).map(({ id }) => id) : []);
}
