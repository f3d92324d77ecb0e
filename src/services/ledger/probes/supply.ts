import type { Decimal } from "../../../base/numbers/decimal.ts";
import { type Json, jsonEquals } from "../../../base/json/json.ts";
import { present } from "../../../base/present.ts";
import type { OperationName } from "../../../contract/contract.ts";
import {
  type Evidence,
  forEach,
  inNothing,
  NAMELESS,
  type Probe,
  type ProbeRead,
  type Readings,
  type Sent,
  type Sight,
  TWIN,
  UNREAD,
} from "../../probe.ts";
import { field, number } from "../../../base/json/parts.ts";
import { balanceIn, isEntity, itemsOf } from "../../probes/compare.ts";
import { waysOf } from "./explain.ts";
import { newnessOf } from "../../probes/recency.ts";
import type { Match } from "../../probes/match.ts";
import { matchOf, matchOfType, type Move, movesOf, transfersIn } from "./moves.ts";
import {
  couldBeOthers,
  effectOfMovement,
  movementsOf,
  movementsRead,
  newMovements,
  type TokenMovement,
  unspentSince,
  UNSURE,
} from "./records.ts";
import { tokenReads } from "./tokens.ts";
import { unitMinted, unitMoved } from "./units.ts";

type Again = "never" | "fence" | undefined;

/** How to find the effect of an addition: a total that grows by it, and a movement that matches it. */
interface Addition {
  /** The operation of such a write. */
  readonly operation: OperationName;
  readonly reads: (sent: Sent) => Readonly<Record<string, ProbeRead>>;
  /** Returns the total in the readings. */
  readonly total: (read: Readings) => Decimal | undefined;
  /** Returns whether another movement adds its amount to the total or takes it away; `undefined` for neither. */
  readonly effectOf: (movement: TokenMovement, sent: Sent) => "adds" | "takes" | undefined;
  /** Returns what a cap means for this amount: the write can never happen, or cannot happen twice; `undefined` if nothing follows. */
  readonly cap?: (evidence: Evidence, amount: Decimal) => Again;
}

/**
 * Returns the probe of a write that adds. The token's transactions show who did what, and when. A transaction is the write's effect if it
 * matches the write, is newer than the readings before it and cannot belong to another write. Without such a transaction, two readings of a
 * total must agree that nothing was added.
 */
function additionProbe(addition: Addition): Probe {
  const { operation, reads, total } = addition;
  return {
    before: reads,
    after: (sent) => ({
      ...reads(sent),
      transactions: movementsRead(sent.input["id"] ?? ""),
    }),
    keep: (read) => ({ total: total(read) ?? null }),
    judge: (evidence) => {
      if (evidence.since === undefined) return UNREAD;
      if (evidence.actor === undefined) return NAMELESS;
      const kinds = kindsOf(movesOf({ operation, input: evidence.input }));
      if (kinds === undefined) return { seen: "unclear", why: "what it adds cannot be read from what was sent" };
      const all = movementsOf(evidence.now["transactions"], evidence.input["id"]);
      return recorded(addition, evidence, { kinds, all }) ?? explained(addition, evidence, { kinds, all });
    },
  };
}

/** Movements of a write that look the same. */
interface MovementKind {
  readonly adds: Decimal;
  readonly times: number;
  readonly move: Move;
}

// Movements are of one kind if they have the same amount and the same parties.
function kindsOf(moves: readonly Move[]): readonly MovementKind[] | undefined {
  const groups = Map.groupBy(moves, (move) => moves.findIndex((each) => jsonEquals(partiesOf(each), partiesOf(move))));
  const kinds = [...groups.values()].flatMap(([move, ...more]) =>
    move?.amount === undefined ? [] : [{ move, adds: move.amount, times: more.length + 1 }],
  );
  return kinds.length === groups.size ? kinds : undefined;
}

function partiesOf({ from = null, to = null, amount }: Move): Json {
  return [from, to, amount ?? null];
}

/** What is known of the token's movements: those that this write makes, and all that are listed. */
interface ListedMovements {
  readonly kinds: readonly MovementKind[];
  readonly all: readonly TokenMovement[];
}

// A movement that another write of the run may also have left proves neither write.
function areTwins(evidence: Evidence, movements: readonly TokenMovement[], all: readonly TokenMovement[]): boolean {
  return movements.some((each) => couldBeOthers(evidence, each, { all, tokenId: evidence.input["id"] }));
}

/** Returns how often the whole write is contained in these counts of each kind: a whole number, or only a part of it. */
function timesOf(kinds: readonly MovementKind[], counts: readonly number[]): number | "a part" {
  const [first = 0, ...more] = kinds.map(({ times }, at) => (counts[at] ?? 0) / times);
  return Number.isInteger(first) && more.every((each) => each === first) ? first : "a part";
}

