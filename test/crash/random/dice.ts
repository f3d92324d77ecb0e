/** Chance that can be had again: the same seed gives the same throws. */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A number from 0 up to, and without, 1. */
  #throw(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from 0 up to, and without, `below`. */
  below(below: number): number {
    return Math.floor(this.#throw() * below);
  }

  /** True in so many of a hundred cases. */
  inHundred(cases: number): boolean {
    return this.below(100) < cases;
  }

  /** One of several. */
  of<T>(several: readonly [T, ...T[]] | readonly T[]): T {
    return several[this.below(several.length)] as T;
  }
}
