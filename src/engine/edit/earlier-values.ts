import { type BlockStep, type CallStep, isWrite, type Playbook, type Step } from "../../playbook/model.ts";
import { frameOf, roundOf } from "../../protocol/address.ts";
import type { Round } from "../../protocol/decide.ts";
import { hadNoEffect } from "../../protocol/attempt-state.ts";
import type { RunState, StepState } from "../../protocol/state.ts";
import type { PlanStep } from "../run/plan-steps.ts";

/** One step of a playbook at one place in a run. */
export interface TracedStep {
  /** The step or check as it is written. */
  readonly step: PlanStep;
  /** The step's address in the run, with the known keys of all rounds around it. */
  readonly address: string;
  /** The frame of the step, which determines the `inputs` and `steps` of its expressions. */
  readonly frame: string;
  /** The rounds around it within its frame, the outermost first. */
  readonly rounds: readonly Round<PlanStep>[];
  /** Whether it represents all rounds of a `foreach`, not one of them. */
  readonly isWhole: boolean;
  /** The playbook in which it is written. */
  readonly playbook: Playbook;
  /** The block, included playbook or `foreach` that holds it; undefined for the steps of the run's own playbook. */
  readonly holder: TracedStep | undefined;
  /** The part of its block; undefined outside of blocks. */
  readonly part: PartOfBlock | undefined;
  /** The variables of the surrounding `foreach`es that have no rounds yet; their keys are missing in the address. */
  readonly unexpanded: readonly string[];
}

/** One of the lists of steps of a block. */
export type PartOfBlock = "steps" | "rescue" | "always";

/** A step that calls an operation, at one place of a run. */
export type TracedCall = TracedStep & { readonly step: CallStep };

/** A list of steps that are done in the order in which they are written. */
export interface Sequence {
  /** The block, included playbook or `foreach` that holds them; undefined for the steps of the run's own playbook. */
  readonly holder: TracedStep | undefined;
  /** The steps in the order in which they are written. */
  readonly spots: readonly TracedStep[];
}

type TraceContext = Omit<TracedStep, "step" | "address" | "isWhole"> & { readonly keys: string };

/** The steps of a playbook at their places in a run: those that have begun, and those that are still to come. */
export class Traces {
  /** What has begun, by its address. */
  readonly begun: Map<string, TracedStep> = new Map();
  /** What has not begun, by its address, each step before those inside it. */
  readonly waiting: Map<string, TracedStep> = new Map();
  /** The lists of steps, each one before those inside it. */
  readonly sequences: Sequence[] = [];
  readonly #state: RunState;
  readonly #holdingBegun = new Set<TracedStep>();

  constructor(playbook: Playbook, state: RunState) {
    this.#state = state;
    this.#visitPlaybook(playbook, {
      frame: "",
      keys: "",
      rounds: [],
      playbook,
      holder: undefined,
      part: undefined,
      unexpanded: [],
    });
  }

  /** Whether a step has had an effect or a result. A step that failed and changed nothing may be edited freely. */
  hasBegun({ address, unexpanded }: TracedStep): boolean {
    if (unexpanded.length > 0) return false;
    const step = this.#state.steps.get(address);
    return this.#state.expansions.has(address) || (step !== undefined && leavesSomething(step));
  }

  /** Whether a step has begun, or a step in it. */
  holdsBegun(spot: TracedStep): boolean {
    return this.hasBegun(spot) || this.#holdingBegun.has(spot);
  }

  /** Whether everything around a step has begun, so that the run has reached its level. */
  isReached({ holder }: TracedStep): boolean {
    return holder === undefined || this.hasBegun(holder);
  }

  #visitPlaybook(playbook: Playbook, around: TraceContext): void {
    this.#visitSequence(playbook.steps, around);
    for (const check of playbook.checks) this.#visit(spotOf(check, around));
  }

  #visitSequence(steps: readonly Step[], around: TraceContext): void {
    const spots = steps.map((step) => spotOf(step, around));
    this.sequences.push({ holder: around.holder, spots });
    for (const spot of spots) this.#visit(spot);
  }

  #visit(spot: TracedStep): void {
    if (!this.hasBegun(spot)) return this.#visitWaiting(spot);
    const { address, step } = spot;
    this.begun.set(address, spot);
    const expansion = spot.isWhole ? this.#state.expansions.get(address) : undefined;
    if (expansion === undefined) return this.#visitHeld(spot);
    for (const [index, { key }] of expansion.rounds.entries()) {
      const rounds = [...spot.rounds, { owner: step, expansion: address, index, key }];
      this.#visit({ ...spot, address: roundOf(address, key), isWhole: false, rounds, holder: spot, part: undefined });
    }
  }

  // An edit can put steps that are done inside something that has not begun.
  #visitWaiting(spot: TracedStep): void {
    const before = this.begun.size;
    const variable = spot.isWhole ? spot.step.foreach?.variable : undefined;
    const waiting = variable === undefined ? spot : { ...spot, unexpanded: [...spot.unexpanded, variable] };
    this.waiting.set(waiting.address, waiting);
    this.#visitHeld(waiting);
    if (this.begun.size > before) this.#holdingBegun.add(spot);
  }

  #visitHeld(spot: TracedStep): void {
    const { step, address, frame, rounds, playbook, unexpanded } = spot;
    if (step.kind === "include") {
      const around = { frame: frameOf(address), keys: "", rounds: [], holder: spot, part: undefined, unexpanded };
      return this.#visitPlaybook(step.playbook, { ...around, playbook: step.playbook });
    }
    if (step.kind !== "block") return;
    const keys = rounds.map(({ key }) => roundOf("", key)).join("");
    for (const part of BLOCK_PARTS)
      this.#visitSequence(step[part], { frame, keys, rounds, playbook, holder: spot, part, unexpanded });
  }
}

const BLOCK_PARTS = ["steps", "rescue", "always"] as const satisfies readonly (keyof BlockStep & PartOfBlock)[];

function spotOf(step: PlanStep, { keys, ...around }: TraceContext): TracedStep {
  return { ...around, step, address: `${around.frame}${step.id}${keys}`, isWhole: step.foreach !== undefined };
}

function leavesSomething({ completed, begun, attempts }: StepState): boolean {
  return completed !== undefined || begun !== undefined || attempts.some((attempt) => !hadNoEffect(attempt));
}

/** Yields a step, then everything around it, the innermost first. */
export function* outwardsFrom(spot: TracedStep): Generator<TracedStep> {
  yield spot;
  if (spot.holder !== undefined) yield* outwardsFrom(spot.holder);
}

/** Whether a block, included playbook or `foreach` is complete, so that nothing inside it runs any more. */
export function isComplete(spot: TracedStep, traces: Traces, { steps }: RunState): boolean {
  return traces.hasBegun(spot) && steps.get(spot.address)?.completed !== undefined;
}

/** Whether a step is in the same part of the same block, loop or included playbook as before. */
export function isInSamePlace(is: TracedStep, was: TracedStep | undefined): was is TracedStep {
  return was !== undefined && is.holder?.address === was.holder?.address && is.part === was.part;
}

/** Whether a step is a call. */
export function isCall(spot: TracedStep): spot is TracedCall {
  return spot.step.kind === "call";
}

/** Whether a step is a call that writes. */
export function isTracedWrite(spot: TracedStep): spot is TracedCall {
  return isCall(spot) && isWrite(spot.step);
}
