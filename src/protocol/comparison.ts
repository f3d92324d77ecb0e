import type { Json } from "../base/json/json.ts";

/** How two sides differ. `unit`: they have the same quantity in different units, such as cents and euros. */
export type DriftKind = "differs" | "unit" | "missing-left" | "missing-right" | "duplicate-left" | "duplicate-right";

/**
 * The state of a drift compared with earlier runs. `new`: the latest comparison was the first to find it. `changed`: its value is no longer
 * the one that a person acknowledged.
 */
export type DriftState = "new" | "persisting" | "changed" | "acknowledged";

/** An exact number in canonical spelling, without an exponent or trailing zeros. It is a text, so that no reader of a report rounds it. */
export type Quantity = string;

/** The identity of a comparison across runs. */
export interface ComparisonName {
  /** The environment's name in tokenbook.yaml. */
  readonly environment: string;
  /** The id of the playbook, or the path of its file from the folder of the project. */
  readonly playbook: string;
  /** The comparison's id, preceded by the steps that include it. */
  readonly comparison: string;
  /** The scope from the playbook; empty if there is none. */
  readonly scope: string;
}

/** The result of comparing two sides. Lists are cut at `LIMITS.driftsShown`, `counts` are not. Times are milliseconds since the Unix epoch. */
export interface Comparison {
  /** The identity of the comparison. Older runs left it out, and also `reads` and `rows`. */
  readonly of?: ComparisonName;
  /** The left side. A difference is left minus right. */
  readonly left: ComparedSide;
  readonly right: ComparedSide;
  /** The part of the key by which `totals` are grouped; null if there are no totals. */
  readonly totalsOf: string | null;
  /** The totals in the order of the part's values. */
  readonly totals: readonly PartTotal[];
  /** How often the sides were read. A difference is read again before it counts. */
  readonly looks: number;
  readonly counts: ComparisonCounts;
  /** The drifts, unacknowledged ones first. */
  readonly drifts: readonly Drift[];
  /** Drifts of earlier runs that no longer exist. */
  readonly cleared: readonly Pick<Drift, "id" | "kind" | "key" | "since">[];
  /** Rows that changed while they were read. */
  readonly moving: readonly Pick<Drift, "key" | "left" | "right">[];
  /** Reads that did not finish. The rows that they may hold are not compared. */
  readonly gaps: readonly Gap[];
  /** The first reads of the first look, at most `LIMITS.readsKept`. */
  readonly reads?: readonly ComparedRead[];
  /** How many reads were made, kept or not. */
  readonly readCount?: number;
  /** The first rows in the order of their keys, at most `LIMITS.rowsKept`, as they were read first. */
  readonly rows?: readonly ComparedRow[];
}

/** What one read requested, and its time from the first request to the last answer. */
export interface ComparedRead {
  /** The name of the side, or the names of both. */
  readonly side: string;
  /** An operation, or the expression that gave the rows. */
  readonly operation: string;
  /** The input of the operation; null for an expression. */
  readonly input: Json;
  /** Who made the read, by the name that reports show; null without an actor. */
  readonly actor: string | null;
  /** The entity or the credential of the read, as `call --as` takes it; null for the key's own entity. Left out by older runs. */
  readonly as?: string | null;
  /** How many pages were read. */
  readonly pages: number;
  /** How many rows were taken. */
  readonly rows: number;
  /** The time before its first request. */
  readonly from: number;
  /** The time of its last page. */
  readonly to: number;
}

/** The rows of one key on both sides. A value is null if there is no row, or if only presence is compared. */
export interface ComparedRow {
  /** The parts of the key by their names. */
  readonly key: Readonly<Record<string, string>>;
  /** How many rows of the left side have the key. */
  readonly leftRows: number;
  readonly rightRows: number;
  /** The value of the left side, or the sum of its rows. */
  readonly left: Quantity | null;
  readonly right: Quantity | null;
}

/** One side of a comparison, as it was read first. */
export interface ComparedSide {
  /** The operation that the side reads, or the name that the playbook gives to the side. */
  readonly name: string;
  /** How many rows the side has. */
  readonly rows: number;
  /** How many different keys its rows have. */
  readonly keys: number;
  /** The sum of all values, as a control total; null if only presence is compared. */
  readonly sum: Quantity | null;
  /** How many requests all looks made. */
  readonly requests: number;
  /** The time of the first request; null if nothing was read. */
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
  /** Compared keys whose values differ within the tolerance. Older runs left it out. */
  readonly tolerated?: number;
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

/** A difference that was seen twice with the same values. */
export interface Drift {
  /** The id, which is the same in each run for the same comparison, key and kind. */
  readonly id: string;
  readonly kind: DriftKind;
  /** The parts of the key by their names. */
  readonly key: Readonly<Record<string, string>>;
  /** The value of the left side; null if there is no row, or rows have no value. */
  readonly left: Quantity | null;
  readonly right: Quantity | null;
  /** Left minus right. */
  readonly difference: Quantity | null;
  readonly state: DriftState;
  /** When it was first seen after it was last absent. */
  readonly since: number;
  /** For `acknowledged` and `changed`: until when, by whom and why it was acknowledged. */
  readonly acknowledged: { readonly until: number; readonly who: string; readonly because: string } | null;
}

/** Returns the drifts with acknowledged ones last, so that a shortened list loses those first. */
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
  /** The name of the read. */
  readonly of: string;
  /** The code, as in the problem of a step. */
  readonly code: string;
  /** What went wrong. */
  readonly message: string;
}
