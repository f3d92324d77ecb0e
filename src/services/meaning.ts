import type { Json, JsonObject } from "../base/json.ts";
import type { OperationName } from "../contract/contract.ts";
import type { Profile } from "../contract/profile.ts";
import type { GivenNames } from "./given-names.ts";
import type { Foretelling } from "./foretelling.ts";
import type { Probe } from "./probe.ts";
import type { Sets } from "./sets.ts";
import type { JsonSchema } from "../contract/schema-types.ts";

/**
 * What a second sending of the same write would do. It decides what may happen after an answer was lost, and no playbook can
 * switch it off.
 */
export type EffectClass =
  /** Changes nothing: may be asked as often as one likes. */
  | "read"
  /** The service refuses a second one. */
  | "unique"
  /** Sets a value: a second one changes nothing, unless something else was written in between. */
  | "absolute"
  /** Carries our mark in a free field, by which it can be found again. */
  | "marked"
  /** Moves a named thing from one state to another, once. */
  | "transition"
  /** Adds: a second one adds again. */
  | "additive";

/** A name that later steps can use: `steps.ID.NAME`. */
export interface Yield {
  readonly type: "string" | "list<string>";
  /** What it identifies, in the words of the contract's `x-id`. */
  readonly id: string;
  readonly description: string;
  /** Takes the value out of what was sent, answered and found. */
  readonly from: (written: Written) => Json | undefined;
}

/** All that is known of a write once it has taken effect. */
export interface Written {
  readonly input: JsonObject;
  readonly payload: Json;
  /** The record that the operation's discovery found. */
  readonly found: JsonObject | undefined;
  readonly profile: Profile;
}

/** How to find, by reading, what a Write result does not name. */
export interface Discovery {
  readonly read: OperationName;
  readonly with: (input: JsonObject) => JsonObject;
  /** Whether a record read back is the one that carries this mark. */
  readonly matches: (record: JsonObject, mark: string) => boolean;
}

/** What an operation means for a playbook: everything about it that the written contract does not say. */
export type Meaning = ReadMeaning | WriteMeaning;

/** What the operations mean whose names begin so: one that is missing does not compile. */
export type MeaningsOf<Begin extends string> = Readonly<Record<Extract<OperationName, `${Begin}${string}`>, Meaning>>;

/** What reads and writes have in common. */
interface CommonMeaning {
  /** The list inside the body whose one item stands directly in `with`. */
  readonly wraps?: string;
  /** Inputs beside those of the contract. */
  readonly inputs?: Readonly<Record<string, JsonSchema>>;
  /** Completes the input before it is sent: chosen ids, our mark, sugar. Pure, so that a resumed run gives the same. */
  readonly complete?: (input: JsonObject, names: GivenNames, profile: Profile) => JsonObject;
  /** What `complete` fills in, in words. */
  readonly fills?: string;
  readonly yields?: Readonly<Record<string, Yield>>;
  readonly discovery?: Discovery;
  /** The `with` of an example, where a step would say it otherwise than the body on the wire. */
  readonly example?: JsonObject;
}

/** What a read means. */
export interface ReadMeaning extends CommonMeaning {
  readonly effect: "read";
}

/** What a write means. How its effect is found, and what could undo it, is never left open: a lost answer is settled by these. */
export interface WriteMeaning extends CommonMeaning, Foretelling {
  readonly effect: Exclude<EffectClass, "read">;
  /** How one can see that the write took effect, in words. */
  readonly readBack: string;
  /** The same, for the run. */
  readonly probe: Probe;
  /** What it sets: of two writes that set the same, the one sent first must not arrive last. */
  readonly sets: Sets;
  /** What a run does when the answer is lost, in words, where that differs from other writes of its effect. */
  readonly lost?: string;
  /** Why an answer, of an operation whose answer names no receipt, is no evidence that this very write was done. */
  readonly doubt?: (answered: Pick<Written, "input" | "payload" | "profile">) => string | undefined;
}
