import { LIMITS } from "./limits.ts";

/** What was made of a text, kept for the next who asks; of too many texts all is forgotten. */
export class Recent<T> {
  readonly #made = new Map<string, T>();
  readonly #make: (text: string) => T;

  constructor(make: (text: string) => T) {
    this.#make = make;
  }

  of(text: string): T {
    let made = this.#made.get(text);
    if (made === undefined) {
      if (this.#made.size >= LIMITS.recent) this.#made.clear();
      made = this.#make(text);
      this.#made.set(text, made);
    }
    return made;
  }

  clear(): void {
    this.#made.clear();
  }
}
