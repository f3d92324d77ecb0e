import type { Json } from "../base/json/json.ts";
import type { Drift, DriftKind, Quantity } from "../protocol/comparison.ts";

/** What of a comparison people want to see beside its drifts. */
export interface ComparisonWords {
  /** The name of the step that compares. */
  readonly title: string;
  /** The names of the parts of its key. */
  readonly parts: readonly string[];
  /** The name of the left side. */
  readonly left: string;
  /** The name of the right side. */
  readonly right: string;
}

/** A difference that was seen twice alike, as one run saw it. */
export interface Sighting {
  /** The parts of the key, in their order. */
  readonly key: readonly string[];
  /** How the two sides differ. */
  readonly kind: DriftKind;
  /** Null where the row is not there, and where rows have no value. */
  readonly left: Quantity | null;
  /** Null where the row is not there, and where rows have no value. */
  readonly right: Quantity | null;
  /** Left minus right; null where one of them has no value. */
  readonly difference: Quantity | null;
  /** What each side said, and when: for whoever is to explain the drift. */
  readonly evidence: Json;
}

/** A difference that is younger than the settle time, and since when it has been as it is. */
export interface YoungDifference extends Omit<Sighting, "evidence"> {
  /** Milliseconds since the Unix epoch. */
  readonly since: number;
}

/** What one run found of one comparison. */
export interface FoundDrifts {
  /** The run's id. */
  readonly run: string;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  /** The differences that were seen twice alike. */
  readonly sightings: readonly Sighting[];
  /** The differences that are younger than the settle time. */
  readonly young: readonly YoungDifference[];
  /** Whether a drift of this key, seen before and not now, is surely no more; not where nothing was read, a read failed, or what moves is not settled. */
  readonly isGone: (key: string) => boolean;
}

/** The drifts of a comparison after a run. */
export interface DriftsAfterRun {
  /** The drifts that the run saw, in the order of its sightings. */
  readonly drifts: readonly Drift[];
  /** The drifts that the run found gone. */
  readonly cleared: readonly Drift[];
}

/** A person's word that a drift is known and acknowledged: as it is now, until a day. */
export interface Acknowledgement {
  /** The drift's id. */
  readonly id: string;
  /** The name of the person. */
  readonly who: string;
  /** Why, in the person's words. */
  readonly because: string;
  /** When the acknowledgement ends, in milliseconds since the Unix epoch. */
  readonly until: number;
  /** When the word was given, in milliseconds since the Unix epoch. */
  readonly at: number;
}

/** A person's word that a drift is over, although no run has cleared it. */
export type Closing = Omit<Acknowledgement, "until">;
