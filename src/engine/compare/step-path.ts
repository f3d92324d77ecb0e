import type { Playbook, Step } from "../../playbook/model.ts";
import { heldBy, stepNamed } from "../../playbook/playbook-walk.ts";
import { includingStep, parseAddress } from "../../protocol/address.ts";

/** Returns a step preceded by the blocks around it, the outermost first; nothing if no step has this id. */
export function pathTo(steps: readonly Step[], id: string): readonly Step[] {
  for (const step of steps) {
    if (step.id === id) return [step];
    const inside = pathTo(heldBy(step), id);
    if (inside.length > 0) return [step, ...inside];
  }
  return [];
}

/** Returns the playbook of a frame of a run; `undefined` where the playbook has no such frame. */
export function playbookIn(playbook: Playbook, frame: string): Playbook | undefined {
  if (frame === "") return playbook;
  const { frame: outer, id } = parseAddress(includingStep(frame));
  const around = playbookIn(playbook, outer);
  const step = around === undefined ? undefined : stepNamed(around, id);
  return step?.kind === "include" ? step.playbook : undefined;
}
