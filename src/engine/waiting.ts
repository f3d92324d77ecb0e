import type { Waiting } from "../playbook/model.ts";
import type { Looking } from "./looking.ts";

/** How one look went: what was looked for, or `again`. */
export type Look<T> = { readonly found: T } | "again";

/** Looks until something is found, the time is over (`late`), or the run is to stop (`stopping`). Pauses grow by the backoff. */
export async function lookUntil<T>(
  context: Looking,
  about: { address: string; for: string; wait: Waiting },
  look: () => Promise<Look<T>>,
): Promise<T | "late" | "stopping"> {
  const { timeoutMs, everyMs, backoff, maxMs } = about.wait;
  const deadline = context.ports.clock.now() + timeoutMs;
  for (let pauseMs = everyMs; ; pauseMs = Math.min(pauseMs * backoff, maxMs)) {
    if (context.stopping) return "stopping";
    const looked = await look();
    if (looked !== "again") return looked.found;
    const now = context.ports.clock.now();
    if (now >= deadline) return "late";
    context.tell({ kind: "step.waiting", step: about.address, for: about.for, untilMs: deadline, at: now });
    await context.pause(Math.min(pauseMs, deadline - now));
  }
}
