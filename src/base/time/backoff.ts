/** How the pauses between tries grow. */
export interface Backoff {
  /** The first pause. */
  readonly everyMs: number;
  /** Each pause is this many times the one before it. */
  readonly backoff: number;
  /** The longest pause. */
  readonly maxMs: number;
}

/** Returns the pause after so many tries (1 or more), in milliseconds. */
export function pauseAfter({ everyMs, backoff, maxMs }: Backoff, tries: number): number {
  // Nothing times infinity is no number.
  return everyMs === 0 ? 0 : Math.min(everyMs * backoff ** (tries - 1), maxMs);
}
