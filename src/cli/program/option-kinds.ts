import type { Definition, Maybe, OfferedValues, OptionKind, Reader } from "./definition.ts";
import { WORDS } from "./words.ts";

/** Returns a kind of value that a function reads, and that is given once. */
export function kind<T>(readValue: (typed: string) => T, offers: OfferedValues = "nothing"): Reader<T> {
  return { read: (text) => readValue(text), offers, collects: false };
}

/** Returns a kind of value that may be given several times. Each value adds to those before it. */
export function collected<T>(readValue: Reader<T>["read"], offers: OfferedValues = "nothing"): Reader<T> {
  return { read: readValue, offers, collects: true };
}

/** A text as it was typed. */
export function typed(offers: OfferedValues): Reader<string> {
  return kind((text) => text, offers);
}

/** One of several words. */
export function oneOf<const Word extends string>(choices: readonly Word[]): OptionKind<Word> {
  return { choices };
}

/** A sentence from a person. If it is empty, the command refuses it with its own message. */
export const SENTENCE: Reader<string> = { ...typed("nothing"), mayBeEmpty: true };

/** Adds the source of variables that the process does not set. */
export function dotenv<Options>(definition: Definition<Options>): Definition<Options & Maybe<"dotenv", string | false>> {
  return definition.valueOrNone(["--dotenv <file>", "--no-dotenv"], [WORDS.dotenv, WORDS.noDotenv], typed("files"));
}

/** Adds the folder that keeps the runs, and `--json`. */
export function memory<Options>(
  definition: Definition<Options>,
): Definition<Options & Maybe<"state", string> & Maybe<"json", boolean>> {
  return definition.value("--state <dir>", WORDS.state, typed("folders")).flag("--json", WORDS.json);
}
