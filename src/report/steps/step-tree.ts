import { keysOf } from "../../protocol/address.ts";
import type { StepReport } from "../shape.ts";

/** A step with the steps inside it. */
export interface StepNode {
  /** The step, or one round of it. */
  readonly step: StepReport;
  /** The steps inside it, in order. */
  readonly held: StepNode[];
}

/** Returns the steps of a run as a tree. Each round of a block has its own steps. */
export function treeOf(steps: readonly StepReport[]): readonly StepNode[] {
  const top: StepNode[] = [];
  const above: StepNode[] = [];
  for (const step of steps) {
    const node: StepNode = { step, held: [] };
    above.length = Math.min(above.length, step.depth);
    const holder = above.findLast((each) => isWithin(step, each.step));
    (holder?.held ?? top).push(node);
    above.push(node);
  }
  return top;
}

function isWithin(step: StepReport, round: StepReport): boolean {
  const keys = keysOf(step.step);
  return keysOf(round.step).every((key, at) => keys[at] === key);
}
