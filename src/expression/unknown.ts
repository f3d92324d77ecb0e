import type { Json } from "../base/json/json.ts";

/** The failure of reading a value that cannot be known yet. */
export class Unforeseen extends Error {
  override readonly name = "Unforeseen";
}

let met: Unforeseen | undefined;

/** Starts watching which unknown values are read. */
export function forgetUnknown(): void {
  met = undefined;
}

/** Returns the unknown value that was read since then, whatever the result: where `unknown || 1 / 0 == 1` fails, it might have held. */
export function unknownMet(): Unforeseen | undefined {
  return met;
}

/**
 * Makes a value that cannot be known yet. It can be passed on like any other; reading it throws an Unforeseen with `why`. So an
 * expression has a value exactly when the values that it reads are known: `true || unknown` is true, and a ternary takes its branch. See
 * decision 58.
 */
export function unknownValue(why: string): Json {
  const refuse = (): never => {
    met = new Unforeseen(why);
    throw met;
  };
  return new Proxy(Object.freeze({}), {
    get: refuse,
    has: refuse,
    ownKeys: refuse,
    getPrototypeOf: refuse,
    getOwnPropertyDescriptor: refuse,
  });
}
