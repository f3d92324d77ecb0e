import { LIMITS } from "../../base/limits.ts";
import { pauseAfter } from "../../base/time/backoff.ts";
import type { Target } from "../../environment/target.ts";
import type { Waiting } from "../../playbook/model.ts";
import type { ReadingContext } from "../run/reading-context.ts";

/** The result of one look: what was looked for, or `again`. */
export type LookResult<T> = { readonly found: T } | "again";

/** Returns how long to pause before another look, so that it shows everything that an earlier look has shown, if the environment declares `readLag`. */
export function pauseBetweenLooks({ readLagMs = 0 }: Pick<Target, "readLagMs">, usualMs: number): number {
  return Math.max(usualMs, Math.min(readLagMs, LIMITS.settleMs));
}

/**
 * Looks until something is found, the time is over (`late`), or the run must stop (`stopping`). Pauses grow by the backoff. Each look
 * receives the time until which it may wait for a busy service, by the clock's elapsed time.
 */
export async function lookUntil<T>(
  context: ReadingContext,
  about: { address: string; for: string; wait: Waiting },
  look: (by: number) => Promise<LookResult<T>>,
): Promise<T | "late" | "stopping"> {
  const { clock } = context.ports;
  const deadline = clock.elapsed() + about.wait.timeoutMs;
  for (let looks = 1; ; looks++) {
    if (context.stopping) return "stopping";
    const looked = await look(deadline);
    if (looked !== "again") return looked.found;
    const leftMs = deadline - clock.elapsed();
    if (leftMs <= 0) return "late";
    const now = clock.now();
    context.notify({ kind: "step.waiting", step: about.address, for: about.for, untilMs: now + leftMs, at: now });
    await context.pause(Math.min(pauseAfter(about.wait, looks), leftMs), about.address);
  }
}
