/** In what two sides differ. `unit`: one is the other in another unit, such as cents for euros. */
export type DriftKind = "differs" | "unit" | "missing-left" | "missing-right" | "duplicate-left" | "duplicate-right";

/**
 * How a drift stands since earlier runs. `new`: the run that looked at it last was the first to find it. `changed`: somebody has
 * acknowledged another difference than the one there is now.
 */
export type DriftState = "new" | "persisting" | "changed" | "acknowledged";

/**
 * An exact number in canonical spelling: no exponent, no zeros behind the last digit. A text, so that no reader of a report rounds it.
 */
export type Quantity = string;

/** What a comparison of two sides found; lists are cut at `LIMITS.driftsShown`, `counts` are not. Times are milliseconds since the Unix epoch. */
export interface Comparison {
  readonly left: ComparedSide;
  readonly right: ComparedSide;
  /** The part of the key that `totals` are of; null without them. */
  readonly totalsOf: string | null;
  readonly totals: readonly PartTotal[];
  /** How often the sides were looked at: a difference is read again before it is believed. */
  readonly looks: number;
  readonly counts: ComparisonCounts;
  readonly drifts: readonly Drift[];
  /** Drifts of earlier runs that are no more. */
  readonly cleared: readonly Pick<Drift, "id" | "kind" | "key" | "since">[];
  /** What changed while it was looked at. */
  readonly moving: readonly Pick<Drift, "key" | "left" | "right">[];
  /** What could not be read to its end: nothing is said of the rows that may be there. */
  readonly gaps: readonly Gap[];
}

/** One side of a comparison as it was read at first. */
export interface ComparedSide {
  readonly name: string;
  readonly rows: number;
  readonly keys: number;
  /** The sum of all values, a control total; null where nothing but presence is compared. */
  readonly sum: Quantity | null;
  readonly requests: number;
  /** When it was read, from the first request to the last; null when nothing was. */
  readonly from: number | null;
  readonly to: number | null;
}

/** What both sides have of one value of a key's part. */
export interface PartTotal {
  readonly of: string;
  readonly left: Quantity;
  readonly right: Quantity;
}

export interface ComparisonCounts {
  /** Keys that were held against each other. */
  readonly compared: number;
  readonly new: number;
  readonly persisting: number;
  readonly changed: number;
  readonly acknowledged: number;
  readonly cleared: number;
  readonly moving: number;
  /** Differences that were gone when they were read again. */
  readonly settled: number;
  /** Keys of which nothing can be said, because of a gap. */
  readonly notCompared: number;
}

/** A difference that was seen twice alike. */
export interface Drift {
  /** The same in each run, as long as comparison, key and kind are. */
  readonly id: string;
  readonly kind: DriftKind;
  readonly key: Readonly<Record<string, string>>;
  /** Null where the row is not there, and where rows have no value. */
  readonly left: Quantity | null;
  readonly right: Quantity | null;
  /** Left less right. */
  readonly difference: Quantity | null;
  readonly state: DriftState;
  /** When it was seen first, since it was last not there. */
  readonly since: number;
  /** `acknowledged` and `changed`: until when, by whom and why. */
  readonly acknowledged: { readonly until: number; readonly who: string; readonly because: string } | null;
}

/** The same with those that somebody has acknowledged last: where a list is cut, they give way. */
export function openFirst<T extends Pick<Drift, "state">>(drifts: readonly T[]): readonly T[] {
  const { borne = [], open = [] } = Object.groupBy(drifts, ({ state }) => (state === "acknowledged" ? "borne" : "open"));
  return [...open, ...borne];
}

/** A read of which the rows are not all known. */
export interface Gap {
  /** The name of the side. */
  readonly side: string;
  /** Which read of it. */
  readonly of: string;
  readonly code: string;
  readonly message: string;
}
