import { describeFault, type Fault } from "./faults.ts";
import type { Course } from "./schedule.ts";
import type { Simulated } from "./simulate.ts";
import type { Broken, Counts, Tally } from "./tally.ts";

const MOST_SHOWN = 10;

/** Returns a tally as a table. */
export function showTally({ schedules, outcomes, faults, boundaries, broken }: Tally, seconds: number): string {
  const rate = Math.round(schedules / seconds);
  return [
    `${schedules.toLocaleString("en")} schedules in ${seconds.toFixed(1)} s (${rate.toLocaleString("en")} a second)`,
    "",
    ...table("how the runs ended", outcomes),
    ...table("what befell them", faults),
    ...table("at which records commits failed or the process died", boundaries),
    `violations  ${broken.length.toLocaleString("en")}`,
    ...broken.slice(0, MOST_SHOWN).map(showBroken),
    "",
  ].join("\n");
}

function table(title: string, counts: Counts): readonly string[] {
  const rows = Object.entries(counts).toSorted(([, a], [, b]) => b - a);
  const width = Math.max(...rows.map(([name]) => name.length), 0);
  const total = rows.reduce((sum, [, number]) => sum + number, 0);
  const lines = rows.map(([name, number]) => `  ${name.padEnd(width)}  ${number.toLocaleString("en").padStart(9)}`);
  return [`${title} (${total.toLocaleString("en")})`, ...lines, ""];
}

function showBroken({ seed, breach, what }: Broken): string {
  return `  ${breach}: ${what}\n    ${replay(seed)}`;
}

function showCourse({ steps, faults, by }: Course, struck: readonly Fault[]): readonly string[] {
  return [
    ...(by === undefined ? [] : [`by ${by}`, ""]),
    ...steps.map(({ text }) => text.trimEnd()),
    "",
    ...faults.map((fault) => `fault: ${describeFault(fault)}${struck.includes(fault) ? "" : " (struck nothing)"}`),
    "",
  ];
}

/** Returns the command that repeats a schedule. */
export function replay(seed: number): string {
  return `npm run simulate -- --seed ${seed}`;
}

/** Describes a schedule: its steps, its faults, what happened, and which promise was broken. */
export function showSimulated({ schedule, struck, outcome, violations, story }: Simulated): string {
  const { seed, steps, faults, skewMs, settleWithinMs, readLagMs, isKeyed = false, varieties = [], company } = schedule;
  return [
    [
      `seed ${seed}: ${steps.length} steps, ${faults.length} faults`,
      ...(skewMs === 0 ? [] : [`the service's clock ${skewMs / 1_000} s ahead`]),
      ...(isKeyed ? ["by a caller's key"] : []),
      ...(settleWithinMs === undefined ? [] : [`settleWithin ${settleWithinMs / 1_000} s`]),
      ...(readLagMs === undefined ? [] : [`readLag ${readLagMs / 1_000} s`]),
      ...varieties.map(({ name }) => name),
    ].join(", "),
    "",
    ...showCourse({ steps, faults }, struck),
    ...(company === undefined ? [] : ["Another run at the same time:", "", ...showCourse(company, struck)]),
    ...story,
    "",
    `outcome: ${outcome ?? "none"}`,
    ...violations.map(({ breach, what }) => `VIOLATION, ${breach}: ${what}`),
    "",
  ].join("\n");
}
