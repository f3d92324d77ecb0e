import type { OfferedValues, OptionKind, Reader } from "./definition.ts";

/** A kind of value that is read by a function. */
export function kind<T>(readValue: Reader<T>["read"], offers: OfferedValues = "nothing"): Reader<T> {
  return { read: readValue, offers };
}

/** A text as it was typed. */
export function typed(offers: OfferedValues): Reader<string> {
  return kind((text) => text, offers);
}

/** One of several words. */
export function oneOf<const Word extends string>(choices: readonly Word[]): OptionKind<Word> {
  return { choices };
}
