import { getOrInsert } from "../base/maps.ts";
import { STEP_ID } from "../base/text/step-id.ts";

const IS_STEP_ID = new RegExp(STEP_ID);
const IS_NAME = /^(?!(?:in|true|false|null)$)[a-z]\w*$/;

/** Gives names in the playbook's language to names in another document. The same name always gets the same result. */
export class Names {
  readonly #given = new Map<string, string>();
  readonly #taken = new Set<string>();
  readonly #make: (name: string) => string;
  readonly #separator: string;

  /** `make` turns any name into a name in the language. Without it, names stay as they are. */
  constructor(make: (name: string) => string = (name) => name, separator = "_") {
    this.#make = make;
    this.#separator = separator;
  }

  /** Returns the name for another one. If two kinds of things have the same name, each gets its own. */
  of(name: string, kind = ""): string {
    return getOrInsert(this.#given, `${kind} ${name}`, () => this.fresh(name));
  }

  /** Returns a name that was not given before. */
  fresh(name: string): string {
    const base = this.#make(name);
    let made = base;
    for (let number = 2; this.#taken.has(made); number += 1) made = `${base}${this.#separator}${number}`;
    this.#taken.add(made);
    return made;
  }
}

/** Returns a name of letters, digits and _ that begins with a letter, as for a secret or a credential. */
export function outsideName(name: string): string {
  const words = name.replaceAll(/\W+/g, "_").replaceAll(/^_+|_+$/g, "");
  return /^[A-Za-z]/.test(words) ? words : `x${words}`;
}

/** Returns the id of a step in lower case. */
export function stepId(name: string): string {
  const id = outsideName(name)
    .replaceAll(/([a-z\d])([A-Z])/g, "$1_$2")
    .toLowerCase();
  return IS_STEP_ID.test(id) ? id : `${id}_step`;
}

/** Returns a name that begins with a lower-case letter. */
export function fieldName(name: string): string {
  const words = outsideName(name);
  const small = /^[A-Z\d_]+$/.test(words) ? words.toLowerCase() : words.charAt(0).toLowerCase() + words.slice(1);
  return IS_NAME.test(small) ? small : `${small}_value`;
}