// The whole write must be there once, or not at all. A part counts neither as the whole nor as nothing.
function recorded(addition: Addition, evidence: Evidence, { kinds, all }: ListedMovements): Sight | undefined {
  const fresh = newMovements(evidence, all, evidence.input["id"]);
  const found = kinds.map(({ move }) => fresh.filter((each) => matchOf(each, move, evidence.actor) === "yes"));
  const proofs = found.flat();
  if (proofs.length === 0) return undefined;
  if (new Set(proofs).size < proofs.length) return AMBIGUOUS;
  if (areTwins(evidence, proofs, all)) return TWIN;
  const times = timesOf(
    kinds,
    found.map(({ length }) => length),
  );
  if (times === "a part") return partOf(proofs.length, kinds);
  if (times > 1) return { seen: "conflict", why: `it took effect ${times} times`, rests: "record" };
  const ids = [...new Set(proofs.flatMap(({ id }) => id ?? []))];
  if (ids.length > 1 && ids.length < proofs.length)
    return { seen: "unclear", why: "no transaction shows all of it, and not every part has one" };
  const total = { before: evidence.before?.["total"] ?? null, now: addition.total(evidence.now) ?? null };
  const [proof] = proofs;
  if (proof === undefined) return undefined;
  return ids.length === 1
    ? effectOfMovement(proof, { total })
    : { seen: "effect", by: { total, transactions: ids }, rests: "record", spends: ids };
}

const AMBIGUOUS: Sight = { seen: "unclear", why: "a transaction could belong to more than one part of the write" };

// A reading of an earlier moment may show only a part of the present effect.
function partOf(seen: number, kinds: readonly MovementKind[]): Sight {
  const whole = kinds.reduce((sum, { times }) => sum + times, 0);
  return { seen: "conflict", why: `only ${seen} of its ${whole} parts can be seen`, rests: "readings" };
}

function explained(addition: Addition, evidence: Evidence, { kinds, all }: ListedMovements): Sight {
  const before = number(evidence.before?.["total"]);
  const now = addition.total(evidence.now);
  if (evidence.now["token"] === null && evidence.before !== undefined) return inNothing(evidence.before["total"]);
  if (before === undefined) return UNREAD;
  if (now === undefined) return { seen: "unclear", why: "the total that it adds to cannot be read" };
  const unspent = unspentSince(evidence, all);
  const isLike = (each: TokenMovement, { move }: MovementKind): Match => matchOf(each, move, evidence.actor);
  const alike = kinds.map((kind) => unspent.filter((each) => isLike(each, kind) === "yes"));
  const ours = new Set(alike.flat());
  if (ours.size < alike.flat().length) return AMBIGUOUS;
  if (areTwins(evidence, [...ours], all)) return TWIN;
  if (unspent.some((each) => !ours.has(each) && kinds.some((kind) => isLike(each, kind) === "maybe"))) return UNSURE;
  const moved = all.filter((each) => newnessOf(evidence, each.at) !== "before" && !ours.has(each));
  const others = moved.flatMap((each) => {
    const effect = addition.effectOf(each, evidence);
    return effect === undefined ? [] : [effect === "adds" ? each.amount : each.amount?.negated()];
  });
  if (!others.every((amount) => amount !== undefined)) return UNSURE;
  const [only] = kinds;
  const isSingle = kinds.length === 1 && only?.times === 1;
  const again = isSingle ? addition.cap?.(evidence, only.adds) : undefined;
  return byTotals({ before, now, kinds, alike: alike.map(({ length }) => length), others, again });
}

interface Explaining {
  readonly before: Decimal;
  readonly now: Decimal;
  readonly kinds: readonly MovementKind[];
  readonly alike: readonly number[];
  readonly others: readonly Decimal[];
  readonly again: Again;
}

// The age of the first reading is unknown, so other movements may have happened before or after it.
function byTotals({ before, now, kinds, alike, others, again }: Explaining): Sight {
  const parts = kinds.map(({ adds }, at) => ({ adds, alike: alike[at] ?? 0 }));
  const ways = waysOf({ by: now.minus(before), parts, others });
  if (ways === "too many") return { seen: "unclear", why: "too many others moved this token meanwhile" };
  if (ways.length > 1) return { seen: "unclear", why: "others moved this token meanwhile, so its total proves nothing" };
  const [counts] = ways;
  const unexplained = { seen: "unclear", why: `the total went from ${before} to ${now}, which no transactions explain` } as const;
  if (counts === undefined) return unexplained;
  const times = timesOf(kinds, counts);
  if (times === "a part")
    return partOf(
      counts.reduce((sum, count) => sum + count, 0),
      kinds,
    );
  if (times === 1) return { seen: "effect", by: { total: { before, now } }, rests: "readings" };
  if (times > 1) return { seen: "conflict", why: `it took effect ${times} times`, rests: "readings" };
  if (alike.some((count) => count > 0)) return unexplained;
  return { seen: "nothing", ...present({ again }) };
}

