import type { Random } from "../ports.ts";

/** Chance from a seed: the same seed gives the same results on every machine (mulberry32). */
export class Dice implements Random {
  #state: number;

  constructor(seed: number) {
    // Neighbouring seeds must not give similar first numbers.
    this.#state = Math.imul(seed ^ 0x9e37_79b9, 0x85eb_ca6b) >>> 0;
  }

  /** Returns a number from 0 up to, but not including, 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b_79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** Returns a whole number from 0 up to, but not including, `limit`. */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  /** Returns true with this probability: never for 0, always for 1. */
  chance(share: number): boolean {
    return this.next() < share;
  }

  /** Returns one of the items, each as likely as the others. The list must not be empty. */
  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T;
  }

  /** Returns a time between the two, in milliseconds. Short times are as frequent as long ones. */
  span(leastMs: number, mostMs: number): number {
    return Math.round(leastMs * (mostMs / leastMs) ** this.next());
  }

  /** Returns this many bytes, each determined by the seed. */
  bytes(count: number): Uint8Array {
    return Uint8Array.from({ length: count }, () => this.below(256));
  }
}
