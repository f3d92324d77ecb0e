import type { Json } from "../base/json/json.ts";
import type { ComparisonName, Drift } from "../protocol/comparison.ts";
import type { PersonsWord } from "../protocol/record.ts";

/** What reports show of a comparison beside its drifts. */
export interface ComparisonWords {
  /** The name of the step that compares. */
  readonly title: string;
  /** The file of the playbook, relative to the project's folder. */
  readonly file?: string;
  /** The names of the parts of its key. */
  readonly parts: readonly string[];
  /** The name of the left side. */
  readonly left: string;
  /** The name of the right side. */
  readonly right: string;
}

/** A kept comparison: what reports show, and whether its last run compared everything without moving values. */
export interface KeptWords extends ComparisonWords {
  /** Left out by an earlier version. */
  readonly isWhole?: boolean;
}

/** A difference between two sides, as one look found it. */
export interface Difference extends Pick<Drift, "kind" | "left" | "right" | "difference"> {
  /** The parts of the key in order. */
  readonly key: readonly string[];
  /** Everything that an acknowledgement covers, as one text, which stays equal only if nothing of it has changed. */
  readonly values: string;
}

/** A difference that was seen twice with the same values, but is younger than the settle time. */
export interface YoungDifference extends Difference {
  /** Since when it is known to have these values, in milliseconds since the Unix epoch. */
  readonly since: number;
}

/** A difference that one run saw twice with the same values. */
export interface Sighting extends YoungDifference {
  /** What each side showed, and when, so that a person can explain the drift. */
  readonly evidence: Json;
}

/** What one run found in one comparison. */
export interface FoundDrifts {
  /** The run's id. */
  readonly run: string;
  /** When the run began, in milliseconds since the Unix epoch. Nothing that it compares is older. */
  readonly openedAt: number;
  /** When this was found, in milliseconds since the Unix epoch. */
  readonly at: number;
  /** The differences that were seen twice with the same values. */
  readonly sightings: readonly Sighting[];
  /** The differences that are younger than the settle time. */
  readonly young: readonly YoungDifference[];
  /** The keys of all differences that are still moving, including the young ones. */
  readonly moving: readonly (readonly string[])[];
  /** What the run has read. */
  readonly read: ReadOfRun;
}

/** The reads of one run for one comparison. A read is a text that says what was requested, from where and as whom. */
export interface ReadOfRun {
  /** Whether all reads finished. */
  readonly isComplete: boolean;
  /** Returns the reads that finished. */
  readonly finished: () => ReadonlySet<string>;
  /** Returns the reads that may hold a key. */
  readonly readsFor: (key: string) => ReadonlySet<string>;
  /** Returns whether all reads that may hold a key finished, with at least one read on each side. */
  readonly hasLookedFor: (key: string) => boolean;
}

/** The drifts of a comparison after a run. */
export interface DriftsAfterRun {
  /** The comparison's name as it is kept: masked, and marked if another name looks the same. */
  readonly of: ComparisonName;
  /** The drifts that the run saw, in the order of its sightings. */
  readonly drifts: readonly Drift[];
  /** The drifts that the run found gone. */
  readonly cleared: readonly Drift[];
}

/** A person's acknowledgement of a drift: with its present values, until a day. */
export interface Acknowledgement extends PersonsWord {
  /** The drift's id. */
  readonly id: string;
  /** When the acknowledgement ends, in milliseconds since the Unix epoch. */
  readonly until: number;
  /** When it was given, in milliseconds since the Unix epoch. */
  readonly at: number;
}

/** A person's statement that drifts are over, although no run has cleared them. */
export type Closing = Omit<Acknowledgement, "id" | "until">;
