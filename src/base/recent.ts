import { LIMITS } from "./limits.ts";

/** A cache of what was made of recent texts; when it holds too many, it forgets all. */
export class Recent<T> {
  readonly #made = new Map<string, T>();
  readonly #make: (text: string) => T;
  readonly #most: number;

  constructor(make: (text: string) => T, most: number = LIMITS.recent) {
    this.#make = make;
    this.#most = most;
  }

  /** Returns what is made of the text: from the cache, or newly made and kept. */
  of(text: string): T {
    let made = this.#made.get(text);
    if (made === undefined) {
      if (this.#made.size >= this.#most) this.#made.clear();
      made = this.#make(text);
      this.#made.set(text, made);
    }
    return made;
  }

  /** Forgets all. */
  clear(): void {
    this.#made.clear();
  }
}
