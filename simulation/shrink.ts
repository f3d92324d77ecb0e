import type { Course, Schedule } from "./schedule.ts";
import { type Simulated, simulate } from "./simulate.ts";
import type { SimulatedStep } from "./draft.ts";
import type { World } from "./world.ts";

/** Reduces a schedule as long as it breaks the same promise: fewer faults, fewer steps, no skew. Returns the smallest one. */
export async function shrink(world: World, found: Simulated): Promise<Simulated> {
  const breaches = new Set(found.violations.map(({ breach }) => breach));
  let smallest = found;
  for (;;) {
    const smaller = await firstOf(smallerOnes(smallest.schedule), async (schedule) => {
      const tried = await simulate(world, schedule);
      return tried.violations.some(({ breach }) => breaches.has(breach)) ? tried : undefined;
    });
    if (smaller === undefined) return smallest;
    smallest = smaller;
  }
}

async function firstOf<T, R>(items: Iterable<T>, attempt: (item: T) => Promise<R | undefined>): Promise<R | undefined> {
  for (const item of items) {
    const result = await attempt(item);
    if (result !== undefined) return result;
  }
  return undefined;
}

function* smallerOnes(schedule: Schedule): Generator<Schedule> {
  const { skewMs, settleWithinMs, readLagMs, isKeyed = false, varieties = [], company } = schedule;
  if (company !== undefined) {
    yield { ...schedule, company: undefined };
    for (const smaller of smallerCourses(company)) yield { ...schedule, company: smaller };
  }
  for (const smaller of smallerCourses(schedule)) yield { ...schedule, ...smaller };
  if (settleWithinMs !== undefined) {
    const { settleWithinMs: _, ...undeclared } = schedule;
    yield undeclared;
  }
  for (const variety of varieties) yield { ...schedule, varieties: varieties.filter((each) => each !== variety) };
  if (readLagMs !== undefined) {
    const { readLagMs: _, ...undeclared } = schedule;
    yield undeclared;
  }
  if (isKeyed) yield { ...schedule, isKeyed: false };
  if (skewMs !== 0) yield { ...schedule, skewMs: 0 };
}

function* smallerCourses({ steps, faults, ...rest }: Course): Generator<Course> {
  for (const step of steps.toReversed()) {
    const fewer = without(steps, step);
    if (fewer.length > 0) yield { ...rest, steps: fewer, faults };
  }
  for (const fault of faults) yield { ...rest, steps, faults: faults.filter((each) => each !== fault) };
}

// Removes a step, and the steps that need it.
function without(steps: readonly SimulatedStep[], removed: SimulatedStep): readonly SimulatedStep[] {
  const gone = new Set([removed.id]);
  return steps.filter(({ id, needs }) => {
    if (gone.has(id) || needs.some((need) => gone.has(need))) gone.add(id);
    return !gone.has(id);
  });
}
