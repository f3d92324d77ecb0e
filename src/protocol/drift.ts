import type { Json } from "../base/json/json.ts";
import type { ComparisonName, Drift, Quantity } from "./comparison.ts";

/** A comparison that some run has made. */
export interface KnownComparison {
  readonly of: ComparisonName;
  readonly title: string;
}

/** A drift with all that is known about it. */
export interface KnownDrift extends Drift {
  readonly of: ComparisonName;
  readonly title: string;
  readonly sides: { readonly left: string; readonly right: string };
  readonly lastSeen: number;
  readonly lastRun: string;
  /** Null while the drift exists. */
  readonly clearedAt: number | null;
}

/** A drift with its history and the rows of both sides when it was last seen. */
export interface ExplainedDrift extends KnownDrift {
  readonly evidence: Json;
  readonly history: readonly HistoryEntry[];
}

/** Something that happened to a drift, in order. */
export interface HistoryEntry {
  readonly at: number;
  readonly what: "seen" | "cleared" | "acknowledged" | "closed";
  /** The run, or the person. */
  readonly by: string;
  readonly left: Quantity | null;
  readonly right: Quantity | null;
  readonly difference: Quantity | null;
  /** `acknowledged`: why, and until when. `closed`: why. */
  readonly because: string | null;
  readonly until: number | null;
}
