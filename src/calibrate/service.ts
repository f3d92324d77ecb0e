import type { Json } from "../base/json/json.ts";
import type { CalibrationAsker, Question } from "./asker.ts";

/** What a setting means for the guarantee: for each value that matters, and while it is undecided. */
export interface SettingEffect {
  /** What each value means for the guarantee, in one sentence. Left out if only the undecided setting means something. */
  readonly values?: readonly { readonly value: Json; readonly means: string }[];
  /** What an undecided setting means, in one sentence. */
  readonly undecided: string;
}

/** The writes that a calibration announces. */
export interface AnnouncedWrites {
  /** The writes, with what each of them shows. */
  readonly writes: readonly string[];
  /** What remains, because the service has no call that removes it. */
  readonly stay: readonly string[];
  /** What is removed at the end. */
  readonly removed: readonly string[];
}

/** How one interface is calibrated. */
export interface ServiceCalibration {
  /** A read without parameters that every caller may make, and that a service answers whatever its parameter names are. */
  readonly first: Question;
  /** Sends reads and derives findings from them. */
  readonly read: (asker: CalibrationAsker) => Promise<void>;
  /** Reads of things that do not exist, which the service answers with its errors. */
  readonly ofNobody: readonly Question[];
  /** Sends writes and derives findings from them. Returns what remains in the service. Left out if no write can be undone. */
  readonly write?: (asker: CalibrationAsker, writing: CalibrationWriting) => Promise<readonly string[]>;
  /** What its settings mean for the guarantee, by path. */
  readonly effects: Readonly<Record<string, SettingEffect>>;
}

/** What the writes of a calibration need. */
export interface CalibrationWriting {
  /** The prefix of every name in this calibration. */
  readonly tag: string;
  /** The acting entity, such as `userId:alice`. If left out, the key's own. */
  readonly as: string | undefined;
  /** Announces the writes before the first one is sent. */
  readonly announce: (announced: AnnouncedWrites) => void;
  /** If the calibration ends early, reports what may remain in the service after the removal. */
  readonly onBrokenOff: (left: readonly string[]) => void;
}
