import type { PlanStep, Place } from "../../engine/run/plan-steps.ts";
import type { Playbook, Step } from "../../playbook/model.ts";
import { heldBy } from "../../playbook/playbook-walk.ts";
import { includingStep, parseAddress, roundOf } from "../../protocol/address.ts";
import type { RunState } from "../../protocol/state.ts";

/** A step that contains a place of a run, with its playbook and rounds. */
export interface StackStep {
  /** The playbook that the step is in. */
  readonly playbook: Playbook;
  /** The step as written. */
  readonly step: PlanStep;
  /** The keys of the rounds around it, the outermost first. */
  readonly keys: readonly string[];
  /** The frame of its playbook, as in addresses. */
  readonly frame: string;
}

/** Returns the step at an address and all steps around it, the innermost first. Steps around it are blocks, and steps that include its playbook. */
export function stepsAround(playbook: Playbook, address: string): readonly StackStep[] {
  const { frame, id, keys } = parseAddress(address);
  const outer = frame === "" ? [] : stepsAround(playbook, includingStep(frame));
  const holder = outer[0]?.step;
  const own = holder?.kind === "include" ? holder.playbook : playbook;
  const way = wayTo([...own.steps, ...own.checks], id) ?? [];
  let loops = 0;
  const inner = way.map((step) => {
    if (step.foreach !== undefined) loops++;
    return { playbook: own, step, keys: keys.slice(0, loops), frame };
  });
  return [...inner.toReversed(), ...outer];
}

function wayTo(steps: readonly PlanStep[], id: string): readonly PlanStep[] | undefined {
  for (const step of steps) {
    if (step.id === id) return [step];
    const held: readonly Step[] = step.kind === "check" ? [] : heldBy(step);
    const inner = wayTo(held, id);
    if (inner !== undefined) return [step, ...inner];
  }
  return undefined;
}

/** Returns the rounds that a step of a stack is in. */
export function roundsAt(
  stack: readonly StackStep[],
  { frame, keys }: Pick<StackStep, "frame" | "keys">,
  state: Readonly<RunState>,
): Place["rounds"] {
  const owners = stack.filter((each) => each.frame === frame && each.step.foreach !== undefined).toReversed();
  return keys.flatMap((key, at) => {
    const owner = owners[at]?.step;
    if (owner === undefined) return [];
    const expansion = keys.slice(0, at).reduce(roundOf, `${frame}${owner.id}`);
    const index = state.expansions.get(expansion)?.rounds.findIndex((round) => round.key === key) ?? -1;
    return [{ owner, expansion, index, key }];
  });
}
