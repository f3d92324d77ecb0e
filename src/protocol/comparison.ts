import type { Json } from "../base/json/json.ts";

/** How two sides differ. `unit`: they hold the same quantity in different units, such as cents and euros. */
export type DriftKind = "differs" | "unit" | "missing-left" | "missing-right" | "duplicate-left" | "duplicate-right";

/**
 * The state of a drift compared with earlier runs. `new`: the latest comparison was the first to find it. `changed`: a person has
 * acknowledged a different value than the present one.
 */
export type DriftState = "new" | "persisting" | "changed" | "acknowledged";

/**
 * An exact number in canonical spelling: no exponent, no zeros behind the last digit. A text, so that no reader of a report rounds it.
 */
export type Quantity = string;

/** The identity of a comparison across runs. */
export interface ComparisonName {
  /** Its name in tokenbook.yaml. */
  readonly environment: string;
  /** The id of the playbook that is run, or the path of its file from the folder of the project. */
  readonly playbook: string;
  /** The comparison's id, with the steps that include it before it. */
  readonly comparison: string;
  /** The scope from the playbook; empty without one. */
  readonly scope: string;
}

/** What a comparison of two sides found; lists are cut at `LIMITS.driftsShown`, `counts` are not. Times are milliseconds since the Unix epoch. */
export interface Comparison {
  /** Which comparison it is. Older runs left it out, as they did `reads` and `rows`. */
  readonly of?: ComparisonName;
  /** The side that differences are counted from: a difference is left minus right. */
  readonly left: ComparedSide;
  readonly right: ComparedSide;
  /** The part of the key that `totals` are of; null without them. */
  readonly totalsOf: string | null;
  /** In the order of the part's values. */
  readonly totals: readonly PartTotal[];
  /** How often the sides were read: a difference is read again before it counts. */
  readonly looks: number;
  readonly counts: ComparisonCounts;
  /** Those that nobody has acknowledged come first. */
  readonly drifts: readonly Drift[];
  /** Drifts of earlier runs that no longer exist. */
  readonly cleared: readonly Pick<Drift, "id" | "kind" | "key" | "since">[];
  /** Rows that changed while they were read. */
  readonly moving: readonly Pick<Drift, "key" | "left" | "right">[];
  /** Reads that did not finish: rows that they may hold are not compared. */
  readonly gaps: readonly Gap[];
  /** The first reads of the first look, at most `LIMITS.readsKept`, and how many there were. */
  readonly reads?: readonly ComparedRead[];
  /** How many reads there were, kept or not. */
  readonly readCount?: number;
  /** The first rows in the order of their keys, at most `LIMITS.rowsKept`, as first read. */
  readonly rows?: readonly ComparedRow[];
}

/** What one read asked for, and when, from the first request to the last answer. */
export interface ComparedRead {
  /** The name of the side, or of both. */
  readonly side: string;
  /** An operation, or the expression that gave the rows. */
  readonly operation: string;
  /** The input of the operation; null of an expression. */
  readonly input: Json;
  /** Who asked, by the name that reports show; null without an actor. */
  readonly actor: string | null;
  /** The entity or the credential that asked, as `call --as` takes it; null for the key's own. Left out by older runs. */
  readonly as?: string | null;
  /** How many pages it had. */
  readonly pages: number;
  /** How many rows were taken from it. */
  readonly rows: number;
  /** The time before its first request. */
  readonly from: number;
  /** The time of its last page. */
  readonly to: number;
}

/** What both sides have of one key. A value is null where there is no row, and where only presence is compared. */
export interface ComparedRow {
  /** The parts of the key, by their names. */
  readonly key: Readonly<Record<string, string>>;
  /** How many rows of the left side have the key. */
  readonly leftRows: number;
  readonly rightRows: number;
  /** The value of the left side, or the sum of its rows. */
  readonly left: Quantity | null;
  readonly right: Quantity | null;
}

/** One side of a comparison, as first read. */
export interface ComparedSide {
  /** The operation that it reads, or the name that the playbook gives it. */
  readonly name: string;
  /** How many rows there are. */
  readonly rows: number;
  /** How many different keys its rows have. */
  readonly keys: number;
  /** The sum of all values, a control total; null where nothing but presence is compared. */
  readonly sum: Quantity | null;
  /** How many requests all looks took. */
  readonly requests: number;
  /** When it was read, from the first request to the last; null when nothing was. */
  readonly from: number | null;
  /** The time of the last page; null when nothing was read. */
  readonly to: number | null;
}

/** The totals of both sides for one value of a key's part. */
export interface PartTotal {
  /** The value of the part. */
  readonly of: string;
  /** The sum of the left side's values. */
  readonly left: Quantity;
  readonly right: Quantity;
}

/** How many keys and drifts a comparison has. */
export interface ComparisonCounts {
  /** Keys that were compared. */
  readonly compared: number;
  /** Drifts that no earlier run has seen. */
  readonly new: number;
  /** Drifts that an earlier run has seen, and nobody has acknowledged. */
  readonly persisting: number;
  /** Drifts with other values than those that were acknowledged. */
  readonly changed: number;
  /** Drifts with the values that were acknowledged. */
  readonly acknowledged: number;
  /** Drifts of earlier runs that are gone. */
  readonly cleared: number;
  /** Differences that changed with each look, or are younger than the settle time. */
  readonly moving: number;
  /** Differences that were gone when they were read again. */
  readonly settled: number;
  /** Keys that could not be compared, because of a gap. */
  readonly notCompared: number;
}

/** A difference that was seen twice alike. */
export interface Drift {
  /** The same in each run, as long as comparison, key and kind are. */
  readonly id: string;
  readonly kind: DriftKind;
  /** The parts of the key, by their names. */
  readonly key: Readonly<Record<string, string>>;
  /** Null where the row is not there, and where rows have no value. */
  readonly left: Quantity | null;
  readonly right: Quantity | null;
  /** Left minus right. */
  readonly difference: Quantity | null;
  readonly state: DriftState;
  /** When it was first seen, since it was last absent. */
  readonly since: number;
  /** `acknowledged` and `changed`: until when, by whom and why. */
  readonly acknowledged: { readonly until: number; readonly who: string; readonly because: string } | null;
}

/** Returns the drifts with acknowledged ones last, so that a cut list loses those first. */
export function openFirst<T extends Pick<Drift, "state">>(drifts: readonly T[]): readonly T[] {
  const { acknowledged = [], open = [] } = Object.groupBy(drifts, ({ state }) =>
    state === "acknowledged" ? "acknowledged" : "open",
  );
  return [...open, ...acknowledged];
}

/** A read that did not give all its rows. */
export interface Gap {
  /** The name of the side. */
  readonly side: string;
  /** The read of that side. */
  readonly of: string;
  /** As of a step's problem. */
  readonly code: string;
  /** What went wrong. */
  readonly message: string;
}
