import { keysOf, stepOf } from "../../protocol/address.ts";
import type { StepHeading } from "../../protocol/heading.ts";

/** The containers of the steps, as the playbook has them. */
export class Nesting {
  readonly #holders = new Map<string, string>();

  /** Takes the headings in the order of the playbook: the steps in a step follow it, one deeper. */
  constructor(headings: readonly Pick<StepHeading, "id" | "depth">[]) {
    const above: string[] = [];
    for (const { id, depth = 0 } of headings) {
      const holder = above[depth - 1];
      if (holder !== undefined) this.#holders.set(id, holder);
      above[depth] = id;
    }
  }

  /** Returns the id of the block or include that holds a step as written; `undefined` at the top. */
  holderOf(id: string): string | undefined {
    return this.#holders.get(id);
  }

  /** Whether a step is in a block, in the same rounds as it. */
  isWithin(address: string, block: string): boolean {
    const keys = keysOf(address);
    return this.#holds(stepOf(block), stepOf(address)) && keysOf(block).every((key, at) => keys[at] === key);
  }

  #holds(block: string, id: string): boolean {
    const holder = this.holderOf(id);
    return holder !== undefined && (holder === block || this.#holds(block, holder));
  }
}
