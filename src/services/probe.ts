import type { Json, JsonObject } from "../base/json/json.ts";
import { present } from "../base/present.ts";
import type { OperationName } from "../contract/contract.ts";
import type { Profile } from "../contract/profile.ts";
import type { GivenNames } from "./given-names.ts";
import { maybeSame } from "./same-id.ts";

/**
 * How to find the outcome of a write by reading. A probe says what to read, and what the readings show. The protocol decides whether this
 * is enough.
 */
export interface Probe {
  /** Returns what to read before the write is sent, by name. The readings are kept with the intent. */
  readonly before?: (sent: Sent) => Reads;
  /** Returns what to read if the outcome is unknown. */
  readonly after: (sent: Sent) => Reads;
  /** Returns the part of the earlier readings that is needed later; by default all of them. */
  readonly keep?: (read: Readings, sent: Sent) => Readings;
  /** Returns the transactions in the kept readings. None of them can belong to this write. */
  readonly known?: (kept: Readings) => readonly Json[];
  /** Returns how many parts of the write may happen independently; by default one. */
  readonly parts?: (sent: Sent) => number;
  /** Returns whether the effect of a rival could be mistaken for that of this write; by default if their inputs are equal. */
  readonly isAlike?: (rival: OtherWrite, sent: Sent) => boolean;
  /** Judges the readings. Pure. */
  readonly judge: (evidence: Evidence) => Sight;
}

/** Reads by name. */
export type Reads = Readonly<Record<string, ProbeRead>>;

/** A read to its last page. */
export interface ProbeRead {
  /** The operation that is called. */
  readonly operation: OperationName;
  /** The input of the call. */
  readonly input: JsonObject;
  /** Whether the read is optional, so that a refusal is ignored. */
  readonly optional?: true;
  /** Returns whether the judgement needs a record of the list. Other records are not kept in memory, however many there are. */
  readonly keeps?: (record: JsonObject, known: KnownBefore) => boolean;
}

/** What is known before a probe reads. */
export type KnownBefore = Pick<Evidence, "since" | "rivals" | "bystanders" | "earlier">;

/** The results of reads by name; null if the service says that the thing does not exist. */
export type Readings = JsonObject;

/** A write as it was sent, or will be. */
export interface Sent {
  /** The input, with chosen ids and our mark. */
  readonly input: JsonObject;
  /** The acting entity in the service's form: `{orgId, userId}`; `undefined` if the key acts for itself and its entity is unknown. */
  readonly actor: JsonObject | undefined;
  /** The names that the run gives to the things that this step makes. */
  readonly names: GivenNames;
  /** The environment's settings for what the service description leaves open. */
  readonly profile: Profile;
}

/** A write, and everything that was read about it. */
export interface Evidence extends Sent {
  /** The kept readings before the write; `undefined` if one of them failed. */
  readonly before: Readings | undefined;
  /** The service's own time of those readings, in milliseconds and rounded down to the second; `undefined` if the service gave none. */
  readonly since: number | undefined;
  /** The present readings. */
  readonly now: Readings;
  /** Whether the service refused one of the optional reads, so that an effect may be there but not visible. */
  readonly isPartial?: boolean;
  /** Other writes of this operation that were in progress at the same time, or whose steps were complete before but that may still arrive. */
  readonly rivals: readonly OtherWrite[];
  /** Writes of other operations at the same time. */
  readonly bystanders: readonly OtherWrite[];
  /** For a part of a write: the inputs of the other parts. */
  readonly siblings?: readonly JsonObject[];
  /**
   * The writes of the run that were complete before this one, and those of runs that ended shortly before it. A reading may show a moment
   * before them.
   */
  readonly earlier: readonly OtherWrite[];
  /** Returns whether a transaction has already proven another step. */
  readonly isSpent: (id: string) => boolean;
}

/** Another write whose record could be mistaken for that of this write. */
export interface OtherWrite {
  /** The full name of its operation. */
  readonly operation: string;
  /** The input with which it was sent, from the journal. A mask in it hides a secret, which may be anything. */
  readonly input: JsonObject;
  /** Its acting entity; `undefined` if it is unknown, or callers have none. */
  readonly actor: JsonObject | undefined;
  /** The transactions that prove it, if they are known. */
  readonly transactions: readonly string[];
}

