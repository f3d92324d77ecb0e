import type { Json, JsonObject } from "../base/json/json.ts";
import type { OperationName } from "../contract/contract.ts";
import type { Profile } from "../contract/profile.ts";
import type { GivenNames } from "./given-names.ts";
import { maybeSame } from "./same-id.ts";

/**
 * How to find the outcome of a write by reading. A probe says what to read, and what the readings show; the protocol decides whether that
 * suffices.
 */
export interface Probe {
  /** What to read before the write is sent, by name. Kept with its intent. */
  readonly before?: (sent: Sent) => Reads;
  /** What to read when the outcome is unknown. */
  readonly after: (sent: Sent) => Reads;
  /** Returns the part of the readings before that is needed later; by default all of them. */
  readonly keep?: (read: Readings, sent: Sent) => Readings;
  /** Returns the transactions in the kept readings: none of them can be this write's. */
  readonly known?: (kept: Readings) => readonly Json[];
  /** Returns how many things the write does that may happen one without the other; by default one. */
  readonly parts?: (sent: Sent) => number;
  /** Returns whether the effect of a rival could be taken for this write's; by default if their inputs are equal. */
  readonly isAlike?: (rival: OtherWrite, sent: Sent) => boolean;
  /** Judges the readings. Pure. */
  readonly judge: (evidence: Evidence) => Sight;
}

/** Reads by name. */
export type Reads = Readonly<Record<string, ProbeRead>>;

/** One read, to its last page. */
export interface ProbeRead {
  /** The operation that is called. */
  readonly operation: OperationName;
  /** The input of the call. */
  readonly input: JsonObject;
  /** Whether it is optional: if the service refuses it, it is ignored. */
  readonly optional?: true;
  /** Returns whether the judgement may look at a record of the list. The others are not held, however many there are. */
  readonly keeps?: (record: JsonObject, known: KnownBefore) => boolean;
}

/** What is known before a probe reads. */
export type KnownBefore = Pick<Evidence, "since" | "rivals" | "bystanders" | "earlier">;

/** The results of reads, by name; null: the service says that it does not exist. */
export type Readings = JsonObject;

/** A write as it was, or will be, sent. */
export interface Sent {
  /** With chosen ids and our mark. */
  readonly input: JsonObject;
  /** The acting entity in the service's form: `{orgId, userId}`. `undefined`: the key acts for itself, and its entity is unknown. */
  readonly actor: JsonObject | undefined;
  /** The names that the run gives to the things that this step makes. */
  readonly names: GivenNames;
  /** What the environment says of the service where the description leaves it open. */
  readonly profile: Profile;
}

/** A write, and all that was read about it. */
export interface Evidence extends Sent {
  /** The kept readings before it; `undefined` when one of them failed. */
  readonly before: Readings | undefined;
  /** The service's own time of those readings in milliseconds, cut to its second; `undefined` when it gave none. */
  readonly since: number | undefined;
  /** The present readings. */
  readonly now: Readings;
  /** Whether the service refused an optional read among them, so that something may be there and not be seen. */
  readonly isPartial?: boolean;
  /** Other writes of this operation that were under way at the same time, or whose steps were complete before and that may still arrive. */
  readonly rivals: readonly OtherWrite[];
  /** Other operations' writes at the same time. */
  readonly bystanders: readonly OtherWrite[];
  /** Of a part of a write: the inputs of its other parts. */
  readonly siblings?: readonly JsonObject[];
  /**
   * The writes of the run that were complete before this one, and those of runs that ended right before it. A reading may show a moment
   * before them.
   */
  readonly earlier: readonly OtherWrite[];
  /** Returns whether a transaction has proven another step already. */
  readonly isSpent: (id: string) => boolean;
}

/** Another write of the run, whose record could be taken for this one's. */
export interface OtherWrite {
  /** The full name of its operation. */
  readonly operation: string;
  /** The input with which it was sent, as the journal has it: a mask hides a secret, which may be anything. */
  readonly input: JsonObject;
  /** Its acting entity; `undefined`: it is not known, or callers have none. */
  readonly actor: JsonObject | undefined;
  /** The transactions that prove it, as far as they are known. */
  readonly transactions: readonly string[];
}

/**
 * What a sight rests on, because the service may answer any read from an earlier moment. `record`: on something that no earlier moment
 * can show and only this write can have left: our id, our mark, or what the service wrote after the intent. `readings`: on values of two
 * moments, or on something missing. That counts only if the environment says how old a reading may be.
 */
export type Rests = "record" | "readings";

/**
 * The result of the readings. `transactionId`: the ledger's own, if it is known. `spends`: the records that prove this write, and can
 * prove no other.
 */
