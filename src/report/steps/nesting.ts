import { keysOf, stepOf } from "../../protocol/address.ts";
import type { StepHeading } from "../../protocol/heading.ts";

/** The blocks and includes around each step, as in the playbook. */
export class Nesting {
  readonly #holders = new Map<string, string>();

  /** Takes the headings in the order of the playbook. The steps inside a step follow it, one level deeper. */
  constructor(headings: readonly Pick<StepHeading, "id" | "depth">[]) {
    const above: string[] = [];
    for (const { id, depth = 0 } of headings) {
      const holder = above[depth - 1];
      if (holder !== undefined) this.#holders.set(id, holder);
      above[depth] = id;
    }
  }

  /** Returns the id of the block or include around a step as written; `undefined` at the top. */
  holderOf(id: string): string | undefined {
    return this.#holders.get(id);
  }

  /** Returns whether a step is in a block, in the same rounds. */
  isWithin(address: string, block: string): boolean {
    const keys = keysOf(address);
    return this.#holds(stepOf(block), stepOf(address)) && keysOf(block).every((key, at) => keys[at] === key);
  }

  #holds(block: string, id: string): boolean {
    const holder = this.holderOf(id);
    return holder !== undefined && (holder === block || this.#holds(block, holder));
  }
}