/**
 * What a sight rests on. This matters because the service may answer any read with an earlier moment. `record`: something that no earlier
 * moment can show and only this write can have left, such as our id, our mark, or what the service wrote after the intent. `readings`: the
 * values of two moments, or something missing. These count only if the environment says how old a reading may be.
 */
export type Rests = "record" | "readings";

/** The effect of the write, once. */
export interface SeenEffect {
  readonly seen: "effect";
  /** What distinguishes it from every other effect. */
  readonly by: JsonObject;
  readonly rests: Rests;
  readonly again?: Repeatability;
  /** Whether the readings show that the write's own actor left the value, so that nobody else has set the same. */
  readonly isActors?: boolean;
  /** The ledger's own id of the transaction, if known. */
  readonly transactionId?: string;
  /** The records that prove this write, and so can prove no other. */
  readonly spends?: readonly string[];
}

/** What the readings show. */
export type Sight =
  | SeenEffect
  /** No trace. `again`: why one more request does no harm, even if the first one arrives. */
  | { readonly seen: "nothing"; readonly again?: Repeatability }
  /** The value that the write sets was already set before it and is still set, according to readings of both moments. */
  | { readonly seen: "unchanged"; readonly by: JsonObject; readonly again: Repeatability }
  /** The present state contradicts the write: its effect occurred twice, in part, or differently. */
  | { readonly seen: "conflict"; readonly why: string; readonly rests: Rests }
  /** The readings do not decide. */
  | { readonly seen: "unclear"; readonly why: string; readonly again?: Repeatability };

/**
 * Why a repetition does no harm. `unique`: the service refuses a second one. `fence`: a cap leaves no room for a second one. `value`: a
 * second one sets the same value. `never`: the service cannot do the write in the present state.
 */
export type Repeatability = "unique" | "fence" | "value" | "never";

/** Two writes that look the same in every reading cannot be distinguished. */
export const TWIN: Sight = {
  seen: "unclear",
  why: "a write that looks the same was sent at the same time, and the two cannot be distinguished",
};

/** The readings before the write failed, so nothing can be compared with them. */
export const UNREAD: Sight = { seen: "unclear", why: "the state before the write could not be read" };

/** The readings show different moments. Another look may show both at the same moment. */
export const APART: Sight = { seen: "unclear", why: "the readings show different moments of the service" };

/** The key acts for itself, and the environment does not name its entity. So anybody may have caused the effect. */
export const NAMELESS: Sight = {
  seen: "unclear",
  why: "the environment does not say who its key is (ledger.keyEntity), so the write cannot be attributed to it",
};

/**
 * Returns what follows from a thing that does not exist. `before` is what was read of it before the write: null if it did not exist then
 * either. If the thing existed and is gone, no effect can be called missing.
 */
export function inNothing(before: Json | undefined): Sight {
  return before === null ? { seen: "nothing" } : GONE;
}

const GONE: Sight = { seen: "unclear", why: "the thing that was read before the write does not exist any more" };

/** Returns the parts of a write, each in the place of its readings; `undefined` for a part that was combined with another. */
export type Split = (sent: Sent) => readonly (Sent | undefined)[];

/** Returns the probe of a write with several parts of one kind. Each part is judged separately, and all must agree. */
export function forEach(split: Split, probe: Probe): Probe {
  const ofEach = <T>(sent: Sent, of: (part: Sent, at: number) => Readonly<Record<string, T>>): Readonly<Record<string, T>> =>
    Object.fromEntries(partsOf(split(sent)).flatMap(([part, at]) => indexed(of(part, at), at)));
  const { before, after, keep, known } = probe;
  return {
    ...present({
      before: before && ((sent: Sent) => ofEach(sent, before)),
      keep: keep && ((read: Readings, sent: Sent) => ofEach(sent, (part, at) => keep(unindexed(read, at), part))),
      known: known && ((kept: Readings) => indexesIn(kept).flatMap((at) => known(unindexed(kept, at)))),
    }),
    after: (sent) => ofEach(sent, after),
    parts: (sent) => split(sent).length,
    judge: (evidence) =>
      together(partsOf(split(evidence)).map(([part, at]) => sightOf(probe, partOf(evidence, { part, at, split })))),
  };
}

