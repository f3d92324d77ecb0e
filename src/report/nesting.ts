import { keysOf, stepOf } from "../protocol/address.ts";
import type { StepHeading } from "../protocol/record.ts";

/** Which steps hold which, as the playbook has it. */
export class Nesting {
  readonly #holders = new Map<string, string>();

  /** The headings stand in the order of the playbook, those of what a step holds behind it and one deeper. */
  constructor(headings: readonly StepHeading[]) {
    const above: string[] = [];
    for (const { id, depth = 0 } of headings) {
      const holder = above[depth - 1];
      if (holder !== undefined) this.#holders.set(id, holder);
      above[depth] = id;
    }
  }

  /** Whether a step stands in a block, in the same rounds as it. */
  isWithin(address: string, block: string): boolean {
    const keys = keysOf(address);
    return this.#holds(stepOf(block), stepOf(address)) && keysOf(block).every((key, at) => keys[at] === key);
  }

  #holds(block: string, id: string): boolean {
    const holder = this.#holders.get(id);
    return holder !== undefined && (holder === block || this.#holds(block, holder));
  }
}
