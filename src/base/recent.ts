import { LIMITS } from "./limits.ts";

/** A cache of values that are made from texts. If it holds too many, it is emptied. */
export class Recent<T> {
  readonly #made = new Map<string, T>();
  readonly #make: (text: string) => T;
  readonly #most: number;

  constructor(make: (text: string) => T, most: number = LIMITS.recent) {
    this.#make = make;
    this.#most = most;
  }

  /** Returns the value for a text, from the cache or newly made. */
  of(text: string): T {
    let made = this.#made.get(text);
    if (made === undefined) {
      if (this.#made.size >= this.#most) this.#made.clear();
      made = this.#make(text);
      this.#made.set(text, made);
    }
    return made;
  }

  /** Empties the cache. */
  clear(): void {
    this.#made.clear();
  }
}
