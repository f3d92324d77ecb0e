import { marginal, type Row, type Sizes } from "./results.ts";
import { floorOf, ratio, type Verdict } from "./targets.ts";

/** Returns the measurements as a table for people. */
export function table(rows: readonly Row[], sizes: Sizes): string {
  const { small, middle, large, many } = sizes;
  const heading = [
    "runner",
    "chain",
    ...[small, middle, large].map((size) => `${size} ms`),
    `µs ${small}→${middle}`,
    `µs ${middle}→${large}`,
    "× floor",
    `MB ${small}`,
    `MB ${large}`,
    `${many.files} × ${many.requests} ms`,
    "× floor",
  ];
  return align([heading, ...rows.map((row) => cells(row, rows, sizes))]);
}

function cells(row: Row, rows: readonly Row[], { small, middle, large }: Sizes): readonly string[] {
  const floor = floorOf(row, rows);
  const step = marginal(row, middle, large);
  return [
    row.name,
    row.chain,
    ...[small, middle, large].map((size) => number(row.ms[size])),
    number(marginal(row, small, middle)),
    number(step),
    number(ratio(step, marginal(floor, middle, large)), 2),
    number(row.peakMb[small]),
    number(row.peakMb[large]),
    number(row.manyMs),
    number(ratio(row.manyMs, floor?.manyMs), 2),
  ];
}

/** Returns the promises as a table for people. */
export function verdictTable(all: readonly Verdict[]): string {
  const rows = all.map(({ promise, measured, limit, unit, kept }) => {
    const word = kept === undefined ? "not measured" : kept ? "ok" : "over";
    return [promise, `${number(measured, unit === "MB" ? 0 : 2)} ${unit}`, `≤ ${limit} ${unit}`, word];
  });
  return align([["promise", "measured", "target", ""], ...rows]);
}

function number(value: number | undefined, digits = 0): string {
  return value === undefined ? "–" : value.toFixed(digits);
}

// The first column is words and is aligned on the left, the others are aligned on the right.
/** Returns rows of cells as lines with aligned columns. */
export function align(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) =>
    row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0))).join("  "),
  );
  return `${lines.join("\n")}\n`;
}
