import type { Json } from "../base/json/json.ts";
import type { ComparisonName, Drift } from "../protocol/comparison.ts";
import type { PersonsWord } from "../protocol/record.ts";

/** What of a comparison people want to see beside its drifts. */
export interface ComparisonWords {
  /** The name of the step that compares. */
  readonly title: string;
  /** The file of the playbook, from the folder of its project. */
  readonly file?: string;
  /** The names of the parts of its key. */
  readonly parts: readonly string[];
  /** The name of the left side. */
  readonly left: string;
  /** The name of the right side. */
  readonly right: string;
}

/** A comparison as it is kept: what people want to see, and whether its last run compared all of it, and nothing moved. */
export interface KeptWords extends ComparisonWords {
  /** Left out by an earlier version. */
  readonly isWhole?: boolean;
}

/** A difference between two sides, as it was looked at. */
export interface Difference extends Pick<Drift, "kind" | "left" | "right" | "difference"> {
  /** The parts of the key, in their order. */
  readonly key: readonly string[];
  /** All that an acknowledgement holds for, as one text: equal only where nothing of it has changed. */
  readonly values: string;
}

/** A difference that was seen twice alike, but is younger than the settle time. */
export interface YoungDifference extends Difference {
  /** Since when it has been as it is, as far as is known; milliseconds since the Unix epoch. */
  readonly since: number;
}

/** A difference that was seen twice alike, as one run saw it. */
export interface Sighting extends YoungDifference {
  /** What each side said, and when: for whoever is to explain the drift. */
  readonly evidence: Json;
}

/** What one run found of one comparison. */
export interface FoundDrifts {
  /** The run's id. */
  readonly run: string;
  /** When the run began, in milliseconds since the Unix epoch: nothing that it compares is older. */
  readonly openedAt: number;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  /** The differences that were seen twice alike. */
  readonly sightings: readonly Sighting[];
  /** The differences that are younger than the settle time. */
  readonly young: readonly YoungDifference[];
  /** The keys of all differences that are not settled, the young ones among them. */
  readonly moving: readonly (readonly string[])[];
  /** What the run has read. */
  readonly read: ReadOfRun;
}

/** What one run has read of one comparison. A read is a text that says what was asked for, where and by whom. */
export interface ReadOfRun {
  /** Whether every read came to its end. */
  readonly isComplete: boolean;
  /** Returns the reads that came to their end. */
  readonly finished: () => ReadonlySet<string>;
  /** Returns the reads that may hold a key. */
  readonly readsFor: (key: string) => ReadonlySet<string>;
  /** Returns whether all that may hold a key was read to its end, with at least one read on each side. */
  readonly hasLookedFor: (key: string) => boolean;
}

/** The drifts of a comparison after a run. */
export interface DriftsAfterRun {
  /** The comparison's name as it is kept: masked, and marked if another one looks the same. */
  readonly of: ComparisonName;
  /** The drifts that the run saw, in the order of its sightings. */
  readonly drifts: readonly Drift[];
  /** The drifts that the run found gone. */
  readonly cleared: readonly Drift[];
}

/** A person's word that a drift is known and acknowledged: as it is now, until a day. */
export interface Acknowledgement extends PersonsWord {
  /** The drift's id. */
  readonly id: string;
  /** When the acknowledgement ends, in milliseconds since the Unix epoch. */
  readonly until: number;
  /** When the word was given, in milliseconds since the Unix epoch. */
  readonly at: number;
}

/** A person's word that a drift is over, although no run has cleared it. */
export type Closing = Omit<Acknowledgement, "until">;
