import type { Json } from "../base/json/json.ts";
import type { ComparisonName, Drift, Quantity } from "./comparison.ts";

/** A comparison that some run has made. */
export interface KnownComparison {
  readonly of: ComparisonName;
  /** The comparison's title in the playbook. */
  readonly title: string;
  /** Whether the last run that began it has not compared all of it, or left something moving: there may be drifts that are not known. */
  readonly isUnfinished: boolean;
}

/** A drift with all that is known about it. */
export interface KnownDrift extends Drift {
  /** The comparison that found it. */
  readonly of: ComparisonName;
  /** The comparison's title in the playbook. */
  readonly title: string;
  /** The names of both sides. */
  readonly sides: { readonly left: string; readonly right: string };
  /** When a run saw it last, in milliseconds since the Unix epoch. */
  readonly lastSeen: number;
  /** The id of that run. */
  readonly lastRun: string;
  /** Null while the drift exists. */
  readonly clearedAt: number | null;
}

/** A drift with its history and the rows of both sides when it was last seen. */
export interface ExplainedDrift extends KnownDrift {
  /** The rows of both sides, and the requests that gave them. */
  readonly evidence: Json;
  /** In order, the oldest first. */
  readonly history: readonly HistoryEntry[];
}

/** Something that happened to a drift, in order. */
export interface HistoryEntry {
  /** In milliseconds since the Unix epoch. */
  readonly at: number;
  /** `cleared`: a run found it gone. `closed`: a person ended it. */
  readonly what: "seen" | "cleared" | "acknowledged" | "closed";
  /** The run, or the person. */
  readonly by: string;
  /** The value that the left side had. */
  readonly left: Quantity | null;
  readonly right: Quantity | null;
  /** Left minus right. */
  readonly difference: Quantity | null;
  /** `acknowledged` and `closed`: why. */
  readonly because: string | null;
  /** `acknowledged`: until when, in milliseconds since the Unix epoch. */
  readonly until: number | null;
}
