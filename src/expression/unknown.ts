import type { Json } from "../base/json/json.ts";

/** The failure of reading a value that cannot be known yet. */
export class Unforeseen extends Error {
  override readonly name = "Unforeseen";
}

let met: Unforeseen | undefined;

/** Starts to watch which unknown values are read. */
export function forgetUnknown(): void {
  met = undefined;
}

/** Returns an unknown value that was read since then, whatever the result. For example, `unknown || 1 / 0 == 1` fails, although it might hold. */
export function unknownMet(): Unforeseen | undefined {
  return met;
}

/**
 * Makes a value that cannot be known yet. It can be passed on like any other value, but reading it throws an Unforeseen with `why`. So an
 * expression has a value exactly if the values that it reads are known: `true || unknown` is true, and a ternary evaluates only its branch.
 * See decision 58.
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
