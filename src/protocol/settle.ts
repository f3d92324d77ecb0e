import type { Verdict } from "./record.ts";
import { type AttemptState, undecidedOf } from "./state.ts";

/** What a look at the service showed of a write, as far as it decides anything. */
export interface Seen {
  readonly seen: "effect" | "nothing" | "conflict" | "unclear";
  /** Why one more sending could do no harm; `never`: the service can never do it. */
  readonly again?: "unique" | "fence" | "value" | "never";
}

/** Under what circumstances a write was sent. */
export interface Circumstances {
  /** A second one would add again. */
  readonly additive: boolean;
  /** Nobody else acts as the same entity on the same things meanwhile. */
  readonly alone: boolean;
  /** No later step of the run sets what it sets. */
  readonly final: boolean;
  /** The time is over within which the operator declared that every write takes effect. */
  readonly settled: boolean;
}

/**
 * What a look decides; `undefined`: nothing yet. To see the effect decides. To see nothing is no proof, for the write may still be on its
 * way, except where one more could do no harm, or the operator declared how long a write may take.
 */
export function verdictOf({ seen, again }: Seen, { additive, alone, final, settled }: Circumstances): Verdict | undefined {
  switch (seen) {
    case "effect":
      return additive && !alone ? undefined : "applied";
    case "nothing":
      if (settled) return "absent";
      if (again === undefined || !final) return undefined;
      return again === "never" ? "absent" : "superseded";
    case "conflict":
    case "unclear":
      return undefined;
  }
}

/**
 * Whether the time is over within which the operator declared that every write takes effect. It never is where an attempt may still be sent
 * by a holder that was released: that time begins when a request leaves.
 */
export function hasSettled(
  attempts: readonly AttemptState[],
  { goneForMs, settleWithinMs }: { readonly goneForMs: number; readonly settleWithinMs: number | undefined },
): boolean {
  if (undecidedOf(attempts).some(({ mayStillBeSent }) => mayStillBeSent)) return false;
  return settleWithinMs !== undefined && goneForMs >= settleWithinMs;
}
