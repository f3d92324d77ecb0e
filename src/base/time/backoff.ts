/** How the pauses between attempts grow. */
export interface Backoff {
  /** The first pause. */
  readonly everyMs: number;
  /** The factor by which each pause is longer than the previous one. */
  readonly backoff: number;
  /** The longest pause. */
  readonly maxMs: number;
}

/** Returns the pause after `tries` attempts (1 or more), in milliseconds. */
export function pauseAfter({ everyMs, backoff, maxMs }: Backoff, tries: number): number {
  // Zero times infinity would be NaN.
  return everyMs === 0 ? 0 : Math.min(everyMs * backoff ** (tries - 1), maxMs);
}
