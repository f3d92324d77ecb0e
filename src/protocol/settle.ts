import type { Verdict } from "./record.ts";
import { type AttemptState, undecidedOf } from "./state.ts";

/** Why one more request could do no harm; `never`: the service can never do it. */
type Again = "unique" | "fence" | "value" | "never";

/**
 * What a look at the service showed of a write, as far as it decides anything. `rests`: on a record that no earlier moment of the service
 * can show, or on readings that may each be of an earlier moment.
 */
export type ProbeResult =
  | { readonly seen: "effect"; readonly rests: "record" | "readings"; readonly again?: Again }
  | { readonly seen: "nothing" | "unclear"; readonly again?: Again }
  /** What it sets was so before, and is so now. */
  | { readonly seen: "unchanged"; readonly again: Again }
  | { readonly seen: "conflict" };

/** Under what circumstances a write was sent, and looked for. */
export interface Circumstances {
  /** A second one would add again. */
  readonly additive: boolean;
  /** Nobody else acts as the same entity on the same things meanwhile. */
  readonly alone: boolean;
  /** No later step of the run sets what it sets. */
  readonly final: boolean;
  /** The time is over within which the operator declared that every write takes effect and every read shows it. */
  readonly settled: boolean;
  /** What was read before the write and what was read now are as recent as they must be to be compared, as the operator declared. */
  readonly comparable: boolean;
}

/**
 * What a look decides; `undefined`: nothing yet. To see the effect decides, if what shows it cannot be of an earlier moment. To see nothing
 * is no proof, for the write may still be on its way and the reading may be old, except where one more could do no harm, or the operator
 * declared how long a write may take and how old a reading may be. See decision 79.
 */
export function verdictOf(
  seen: ProbeResult,
  { additive, alone, final, settled, comparable }: Circumstances,
): Verdict | undefined {
  if (seen.seen === "conflict") return undefined;
  const isHarmless = final && seen.again !== undefined && seen.again !== "never";
  const otherwise = isHarmless ? "superseded" : undefined;
  switch (seen.seen) {
    case "effect":
      if (additive && !alone) return undefined;
      return seen.rests === "record" || comparable ? "applied" : otherwise;
    case "nothing":
      if (settled || (seen.again === "never" && final && comparable)) return "absent";
      return otherwise;
    case "unchanged":
      // It may still arrive, and then sets what is there.
      return comparable && (final || settled) ? "unchanged" : otherwise;
    case "unclear":
      return otherwise;
  }
}

/**
 * Whether the time is over within which the operator declared that every write takes effect and every read shows it. It never is where an attempt may still be sent
 * by a holder that was released: that time begins when a request leaves.
 */
export function hasSettled(
  attempts: readonly AttemptState[],
  { goneForMs, settlingMs }: { readonly goneForMs: number; readonly settlingMs: number | undefined },
): boolean {
  if (undecidedOf(attempts).some(({ mayStillBeSent }) => mayStillBeSent)) return false;
  return settlingMs !== undefined && goneForMs >= settlingMs;
}
