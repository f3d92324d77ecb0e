import type { JournalStore } from "../../journal/store.ts";

/**
 * A run as a person names it: by its id, by a part that no other id has, by its key, or as `latest`. It is no text, so that no command
 * can take what was typed for an id.
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

  /** Reads one more of several arguments. */
  static collect(this: void, typed: string, before: readonly RunReference[] | undefined): readonly RunReference[] {
    return [...(before ?? []), new RunReference(typed)];
  }

  /** What was typed, for the command that a message offers. */
  get typed(): string {
    return this.#typed;
  }

  /** Returns the id of the run that is meant. Throws a Failure, which lists the candidates where there are several. */
  in(store: JournalStore): string {
    return store.named(this.#typed);
  }
}
