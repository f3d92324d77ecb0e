import { type Coverage, countIn, type CoverageCount, type OperationCoverage, percentOf } from "./coverage.ts";
import { DIMENSION_NAMES, DIMENSIONS } from "./dimensions.ts";

/** Returns the coverage as lines for people. `full` lists what is not covered. */
export function coverageLines({ totals, operations }: Coverage, full: boolean): readonly string[] {
  const rows = [
    ["operation", ...Object.values(DIMENSIONS)],
    ...operations.map(({ operation, items }) => [operation, ...DIMENSION_NAMES.map((name) => cell(countIn(items[name])))]),
    ["all", ...DIMENSION_NAMES.map((name) => cell(totals[name]))],
    ["", ...DIMENSION_NAMES.map((name) => `${percentOf(totals[name])}%`)],
  ];
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  const table = rows.map((row) =>
    row.map((text, at) => (at === 0 ? text.padEnd(widths[at] ?? 0) : text.padStart(widths[at] ?? 0))).join("  "),
  );
  return full ? [...table, "", ...operations.flatMap(missingLines)] : table;
}

function cell({ covered, total }: CoverageCount): string {
  return total === 0 ? "-" : `${covered}/${total}`;
}

/** Returns what is not covered of an operation, one line for each dimension. */
export function missingLines({ operation, items }: OperationCoverage): readonly string[] {
  return DIMENSION_NAMES.flatMap((name) => {
    const missing = items[name].flatMap((item) => (item.by === null ? [item.name] : []));
    return missing.length === 0 ? [] : [`${operation}  not covered, ${DIMENSIONS[name]}: ${missing.join(", ")}`];
  });
}