function partsOf(parts: readonly (Sent | undefined)[]): readonly (readonly [Sent, number])[] {
  return parts.flatMap((part, at) => (part === undefined ? [] : [[part, at] as const]));
}

interface ItemPart {
  readonly part: Sent;
  readonly at: number;
  readonly split: Split;
}

function partOf(evidence: Evidence, { part, at, split }: ItemPart): Evidence {
  return {
    ...evidence,
    ...part,
    siblings: partsOf(split(evidence)).flatMap(([{ input }, other]) => (other === at ? [] : [input])),
    rivals: evidence.rivals.flatMap((rival) =>
      partsOf(split({ ...evidence, input: rival.input })).map(([{ input }]) => ({ ...rival, input })),
    ),
    now: unindexed(evidence.now, at),
    before: evidence.before === undefined ? undefined : unindexed(evidence.before, at),
  };
}

function sightOf(probe: Probe, evidence: Evidence): Sight {
  const sight = probe.judge(evidence);
  const isCertain = sight.seen === "effect" || sight.seen === "conflict";
  const { isAlike = hasSameInput } = probe;
  return isCertain && evidence.rivals.some((rival) => isAlike(rival, evidence)) ? TWIN : sight;
}

function hasSameInput(rival: OtherWrite, { input }: Sent): boolean {
  return maybeSame(input, rival.input);
}

function indexesIn(readings: Readings): readonly number[] {
  return [...new Set(Object.keys(readings).flatMap((name) => /\.(\d+)$/.exec(name)?.[1] ?? []))].map(Number);
}

function indexed<T>(values: Readonly<Record<string, T>>, at: number): readonly (readonly [string, T])[] {
  return Object.entries(values).map(([name, value]) => [`${name}.${at}`, value]);
}

function unindexed(readings: Readings, at: number): Readings {
  const own = Object.entries(readings).flatMap(([name, value]): [string, Json][] => {
    const [, bare = "", index = ""] = /^(.+)\.(\d+)$/.exec(name) ?? [];
    return Number(index) === at && index !== "" ? [[bare, value]] : [];
  });
  return Object.fromEntries(own);
}

// A part never counts as the whole.
function together(sights: readonly Sight[]): Sight {
  const [first = UNREAD] = sights;
  if (sights.length <= 1) return first;
  const again = commonOf(sights.map((sight) => (sight.seen === "conflict" ? undefined : sight.again)));
  const open = sights.find(({ seen }) => seen === "conflict") ?? sights.find(({ seen }) => seen === "unclear");
  if (open?.seen === "unclear") return { seen: "unclear", why: open.why, ...again };
  if (open !== undefined) return open;
  const effects = sights.filter((sight) => sight.seen === "effect");
  const same = sights.filter((sight) => sight.seen === "unchanged");
  if (same.length === sights.length) return { ...first, ...again };
  if (effects.length === 0) return { seen: "nothing", ...again };
  if (effects.length + same.length < sights.length) {
    const why = `only ${effects.length} of its ${sights.length} parts can be seen`;
    return { seen: "conflict", why, rests: "readings" };
  }
  const rests = same.length === 0 && effects.every((each) => each.rests === "record") ? "record" : "readings";
  const spends = [...new Set(effects.flatMap((each) => each.spends ?? []))];
  const isActors = effects.every((each) => each.isActors === true);
  return { ...effects[0], seen: "effect", rests, isActors, by: { parts: effects.map(({ by }) => by) }, spends, ...again };
}

function commonOf(agains: readonly (Repeatability | undefined)[]): { readonly again?: Repeatability } {
  const [first] = agains;
  return first !== undefined && agains.every((again) => again === first) ? { again: first } : {};
}
