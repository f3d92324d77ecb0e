/** For how long a machine has been running, its sleep included: nobody can set that. */
export interface Uptime {
  /** What the kernel calls this start of the machine. */
  readonly boot: string;
  /** Milliseconds since that start. */
  readonly ms: number;
}

/**
 * Returns how many milliseconds have surely passed between two moments of one machine; `undefined` where that is not known. Between two
 * starts of the machine at least the time since the last one has passed.
 */
export function surelyPassed(then: Uptime | undefined, now: Uptime | undefined): number | undefined {
  if (then === undefined || now === undefined) return undefined;
  return then.boot === now.boot ? now.ms - then.ms : now.ms;
}