const mintedAmount: Probe = additionProbe({
  operation: "ledger.token.mint",
  reads: tokenReads,
  total: ({ token }) => number(field(token, "totalMintedAmount")),
  effectOf: ({ type }) => (matchOfType(type, "MINT") === "no" ? undefined : "adds"),
  cap: ({ now, profile }, ours) => {
    const minted = number(field(now["token"], "totalMintedAmount"));
    const most = number(field(field(now["token"], "behaviour"), "maxMintQuantity"));
    if (!profile.ledger.capabilities.overMintRefused || minted === undefined || most === undefined || most.isZero())
      return undefined;
    const once = minted.plus(ours);
    return once.compare(most) > 0 ? "never" : once.plus(ours).compare(most) > 0 ? "fence" : undefined;
  },
});

// What was minted but is no longer in supply was burnt.
const burntAmount: Probe = additionProbe({
  operation: "ledger.token.burn",
  reads: tokenReads,
  total: ({ token }) => {
    const supply = number(field(token, "totalSupply"));
    return supply === undefined ? undefined : number(field(token, "totalMintedAmount"))?.minus(supply);
  },
  effectOf: ({ type }) => (matchOfType(type, "BURN") === "no" ? undefined : "adds"),
});

// The receiver's balance grows by the quantity that is moved.
const movedAmount: Probe = additionProbe({
  operation: "ledger.erc1155.safeTransferFrom",
  reads: ({ input }) => ({
    held: { operation: "ledger.erc1155.balanceOf", input: { id: input["id"] ?? "", owner: input["to"] ?? {} } },
  }),
  total: ({ held }) => balanceIn(held),
  effectOf: ({ from, to }, { input }) => {
    const [into, outOf] = [isEntity(to, input["to"]), isEntity(from, input["to"])];
    return into === outOf ? undefined : into ? "adds" : "takes";
  },
});

/** Finds units by their holders, and amounts by totals. */
function byKind(isUnit: (sent: Sent) => boolean, unit: Probe, amount: Probe): Probe {
  const of = (sent: Sent): Probe => (isUnit(sent) ? unit : amount);
  return {
    before: (sent) => of(sent).before?.(sent) ?? {},
    after: (sent) => of(sent).after(sent),
    keep: (read, sent) => of(sent).keep?.(read, sent) ?? read,
    // These probes check for each record whether a rival could have left it.
    isAlike: () => false,
    judge: (evidence) => of(evidence).judge(evidence),
  };
}

/** The probe of a mint, of units or of an amount. */
export const minted: Probe = eachApart(
  itemsOf,
  byKind(({ input }) => input["nftData"] !== undefined, unitMinted, mintedAmount),
);

/** The probe of a burn, of units or of an amount. */
export const burnt: Probe = eachApart(
  itemsOf,
  byKind(
    ({ input }) => input["assetId"] !== undefined,
    unitMoved(
      ({ input }) => input["assetId"],
      () => null,
    ),
    burntAmount,
  ),
);

const moved: Probe = byKind(
  ({ input }) => field(input["data"], "assetId") !== undefined,
  unitMoved(
    ({ input }) => field(input["data"], "assetId"),
    ({ input }) => input["to"] ?? null,
  ),
  movedAmount,
);

/** B.5 */
export const transferred: Probe = eachApart((sent) => [sent], moved);

/** Judges each token of the batch separately. */
export const batchTransferred: Probe = eachApart((sent) => transfersIn(sent.input).map((input) => ({ ...sent, input })), moved);

/** Returns the probe of a write with several items. Items that add to the same total are read together, in the place of the first one. */
function eachApart(split: (sent: Sent) => readonly Sent[], probe: Probe): Probe {
  return forEach((sent) => {
    const items = split(sent);
    return items.map((item) => {
      const same = items.filter((each) => isAdded(item) && isAdded(each) && each.input["id"] === item.input["id"]);
      if (same.length <= 1) return item;
      return same[0] === item ? { ...item, input: { ...item.input, parts: same.map(({ input }) => input) } } : undefined;
    });
  }, probe);
}

function isAdded({ input }: Sent): boolean {
  return input["value"] !== undefined;
}
