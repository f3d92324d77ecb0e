import type { Json } from "../base/json.ts";

/** Something was asked that nobody can know yet. */
export class Unforeseen extends Error {
  override readonly name = "Unforeseen";
}

let met: Unforeseen | undefined;

/** Forgets what was looked at so far. */
export function forgetUnknown(): void {
  met = undefined;
}

/**
 * The unknown that was looked at since then, whatever came of it: where `unknown || 1 / 0 == 1` fails, it might have held.
 */
export function unknownMet(): Unforeseen | undefined {
  return met;
}

/**
 * A value that nobody can know yet: it may be handed on like any other, and whoever looks at it is told `why` by an Unforeseen.
 * So an expression has a value exactly when what it looks at is known: `true || unknown` is true, a ternary takes its branch. See decision 58.
 */
export function unknownValue(why: string): Json {
  const tell = (): never => {
    met = new Unforeseen(why);
    throw met;
  };
  return new Proxy(Object.freeze({}), {
    get: tell,
    has: tell,
    ownKeys: tell,
    getPrototypeOf: tell,
    getOwnPropertyDescriptor: tell,
  });
}
