import type { ReadingContext } from "../run/reading-context.ts";
import type { Place } from "../run/plan-steps.ts";

/** Completes a step as skipped when its `if` is false. The `if` of a `foreach` is evaluated once, for all its rounds. */
export function skipIfFalse(context: ReadingContext, place: Place, startedAt: number): boolean {
  const condition = place.step.if;
  if (condition === undefined || condition.holds(context.scopeAt(place))) return false;
  const value = place.step.foreach === undefined ? { outcome: "skipped" } : {};
  context.complete(place, { outcome: "skipped", value, startedAt, requests: 0 });
  return true;
}
