import type { Json } from "../base/json/json.ts";
import type { ComparisonName, Drift, Quantity } from "./comparison.ts";

/** A comparison that an earlier run has made. */
export interface KnownComparison {
  readonly of: ComparisonName;
  /** The comparison's title in the playbook. */
  readonly title: string;
  /** Whether the last run that began it did not compare all rows, or left values moving. Then there may be unknown drifts. */
  readonly isUnfinished: boolean;
}

/** A drift with everything that is known about it. */
export interface KnownDrift extends Drift {
  /** The comparison that found it. */
  readonly of: ComparisonName;
  /** The comparison's title in the playbook. */
  readonly title: string;
  /** The names of the two sides. */
  readonly sides: { readonly left: string; readonly right: string };
  /** When a run saw it last, in milliseconds since the Unix epoch. */
  readonly lastSeen: number;
  /** The id of the run that saw it last. */
  readonly lastRun: string;
  /** When the drift was cleared; null while it exists. */
  readonly clearedAt: number | null;
}

/** A drift with its history and the rows of both sides when it was last seen. */
export interface ExplainedDrift extends KnownDrift {
  /** The rows of both sides, and the requests that gave them. */
  readonly evidence: Json;
  /** The history, the oldest entry first. */
  readonly history: readonly HistoryEntry[];
}

/** An event in the history of a drift. */
export interface HistoryEntry {
  /** When it happened, in milliseconds since the Unix epoch. */
  readonly at: number;
  /** `cleared`: a run found the drift gone. `closed`: a person ended it. */
  readonly what: "seen" | "cleared" | "acknowledged" | "closed";
  /** The id of the run, or the name of the person. */
  readonly by: string;
  /** The value of the left side at that time. */
  readonly left: Quantity | null;
  readonly right: Quantity | null;
  /** Left minus right. */
  readonly difference: Quantity | null;
  /** For `acknowledged` and `closed`: the reason. */
  readonly because: string | null;
  /** For `acknowledged`: until when, in milliseconds since the Unix epoch. */
  readonly until: number | null;
}
