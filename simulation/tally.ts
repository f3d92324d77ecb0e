import type { Simulated } from "./simulate.ts";
import type { Breach } from "./witness.ts";

/** Counts by name. */
export type Counts = Record<string, number>;

/** A schedule that broke a promise. */
export interface Broken {
  readonly seed: number;
  readonly breach: Breach;
  readonly what: string;
}

/** The combined results of many schedules. */
export interface Tally {
  schedules: number;
  readonly outcomes: Counts;
  /** How often each fault struck. */
  readonly faults: Counts;
  /** At which boundary a commit of the journal failed, or the process died. */
  readonly boundaries: Counts;
  readonly broken: Broken[];
}

export function emptyTally(): Tally {
  return { schedules: 0, outcomes: {}, faults: {}, boundaries: {}, broken: [] };
}

export function count(tally: Tally, { schedule, outcome, struck, violations }: Simulated): void {
  tally.schedules++;
  add(tally.outcomes, outcome ?? "no end");
  for (const fault of struck) {
    add(tally.faults, fault.what.name);
    if (fault.at === "commit") add(tally.boundaries, fault.boundary);
  }
  for (const { breach, what } of violations) tally.broken.push({ seed: schedule.seed, breach, what });
}

/** Adds one tally to another. */
export function merge(into: Tally, other: Tally): void {
  into.schedules += other.schedules;
  for (const part of ["outcomes", "faults", "boundaries"] as const) {
    for (const [name, number] of Object.entries(other[part])) add(into[part], name, number);
  }
  into.broken.push(...other.broken);
}

function add(counts: Counts, name: string, number = 1): void {
  counts[name] = (counts[name] ?? 0) + number;
}
