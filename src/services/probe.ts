import { type Json, type JsonObject, jsonEquals } from "../base/json.ts";
import type { OperationName } from "../contract/contract.ts";
import type { Profile } from "../contract/profile.ts";
import type { GivenNames } from "./given-names.ts";

/**
 * How to find out by reading what became of a write. A probe says what is to be read, and what the readings show; whether that
 * suffices is for the protocol to decide.
 */
export interface Probe {
  /** What to read before the write is sent, by name. Kept with its intent. */
  readonly before?: (sent: Sent) => Reads;
  /** What to read when nobody knows what became of it. */
  readonly after: (sent: Sent) => Reads;
  /** Of what was read before: what will be needed. All of it when left out. */
  readonly keep?: (read: Readings, sent: Sent) => Readings;
  /** The transactions that what was kept shows: none of them can be this write's. */
  readonly known?: (kept: Readings) => readonly Json[];
  /** What the readings show. Pure. */
  readonly judge: (evidence: Evidence) => Sight;
}

/** Reads by name. */
export type Reads = Readonly<Record<string, ProbeRead>>;

/** One read, to its last page. */
export interface ProbeRead {
  readonly operation: OperationName;
  readonly input: JsonObject;
  /** Helps, and is not needed: where the service refuses it, it is as if it were not there. */
  readonly optional?: true;
}

/** What reads gave, by name; null: the service says that it is not there. */
export type Readings = JsonObject;

/** A write as it was, or will be, sent. */
export interface Sent {
  /** With chosen ids and our mark. */
  readonly input: JsonObject;
  /** Who acts, as the service names them: `{orgId, userId}`. `undefined`: whoever the key stands for, and nobody says who that is. */
  readonly actor: JsonObject | undefined;
  /** The names that the run gives to what this step makes. */
  readonly names: GivenNames;
  readonly profile: Profile;
}

/** A write, and all that was read about it. */
export interface Evidence extends Sent {
  /** What was kept of the readings before it; `undefined` when one of them failed. */
  readonly before: Readings | undefined;
  /** The service's own time when they were made, in milliseconds, cut to its second; `undefined` when it did not say. */
  readonly since: number | undefined;
  readonly now: Readings;
  /** The inputs of other writes of this operation that the run had under way at the same time. */
  readonly rivals: readonly JsonObject[];
  /** Likewise those of other operations. */
  readonly bystanders: readonly JsonObject[];
  /** The writes of the run that were complete before this one. A reading may be of a moment before them. */
  readonly earlier: readonly EarlierWrite[];
  /** Whether a transaction has proven another step already. */
  readonly isSpent: (id: string) => boolean;
}

/** A write that took effect before the one in question. */
export interface EarlierWrite {
  readonly operation: string;
  readonly input: JsonObject;
  /** The transactions that prove it, as far as they are known. */
  readonly transactions: readonly string[];
}

/**
 * On what a sight rests, since the service may answer any read from an earlier moment. `record`: on something that no earlier moment can
 * show and only this write can have left: our id, our mark, or what the service wrote after the intent. `readings`: on values of two
 * moments, or on something that is missing. That holds only where the environment says how old a reading may be.
 */
export type Rests = "record" | "readings";

/**
 * What the readings show. `transactionId`: the ledger's own, where it is known. `spends`: the records that prove this write, and can
 * prove no other.
 */
export type Sight =
  /** The write's effect, once, and `by` tells it from every other. */
  | {
      readonly seen: "effect";
      readonly by: JsonObject;
      readonly rests: Rests;
      readonly again?: Repeatability;
      readonly transactionId?: string;
      readonly spends?: readonly string[];
    }
  /** No trace. `again`: why one more request could do no harm even if the first one arrives. */
  | { readonly seen: "nothing"; readonly again?: Repeatability }
  /** What the write sets was so before it, and is so now, as readings of both moments show. */
  | { readonly seen: "unchanged"; readonly by: JsonObject; readonly again: Repeatability }
  /** What is there contradicts the write: its effect twice, a part of it, or another one. */
  | { readonly seen: "conflict"; readonly why: string; readonly rests: Rests }
  /** What was read does not decide. */
  | { readonly seen: "unclear"; readonly why: string; readonly again?: Repeatability };

/**
 * `unique`: the service refuses a second one. `fence`: a cap leaves no room for a second one. `value`: a second one sets what the
 * first one set. `never`: the service can never do it, as things are.
 */
export type Repeatability = "unique" | "fence" | "value" | "never";

/** Two that look the same to every reading cannot be told apart. */
export const TWIN: Sight = {
  seen: "unclear",
  why: "a write that looks the same was under way at the same time, and nobody could tell the two apart",
};

export const UNREAD: Sight = { seen: "unclear", why: "what was there before the write could not be read" };

/** The readings show different moments: another look may show both of one. */
export const APART: Sight = { seen: "unclear", why: "what was read shows different moments of the service" };

/** A key acts for itself, and the environment does not say who that is: what is there could be anybody's. */
export const NAMELESS: Sight = {
  seen: "unclear",
  why: "the environment does not say who its key is (ledger.keyEntity), so nobody can tell whose write this would be",
};

/** What holds the thing must be there for the thing to be missing from it. */
export const GONE: Sight = { seen: "unclear", why: "what was read before the write is not to be found any more" };

/** The things that a write does, each at the place by which its readings are kept; nothing where one was taken into another. */
export type Split = (sent: Sent) => readonly (Sent | undefined)[];

/** The probe of a write that does several things of one kind: each is looked at by itself, and all must agree. */
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
    rivals: evidence.rivals.flatMap((input) => partsOf(split({ ...evidence, input })).map(([other]) => other.input)),
    now: unindexed(evidence.now, at),
    before: evidence.before === undefined ? undefined : unindexed(evidence.before, at),
  };
}

function sightOf(probe: Probe, evidence: Evidence): Sight {
  const sight = probe.judge(evidence);
  const isCertain = sight.seen === "effect" || sight.seen === "conflict";
  return isCertain && evidence.rivals.some((rival) => jsonEquals(rival, evidence.input)) ? TWIN : sight;
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

// Nobody may call a part the whole.
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
    const why = `of ${sights.length} things that it was to do, ${effects.length} can be seen`;
    return { seen: "conflict", why, rests: "readings" };
  }
  const rests = same.length === 0 && effects.every((each) => each.rests === "record") ? "record" : "readings";
  const spends = [...new Set(effects.flatMap((each) => each.spends ?? []))];
  return { ...effects[0], seen: "effect", rests, by: { parts: effects.map(({ by }) => by) }, spends, ...again };
}

function commonOf(agains: readonly (Repeatability | undefined)[]): { readonly again?: Repeatability } {
  const [first] = agains;
  return first !== undefined && agains.every((again) => again === first) ? { again: first } : {};
}
