/** What coverage counts for each operation, with its words for people. */
export const DIMENSIONS = {
  operations: "called",
  successes: "done",
  refusals: "refusals",
  lost: "lost answers",
  parameters: "parameters",
  fields: "fields",
  codes: "status codes",
  words: "words",
} as const;

/** One of {@link DIMENSIONS}. */
export type Dimension = keyof typeof DIMENSIONS;

/** The names of the dimensions, in order. */
export const DIMENSION_NAMES: readonly Dimension[] = Object.keys(DIMENSIONS) as Dimension[];

/** The minimum coverage of some dimensions, in percent. */
export type Thresholds = { readonly [Name in Dimension]?: number };

/** The formats of the reports of coverage. */
export const COVERAGE_FORMATS = ["json", "html", "junit"] as const;