export type Sight =
  /** The write's effect, once; `by` distinguishes it from every other. */
  | {
      readonly seen: "effect";
      readonly by: JsonObject;
      readonly rests: Rests;
      readonly again?: Repeatability;
      /** Whether readings show that the write's own actor left a value: then nobody else has set the same. */
      readonly isActors?: boolean;
      readonly transactionId?: string;
      readonly spends?: readonly string[];
    }
  /** No trace. `again`: why one more request is harmless even if the first one arrives. */
  | { readonly seen: "nothing"; readonly again?: Repeatability }
  /** The value that the write sets was set before it, and is still set, as readings of both moments show. */
  | { readonly seen: "unchanged"; readonly by: JsonObject; readonly again: Repeatability }
  /** The present state contradicts the write: its effect twice, a part of it, or another one. */
  | { readonly seen: "conflict"; readonly why: string; readonly rests: Rests }
  /** The readings do not decide. */
  | { readonly seen: "unclear"; readonly why: string; readonly again?: Repeatability };

/**
 * `unique`: the service refuses a second one. `fence`: a cap leaves no room for a second one. `value`: a second one sets what the
 * first one set. `never`: the service can never do it, as things are.
 */
export type Repeatability = "unique" | "fence" | "value" | "never";

/** Two writes that look the same in every reading cannot be distinguished. */
export const TWIN: Sight = {
  seen: "unclear",
  why: "a write that looks the same was sent at the same time, and the two cannot be distinguished",
};

/** The readings before the write failed, so nothing can be compared with them. */
export const UNREAD: Sight = { seen: "unclear", why: "the state before the write could not be read" };

/** The readings show different moments: another look may show both at one moment. */
export const APART: Sight = { seen: "unclear", why: "the readings show different moments of the service" };

/** A key acts for itself, and the environment does not say who that is: an effect could be anybody's. */
export const NAMELESS: Sight = {
  seen: "unclear",
  why: "the environment does not say who its key is (ledger.keyEntity), so the write cannot be attributed to it",
};

/**
 * Returns what follows from a thing that does not exist, by what was read of it before the write: null if it did not exist then either. Nothing
 * is missing from a thing that is gone.
 */
export function inNothing(before: Json | undefined): Sight {
  return before === null ? { seen: "nothing" } : GONE;
}

const GONE: Sight = { seen: "unclear", why: "the thing that was read before the write does not exist any more" };

/** Returns the parts of a write, each at the place of its readings; `undefined` if a part was combined with another. */
export type Split = (sent: Sent) => readonly (Sent | undefined)[];

/** Returns the probe of a write with several parts of one kind: each part is judged separately, and all must agree. */
export function forEach(split: Split, probe: Probe): Probe {
  const reads = (sent: Sent, of: (part: Sent) => Reads): Reads =>
    Object.fromEntries(
      partsOf(split(sent)).flatMap(([part, at]) =>
        Object.entries(of(part)).map(([name, read]) => [`${name}.${at}`, read] as const),
      ),
    );
  const { before, keep, known } = probe;
  return {
    ...(before === undefined ? {} : { before: (sent) => reads(sent, before) }),
    after: (sent) => reads(sent, probe.after),
    parts: (sent) => split(sent).length,
    ...(keep === undefined
      ? {}
      : {
          keep: (read, sent) =>
            Object.assign(
              {},
              ...partsOf(split(sent)).map(([part, at]) => indexed(keep(unindexed(read, at), part), at)),
            ) as Readings,
        }),
    ...(known === undefined ? {} : { known: (kept) => indexesIn(kept).flatMap((at) => known(unindexed(kept, at))) }),
    judge: (evidence) =>
      together(partsOf(split(evidence)).map(([part, at]) => sightOf(probe, partOf(evidence, { part, at, split })))),
  };
}

function partsOf(parts: readonly (Sent | undefined)[]): readonly (readonly [Sent, number])[] {
  return parts.flatMap((part, at) => (part === undefined ? [] : [[part, at] as const]));
}

interface Part {
  readonly part: Sent;
  readonly at: number;
  readonly split: Split;
}

function partOf(evidence: Evidence, { part, at, split }: Part): Evidence {
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

function indexed(readings: Readings, at: number): Readings {
  return Object.fromEntries(Object.entries(readings).map(([name, value]) => [`${name}.${at}`, value]));
}

function unindexed(readings: Readings, at: number): Readings {
  const own = Object.entries(readings).flatMap(([name, value]): [string, Json][] => {
    const [, bare = "", index = ""] = /^(.+)\.(\d+)$/.exec(name) ?? [];
    return Number(index) === at && index !== "" ? [[bare, value]] : [];
  });
  return Object.fromEntries(own);
}

// A part is never taken for the whole.
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
