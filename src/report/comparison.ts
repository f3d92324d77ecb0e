import { isoDay, isoTime } from "../base/time/date.ts";
import { count, unmistakable } from "../base/text/text.ts";
import type { ComparedSide, Comparison, ComparisonCounts, Drift, DriftKind, Gap } from "../protocol/comparison.ts";
import { oneLine } from "./formats/foreign-text.ts";

const MOST_DRIFTS = 50;
const MOST_TOTALS = 20;

/** Describes what a comparison found: both sides with their totals, even if they agree, and each drift. */
export function comparisonLines(comparison: Comparison): readonly string[] {
  const { left, right, counts, drifts, cleared, moving, gaps } = comparison;
  const names = { left: left.name, right: right.name };
  return [
    sideLine(left),
    sideLine(right),
    ...bounded(totalLines(comparison), MOST_TOTALS, "totals"),
    countsLine(comparison),
    ...bounded(
      drifts.map((drift) => driftLine(drift, names)),
      MOST_DRIFTS,
      "drifts",
      driftTotal(counts),
    ),
    ...bounded(
      cleared.map(
        ({ id, key, since }) => `${"cleared".padEnd(STATE_CHARS)}  ${oneLine(id)}  ${keyOf(key)}, there since ${isoDay(since)}`,
      ),
      MOST_DRIFTS,
      "cleared",
      counts.cleared,
    ),
    ...bounded(
      moving.map((row) => `${"moving".padEnd(STATE_CHARS)}  ${keyOf(row.key)}: ${valuesOf(row, names)}`),
      MOST_DRIFTS,
      "moving",
      counts.moving,
    ),
    ...bounded(gaps.map(gapLine), MOST_DRIFTS, "incomplete"),
  ];
}

/** Returns how many drifts there are; a comparison may list only the first ones. */
export function driftTotal(counts: ComparisonCounts): number {
  return counts.new + counts.persisting + counts.changed + counts.acknowledged;
}

function sideLine({ name, rows, keys, sum, requests, from, to }: ComparedSide): string {
  const read = from === null || to === null ? "" : `, read ${isoTime(from)} to ${isoTime(to)}`;
  const asked = requests === 0 ? "" : ` of ${count(requests, "request")}`;
  const summed = sum === null ? "" : `, sum ${sum}`;
  return `${leading(name)}: ${count(rows, "row")}${asked}, ${count(keys, "key")}${summed}${read}`;
}

// A side's name at the beginning of a line must not look like a command to a log reader.
function leading(name: string): string {
  return oneLine(name).replace(/^(?=\s*::)/, "| ");
}

// If a read did not finish, two totals cannot be compared.
function totalLines({ totalsOf, totals, gaps }: Comparison): readonly string[] {
  return totals.map(({ of, left, right }) => {
    const compared = gaps.length > 0 ? "and" : left === right ? "=" : "≠";
    const asRead = gaps.length > 0 ? ", of the rows that were read" : "";
    return `total of ${oneLine(totalsOf ?? "")} ${oneLine(of)}: ${left} ${compared} ${right}${asRead}`;
  });
}

/** Returns how many keys were compared, with the result. */
export function countsLine({ counts, looks }: Comparison): string {
  const parts = Object.entries(COUNTS).flatMap(([field, word]) => {
    const number = counts[field as keyof typeof COUNTS];
    return number === 0 ? [] : [`${number} ${word}`];
  });
  const all = parts.length > 0 ? parts.join(", ") : counts.compared === 0 ? "nothing to compare" : "no drift";
  const { tolerated = 0 } = counts;
  const near = tolerated === 0 ? "" : `, ${tolerated} within the tolerance`;
  return `${count(counts.compared, "key")} compared in ${count(looks, "look")}: ${all}${near}`;
}

const COUNTS: Readonly<Record<Exclude<keyof ComparisonCounts, "compared" | "tolerated">, string>> = {
  new: "new",
  persisting: "persisting",
  changed: "changed since acknowledged",
  acknowledged: "acknowledged",
  cleared: "cleared",
  moving: "moving",
  settled: "settled while comparing",
  notCompared: "not compared",
};

