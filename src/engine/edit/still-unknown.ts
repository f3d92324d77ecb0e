import { getOrInsert } from "../../base/maps.ts";
import { isObject, type Json, type JsonObject } from "../../base/json/json.ts";
import { ifKnown, type Scope } from "../../expression/expression.ts";
import { unknownValue } from "../../expression/unknown.ts";
import type { StepLoops } from "../../playbook/model.ts";
import { roundOf } from "../../protocol/address.ts";
import { isComplete } from "../../protocol/decide.ts";
import type { RunState } from "../../protocol/state.ts";
import { foresee, foreseenInputs } from "../run/foresee.ts";
import type { TracedCall, TracedStep } from "./earlier-values.ts";
import type { FingerprintContext } from "./step-fingerprint.ts";

/** What is known of steps that have not begun. */
export class StillUnknown {
  readonly #context: FingerprintContext;
  readonly #inputs = new Map<string, JsonObject>();

  constructor(context: FingerprintContext) {
    this.#context = context;
  }

  /** Returns the input of a call that has not begun, with null for each value that is not known yet. */
  inputOf(spot: TracedCall): Json {
    return ifKnown(() => foresee(spot.step.with, this.#scopeAt(spot)).shown, null);
  }

  #scopeAt(spot: TracedStep): Scope {
    const scope = this.#context.frames.scopeAt(spot);
    const steps = isObject(scope["steps"]) ? scope["steps"] : {};
    const open = [...spot.playbook.names].filter(([id, loops]) => !isDone(this.#context.state, spot, { id, ...loops }));
    return {
      ...scope,
      inputs: this.#inputsIn(spot) ?? scope["inputs"] ?? {},
      steps: { ...steps, ...unknown(open.map(([id]) => id)) },
      ...unknown(spot.unexpanded),
    };
  }

  // The state of the run already has the inputs of an included playbook that has begun.
  #inputsIn(spot: TracedStep): JsonObject | undefined {
    const { state } = this.#context;
    const including = includingSpot(spot);
    if (including?.step.kind !== "include" || state.steps.get(including.address)?.begun !== undefined) return undefined;
    const { address, step } = including;
    return getOrInsert(this.#inputs, address, () => foreseenInputs(step, this.#scopeAt(including)));
  }
}

function unknown(names: readonly string[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, unknownValue(`${name} is known only when the run reaches this step`)]));
}

function includingSpot({ frame, holder }: TracedStep): TracedStep | undefined {
  return holder === undefined || holder.frame !== frame ? holder : includingSpot(holder);
}

// Within a loop, a step counts as done only for the steps of the same round.
function isDone(state: RunState, { frame, rounds }: TracedStep, { id, loops }: { readonly id: string } & StepLoops): boolean {
  const keys = new Map(rounds.map(({ owner, key }) => [owner.id, key]));
  const own = loops.map((loop) => keys.get(loop));
  if (own.includes(undefined)) return false;
  const address = own.reduce<string>((at, key) => roundOf(at, key ?? ""), `${frame}${id}`);
  return isComplete(address, state);
}
