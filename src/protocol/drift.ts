import type { Json } from "../base/json.ts";
import type { Drift, Quantity } from "./comparison.ts";

/** By what a comparison is known from run to run. */
export interface ComparisonName {
  readonly environment: string;
  /** The file of the playbook that is run: two may have the same title. */
  readonly playbook: string;
  /** The comparison's id, with the steps that include it before it. */
  readonly comparison: string;
  /** As the playbook says it; empty where it says nothing. */
  readonly scope: string;
}

/** A drift with all that is known of it. */
export interface KnownDrift extends Drift {
  readonly of: ComparisonName;
  readonly title: string;
  readonly sides: { readonly left: string; readonly right: string };
  readonly lastSeen: number;
  readonly lastRun: string;
  /** Null while it is there. */
  readonly clearedAt: number | null;
}

/** A drift with its history and what both sides said when it was seen last. */
export interface ExplainedDrift extends KnownDrift {
  readonly evidence: Json;
  readonly history: readonly HistoryEntry[];
}

/** Something that happened to a drift, in order. */
export interface HistoryEntry {
  readonly at: number;
  readonly what: "seen" | "cleared" | "acknowledged";
  /** The run, or the person. */
  readonly by: string;
  readonly left: Quantity | null;
  readonly right: Quantity | null;
  readonly difference: Quantity | null;
  /** `acknowledged`: why, and until when. */
  readonly because: string | null;
  readonly until: number | null;
}
