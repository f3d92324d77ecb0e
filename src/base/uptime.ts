/** How long a machine has been running, including sleep. Unlike a clock, nobody can set it. */
export interface Uptime {
  /** The kernel's id for this start of the machine. */
  readonly boot: string;
  /** Milliseconds since that start. */
  readonly ms: number;
}

/**
 * Returns how many milliseconds have surely passed between two moments of the same machine; `undefined` if unknown. If the machine was
 * restarted in between, at least the time since the last start has passed.
 */
export function surelyPassed(then: Uptime | undefined, now: Uptime | undefined): number | undefined {
  if (then === undefined || now === undefined) return undefined;
  return then.boot === now.boot ? now.ms - then.ms : now.ms;
}
