import type { Sight } from "../services/probe.ts";
import type { Verdict } from "./record.ts";
import { type AttemptState, undecidedOf } from "./attempt-state.ts";

/** The circumstances in which a write was sent and probed. */
export interface Circumstances {
  /** Whether a second attempt would add its effect again. */
  readonly additive: boolean;
  /** Whether no other process can have acted as the same entity in the meantime. */
  readonly alone: boolean;
  /** Whether no later step of the run sets the same thing. */
  readonly final: boolean;
  /** Whether the declared time has passed after which every write has taken effect and every read shows it. */
  readonly settled: boolean;
  /** Which attempts the service has refused: `all`, so that nothing can be in flight any more; or only the `last`, as it would refuse the next. */
  readonly refused: "all" | "last" | "none";
  /** Whether the readings before the write and now are recent enough to be compared, by the declared `readLag`. */
  readonly comparable: boolean;
}

/**
 * Returns the verdict of a look; `undefined` if it decides nothing yet. A visible effect decides, unless the reading may be older than the
 * write. The lack of a visible effect proves nothing: the write may still arrive, and the reading may be old. There are two exceptions: one
 * more attempt could do no harm, or the operator declared how long a write may take and how old a reading may be. See decision 79.
 */
export function verdictOf(
  sight: Sight,
  { additive, alone, final, settled, refused, comparable }: Circumstances,
): Verdict | undefined {
  if (sight.seen === "conflict") return undefined;
  const isHarmless = refused === "none" && final && sight.again !== undefined && sight.again !== "never";
  const otherwise = isHarmless ? "superseded" : undefined;
  switch (sight.seen) {
    case "effect":
      if (additive && !alone) return undefined;
      if (sight.rests === "record") return "applied";
      // Somebody else may have set the same value. Then this write may still arrive, after a later step that sets something else.
      return comparable && (sight.again !== "value" || sight.isActors === true || final || settled) ? "applied" : otherwise;
    case "nothing":
      if (settled || (comparable && (refused === "all" || (sight.again === "never" && final)))) return "absent";
      return otherwise;
    case "unchanged":
      if (refused === "all" && comparable) return "absent";
      // The write may still arrive, but then sets the same value.
      return comparable && (final || settled) ? "unchanged" : otherwise;
    case "unclear":
      return otherwise;
  }
}

/**
 * Whether the declared time has passed after which every write has taken effect and every read shows it. This is never so while a released
 * holder may still send an attempt, because the time counts from when a request leaves.
 */
export function hasSettled(
  attempts: readonly AttemptState[],
  { goneForMs, settlingMs }: { readonly goneForMs: number; readonly settlingMs: number | undefined },
): boolean {
  if (undecidedOf(attempts).some(({ mayStillBeSent }) => mayStillBeSent)) return false;
  return settlingMs !== undefined && goneForMs >= settlingMs;
}
