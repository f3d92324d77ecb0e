import { fieldName, Names } from "./names.ts";

/** The actors that a translated playbook declares: one for each entity and each key. */
export class DeclaredActors {
  readonly #names = new Names(fieldName);
  readonly #actors = new Map<string, Readonly<Record<string, string>>>();

  /** Returns the name of the actor who has this identity at a service. A new actor gets the proposed name, or a similar one if that is taken. */
  named(proposed: string, service: string, identity: string): string {
    const known = [...this.#actors].find(([, identities]) => identities[service] === identity);
    if (known !== undefined) return known[0];
    const actor = this.#names.fresh(proposed);
    this.#actors.set(actor, { [service]: identity });
    return actor;
  }

  /** Returns the content of `actors:`. */
  written(): Readonly<Record<string, object>> {
    return Object.fromEntries(this.#actors);
  }
}
