import type { Json } from "../base/json/json.ts";
import type { CalibrationAsker, Question } from "./asker.ts";

/** What a setting means for the guarantee: by its value where that decides it, and while it is undecided. */
export interface SettingEffect {
  /** What each value means for the guarantee, in a sentence; left out where only the undecided setting means something. */
  readonly values?: readonly { readonly value: Json; readonly means: string }[];
  /** What it means that the setting is undecided, in a sentence. */
  readonly undecided: string;
}

/** What a calibration makes in a service. */
export interface AnnouncedWrites {
  /** What is written, and what each shows. */
  readonly writes: readonly string[];
  /** What stays, because the service has no call that removes it. */
  readonly stay: readonly string[];
  /** What is removed at the end. */
  readonly removed: readonly string[];
}

/** How the profile of one interface is found out. */
export interface ServiceCalibration {
  /** A read without parameters, which any caller may make and which a service answers whatever its names are. */
  readonly first: Question;
  /** Reads, and finds what they show. */
  readonly read: (asker: CalibrationAsker) => Promise<void>;
  /** Reads of things that nobody has: the service answers them with its errors. */
  readonly ofNobody: readonly Question[];
  /** Writes, and finds what that shows. Returns what stays in the service. Left out where no write can be undone. */
  readonly write?: (asker: CalibrationAsker, writing: CalibrationWriting) => Promise<readonly string[]>;
  /** What its settings mean for the guarantee, by their paths. */
  readonly effects: Readonly<Record<string, SettingEffect>>;
}

/** What the writes of a calibration are given. */
export interface CalibrationWriting {
  /** Begins every name that this calibration makes. */
  readonly tag: string;
  /** The entity that acts, such as `userId:alice`; the key's own when left out. */
  readonly as: string | undefined;
  /** Announces the writes before the first one is sent. */
  readonly announce: (announced: AnnouncedWrites) => void;
  /** Reports, when the calibration ends before its time, what may stay in the service after the removal. */
  readonly onBrokenOff: (left: readonly string[]) => void;
}
