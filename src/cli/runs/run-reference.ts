import type { JournalStore } from "../../journal/store.ts";

/**
 * A run as a person names it: by its id, by a unique part of the id, by its key, or as `latest`. It is not a string, so that no command can mistake what was
 * typed for an id.
 */
export class RunReference {
  readonly #typed: string;

  constructor(typed: string) {
    this.#typed = typed;
  }

  /** Reads one argument. */
  static parse(this: void, typed: string): RunReference {
    return new RunReference(typed);
  }

  /** Adds an argument to those before it. */
  static collect(this: void, typed: string, before: readonly RunReference[] | undefined): readonly RunReference[] {
    return [...(before ?? []), new RunReference(typed)];
  }

  /** The text that was typed, for commands in messages. */
  get typed(): string {
    return this.#typed;
  }

  /** Returns the id of the run. Throws a Failure, which lists the candidates if there are several. */
  in(store: JournalStore): string {
    return store.named(this.#typed);
  }
}
