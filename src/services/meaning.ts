import type { Json, JsonObject } from "../base/json/json.ts";
import type { OperationName } from "../contract/contract.ts";
import type { Profile } from "../contract/profile.ts";
import type { GivenNames } from "./given-names.ts";
import type { PredictableWrite } from "./predictable-write.ts";
import type { Probe } from "./probe.ts";
import { canUndo, type Sets, type Setter } from "./sets.ts";
import type { JsonSchema } from "../contract/schema-types.ts";

/** The effect of a second request of the same write. It decides what may happen after a lost answer, and no playbook can change it. */
export type EffectClass =
  /** Changes nothing, so it may be repeated freely. */
  | "read"
  /** The service refuses a second one. */
  | "unique"
  /** Sets a value: a second one changes nothing, unless something else was written in between. */
  | "absolute"
  /** Has our mark in a free field, which identifies it later. */
  | "marked"
  /** Moves a named thing from one state to another, once. */
  | "transition"
  /** Adds: a second one adds again. */
  | "additive";

/** A name that later steps can use: `steps.ID.NAME`. */
export interface Yield {
  /** Whether it is one text or a list of texts. */
  readonly type: "string" | "list<string>";
  /** The kind of the id, from `x-id` in the contract. */
  readonly id: string;
  /** What the value is, in words. */
  readonly description: string;
  /** Returns the value from the input, the answer and the discovered record. */
  readonly from: (written: Written) => Json | undefined;
}

/** Everything that is known of a write that took effect. */
export interface Written {
  /** The input of the write as it was sent. */
  readonly input: JsonObject;
  /** The answer of the service, without its envelope. */
  readonly payload: Json;
  /** The record that the operation's discovery found. */
  readonly found: JsonObject | undefined;
  /** The environment's settings for what the service description leaves open. */
  readonly profile: Profile;
}

/** How to find an id by reading, if a Write result does not name it. */
export interface Discovery {
  /** The operation that reads the records to search. */
  readonly read: OperationName;
  /** Returns the input of that read, from the input of the write. */
  readonly with: (input: JsonObject) => JsonObject;
  /** Returns whether a record is the one with this mark. */
  readonly matches: (record: JsonObject, mark: string) => boolean;
}

/** The meaning of an operation for a playbook: everything about it that the written contract does not say. */
export type Meaning = ReadMeaning | WriteMeaning;

/** The meanings of all operations whose names begin with this text. If one is missing, the code does not compile. */
export type MeaningsOf<Begin extends string> = Readonly<Record<Extract<OperationName, `${Begin}${string}`>, Meaning>>;

/** The common part of reads and writes. */
interface CommonMeaning {
  /** The list in the body whose single item is given directly in `with`. */
  readonly wraps?: string;
  /** Inputs in addition to those of the contract. */
  readonly inputs?: Readonly<Record<string, JsonSchema>>;
  /** Completes the input before it is sent, with chosen ids, our mark and expanded shorthand. Pure, so that a resumed run sends the same input. */
  readonly complete?: (input: JsonObject, names: GivenNames, profile: Profile) => JsonObject;
  /** What `complete` adds, in words. */
  readonly fills?: string;
  readonly yields?: Readonly<Record<string, Yield>>;
  readonly discovery?: Discovery;
  /** The `with` of an example, if a step differs from the request body. */
  readonly example?: JsonObject;
}

/** The meaning of a read. */
export interface ReadMeaning extends CommonMeaning {
  /** The effect class of all reads. */
  readonly effect: "read";
  /** What every record of the answer belongs to, if the request names it. */
  readonly about?: Belonging;
  /** How to read a single record of a list. */
  readonly single?: SingleRecord;
}

/** The read of a single record of a list, by the id in the record. */
export interface SingleRecord {
  /** The operation that reads one record. */
  readonly read: OperationName;
  /** The inputs that it has in common with the list, in addition to the id. */
  readonly shares: readonly string[];
}

/** The thing to which the records of an answer belong. */
export interface Belonging {
  /** The input with the id of that thing. */
  readonly input: string;
  /** Returns the ids in a record; none if the record does not say. */
  readonly ids: (record: JsonObject) => readonly Json[];
}

/** The meaning of a read that needs no more than its effect class. */
export const READ: ReadMeaning = { effect: "read" };

/** Returns the meaning of a read whose records name in a field what they belong to. */
export function readAbout(input: string): ReadMeaning {
  return { effect: "read", about: { input, ids: ({ [input]: id = null }) => (id === null ? [] : [id]) } };
}

/** The meaning of a write. It always says how to find the effect, and what could undo it, because these settle a lost answer. */
export interface WriteMeaning extends CommonMeaning, PredictableWrite {
  /** What a second request of this write would do. */
  readonly effect: Exclude<EffectClass, "read">;
  /** How the effect of the write can be read, in words. */
  readonly readBack: string;
  /** The probe by which a run reads the effect. */
  readonly probe: Probe;
  /** What the write sets. Of two writes that set the same thing, the first must not arrive last. */
  readonly sets: Sets;
  /** What a run does after a lost answer, in words, if other writes of the same effect class differ. */
  readonly lost?: string;
  /** Returns why an answer without a receipt is no evidence of this very write. */
  readonly doubt?: (answered: Pick<Written, "input" | "payload" | "profile">) => string | undefined;
}

/** Returns the meaning of a write that gives something a value, so that a second request changes nothing. */
export function absolute(readBack: string, probe: Probe, sets: Sets): WriteMeaning {
  return { effect: "absolute", readBack, probe, sets };
}

interface LateOrLater {
  readonly meaning: WriteMeaning;
  /** The input; `undefined` if it is unknown. */
  readonly input: JsonObject | undefined;
}

/** Returns whether a late request could undo a later write. The request was repeated only because a repetition did no harm by itself. */
export function canUndoLate(late: LateOrLater, later: LateOrLater, profile: Profile): boolean {
  const again = late.meaning.effect === "absolute" ? "value" : "unique";
  const setter = ({ meaning: { sets }, input }: LateOrLater): Setter => ({ sets, input });
  return canUndo(setter(late), setter(later), { again, profile });
}
