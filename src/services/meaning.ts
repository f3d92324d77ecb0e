import type { Json, JsonObject } from "../base/json/json.ts";
import type { OperationName } from "../contract/contract.ts";
import type { Profile } from "../contract/profile.ts";
import type { GivenNames } from "./given-names.ts";
import type { PredictableWrite } from "./predictable-write.ts";
import type { Probe } from "./probe.ts";
import { canUndo, type Sets, type Setter } from "./sets.ts";
import type { JsonSchema } from "../contract/schema-types.ts";

/** The effect of a second request of the same write. It decides what may happen after an answer was lost, and no playbook can change it. */
export type EffectClass =
  /** Changes nothing: may be repeated freely. */
  | "read"
  /** The service refuses a second one. */
  | "unique"
  /** Sets a value: a second one changes nothing, unless something else was written in between. */
  | "absolute"
  /** Has our mark in a free field, by which it can be found again. */
  | "marked"
  /** Moves a named thing from one state to another, once. */
  | "transition"
  /** Adds: a second one adds again. */
  | "additive";

/** A name that later steps can use: `steps.ID.NAME`. */
export interface Yield {
  /** Whether it is one text or a list of texts. */
  readonly type: "string" | "list<string>";
  /** The kind of its id in the contract's `x-id`. */
  readonly id: string;
  /** What the value is, in words. */
  readonly description: string;
  /** Takes the value from the input, the answer and the found record. */
  readonly from: (written: Written) => Json | undefined;
}

/** All that is known of a write that has taken effect. */
export interface Written {
  /** The input of the write as it was sent. */
  readonly input: JsonObject;
  /** The answer of the service, without its envelope. */
  readonly payload: Json;
  /** The record that the operation's discovery found. */
  readonly found: JsonObject | undefined;
  /** What the environment says of the service where the description leaves it open. */
  readonly profile: Profile;
}

/** How to find, by reading, an id that a Write result does not name. */
export interface Discovery {
  /** The operation that reads the records to look through. */
  readonly read: OperationName;
  /** Returns the input of that read, from the input of the write. */
  readonly with: (input: JsonObject) => JsonObject;
  /** Returns whether a record is the one with this mark. */
  readonly matches: (record: JsonObject, mark: string) => boolean;
}

/** The meaning of an operation for a playbook: everything about it that the written contract does not say. */
export type Meaning = ReadMeaning | WriteMeaning;

/** The meanings of all operations whose names begin so: a missing one does not compile. */
export type MeaningsOf<Begin extends string> = Readonly<Record<Extract<OperationName, `${Begin}${string}`>, Meaning>>;

/** The common part of reads and writes. */
interface CommonMeaning {
  /** The list in the body whose single item is given directly in `with`. */
  readonly wraps?: string;
  /** Inputs beside those of the contract. */
  readonly inputs?: Readonly<Record<string, JsonSchema>>;
  /** Completes the input before it is sent: chosen ids, our mark, sugar. Pure, so that a resumed run gives the same input. */
  readonly complete?: (input: JsonObject, names: GivenNames, profile: Profile) => JsonObject;
  /** The additions of `complete`, in words. */
  readonly fills?: string;
  readonly yields?: Readonly<Record<string, Yield>>;
  readonly discovery?: Discovery;
  /** The `with` of an example, if a step writes it differently than the body on the wire. */
  readonly example?: JsonObject;
}

/** The meaning of a read. */
export interface ReadMeaning extends CommonMeaning {
  /** The effect class of all reads. */
  readonly effect: "read";
  /** What every record of the answer belongs to, if the request names it. */
  readonly about?: Belonging;
  /** Of a list: how the service is asked for one of its records alone. */
  readonly single?: SingleRecord;
}

/** The read of one record of a list, by the id that the record states. */
export interface SingleRecord {
  /** The operation that reads one record. */
  readonly read: OperationName;
  /** The inputs that it shares with the list, beside the id. */
  readonly shares: readonly string[];
}

/** What the records of an answer belong to. */
export interface Belonging {
  /** The input with its id. */
  readonly input: string;
  /** Returns the ids that a record states; none if it states nothing. */
  readonly ids: (record: JsonObject) => readonly Json[];
}

/** A read that is described by its effect class alone. */
export const READ: ReadMeaning = { effect: "read" };

/** A read of records that state in a field what they belong to. */
export function readAbout(input: string): ReadMeaning {
  return { effect: "read", about: { input, ids: ({ [input]: id = null }) => (id === null ? [] : [id]) } };
}

/** The meaning of a write. It always says how its effect is found, and what could undo it, because a lost answer is settled by these. */
export interface WriteMeaning extends CommonMeaning, PredictableWrite {
  /** What a second one of this write would do. */
  readonly effect: Exclude<EffectClass, "read">;
  /** How the effect of the write can be read, in words. */
  readonly readBack: string;
  /** The same, as the probe of the run. */
  readonly probe: Probe;
  /** What it sets: of two writes that set the same, the one sent first must not arrive last. */
  readonly sets: Sets;
  /** What a run does after a lost answer, in words, if that differs from other writes of its effect class. */
  readonly lost?: string;
  /** Returns why an answer without a receipt is no evidence of this very write. */
  readonly doubt?: (answered: Pick<Written, "input" | "payload" | "profile">) => string | undefined;
}

/** A write that gives something a value: a second one changes nothing. */
export function absolute(readBack: string, probe: Probe, sets: Sets): WriteMeaning {
  return { effect: "absolute", readBack, probe, sets };
}

interface LateOrLater {
  readonly meaning: WriteMeaning;
  /** `undefined` where it is not known. */
  readonly input: JsonObject | undefined;
}

/** Returns whether a request that was sent again, because that did no harm by itself, could undo a later write if it arrived after it. */
export function canUndoLate(late: LateOrLater, later: LateOrLater, profile: Profile): boolean {
  const again = late.meaning.effect === "absolute" ? "value" : "unique";
  const setter = ({ meaning: { sets }, input }: LateOrLater): Setter => ({ sets, input });
  return canUndo(setter(late), setter(later), { again, profile });
}
