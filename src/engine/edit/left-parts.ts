import type { BlockTurned } from "../../protocol/record.ts";
import { type RunState, turnedOnClaim } from "../../protocol/state.ts";
import { isWrittenAsBefore } from "./as-written.ts";
import { isComplete, isInSamePlace, outwardsFrom, type PartOfBlock, type TracedStep } from "./earlier-values.ts";
import type { EditedTraces } from "./edited.ts";

/**
 * Returns the edits in parts of blocks that the run has left because a step failed: nothing there would run any more. Also returns the
 * removal of a `rescue` that is running, because the failure of the block would be forgotten.
 */
export function editsOfLeftParts(state: RunState, { before, now }: EditedTraces): readonly (readonly [TracedStep, string])[] {
  const changed = [...now.waiting.values()].flatMap((spot): (readonly [TracedStep, string])[] => {
    const block = now.isReached(spot) ? leftBlock(spot, state) : undefined;
    if (block === undefined) return [];
    const was = before.waiting.get(spot.address);
    const stays = isInSamePlace(spot, was);
    if (stays && isWrittenAsBefore(was, spot)) return [];
    const what = stays ? "was changed" : "is new";
    return [[spot, `${what} in a part of ${block.address} that the run has left because a step failed: it would never run`]];
  });
  const unrescued = [...now.begun.values()].filter((spot) => hasLostRescue(spot, state) && !isComplete(spot, now, state));
  return [
    ...changed,
    ...unrescued.map(
      (spot) => [spot, "has lost its rescue, in which the run is: the step that failed would be forgotten"] as const,
    ),
  ];
}

// The block that holds a step, at any depth, in a part that the run has left.
function leftBlock(spot: TracedStep, state: RunState): TracedStep | undefined {
  return outwardsFrom(spot).find(({ part, holder }) => {
    return part !== undefined && holder !== undefined && partsLeft(holder, state).includes(part);
  })?.holder;
}

function partsLeft({ address }: TracedStep, state: RunState): readonly PartOfBlock[] {
  const turned = turnedAt(address, state);
  if (turned === undefined || turned.to === "again") return [];
  return turned.to === "rescue" || turned.outcome === "ok" ? ["steps"] : ["steps", "rescue"];
}

function hasLostRescue({ step, address }: TracedStep, state: RunState): boolean {
  return step.kind === "block" && step.rescue.length === 0 && turnedAt(address, state)?.to === "rescue";
}

function turnedAt(address: string, { steps }: RunState): BlockTurned | undefined {
  const block = steps.get(address);
  return block === undefined ? undefined : turnedOnClaim(block);
}