/** The names of two sides. */
export type SideNames = Readonly<Record<"left" | "right", string>>;

/** Describes one drift on a line: its state, its id, its key, and both values. */
export function driftLine(drift: Drift, sides: SideNames): string {
  return `${drift.state.padEnd(STATE_CHARS)}  ${oneLine(drift.id)}  ${keyOf(drift.key)}: ${wordsOf(drift, sides)}${knownOf(drift)}`;
}

const STATE_CHARS = "acknowledged".length;

/** Describes how two sides differ. */
export function wordsOf({ kind, ...drift }: Drift, sides: SideNames): string {
  switch (kind) {
    case "differs":
      return `${valuesOf(drift, sides)}, difference ${drift.difference ?? "unknown"}`;
    case "unit":
      return `${valuesOf(drift, sides)}: the same digits in another unit`;
    case "missing-left":
      return `${kindWords(kind, sides)}; ${oneLine(sides.right)} ${drift.right ?? "has it"}`;
    case "missing-right":
      return `${kindWords(kind, sides)}; ${oneLine(sides.left)} ${drift.left ?? "has it"}`;
    case "duplicate-left":
    case "duplicate-right":
      return kindWords(kind, sides);
  }
}

/** Describes the kind of a drift in a few words, with the name of a side if needed. */
export function kindWords(kind: DriftKind, sides: SideNames): string {
  switch (kind) {
    case "differs":
      return "differs";
    case "unit":
      return "other unit";
    case "missing-left":
      return `missing in ${oneLine(sides.left)}`;
    case "missing-right":
      return `missing in ${oneLine(sides.right)}`;
    case "duplicate-left":
      return `more than once in ${oneLine(sides.left)}`;
    case "duplicate-right":
      return `more than once in ${oneLine(sides.right)}`;
  }
}

/** Describes both values of a row. */
export function valuesOf({ left, right }: Pick<Drift, "left" | "right">, sides: SideNames): string {
  return `${oneLine(sides.left)} ${left ?? "nothing"}, ${oneLine(sides.right)} ${right ?? "nothing"}`;
}

function knownOf({ state, since, acknowledged }: Drift): string {
  const until =
    acknowledged === null
      ? ""
      : ` until ${lastDayOf(acknowledged.until)} by ${oneLine(acknowledged.who)}: ${oneLine(acknowledged.because)}`;
  if (state === "acknowledged") return `; acknowledged${until}`;
  if (state === "changed") return `; acknowledged with other values${until}`;
  return state === "persisting" ? `; since ${isoDay(since)}` : "";
}

/** Formats a key as `holder alice, token T1`. */
export function keyOf(key: Drift["key"]): string {
  return Object.entries(key)
    .map(([part, value]) => `${oneLine(part)} ${visible(oneLine(unmistakable(value)))}`)
    .join(", ");
}

// Two keys must not look the same if they differ only by a space, or by how a letter is composed.
function visible(value: string): string {
  return value === "" || value !== value.trim() ? `"${value}"` : value;
}

function gapLine({ side, of, message }: Gap): string {
  return `not read to its end: ${oneLine(of)} (${oneLine(side)}): ${oneLine(message)}`;
}

function bounded(lines: readonly string[], limit: number, what: string, all: number = lines.length): readonly string[] {
  const shown = lines.slice(0, limit);
  return all <= shown.length ? shown : [...shown, `… and ${all - shown.length} more ${what}`];
}

/** Returns the last day of an acknowledgement, as it was typed. `until` is the moment at which the acknowledgement ends. */
export function lastDayOf(until: number): string {
  return isoDay(until - 1);
}

/** Returns a sentence, without its full stop, that the last runs of some comparisons did not finish them. */
export function unfinishedWords(comparisons: number): string {
  const were = comparisons === 1 ? "was not finished by its last run" : "were not finished by their last runs";
  return `${count(comparisons, "comparison")} ${were}, so there may be drifts that are not listed`;
}
