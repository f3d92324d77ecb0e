import { Decimal } from "../../../base/numbers/decimal.ts";
import { type Json, jsonEquals } from "../../../base/json/json.ts";
import {
  type Evidence,
  forEach,
  NAMELESS,
  type Probe,
  type ProbeRead,
  type Readings,
  type Sent,
  type Sight,
  TWIN,
  UNREAD,
} from "../../probe.ts";
import { balanceIn, contains, field, isEntity, itemsOf, listOf, number, recordsIn } from "../../probes/compare.ts";
import { waysOf } from "./explain.ts";
import { newnessOf } from "../../probes/recency.ts";
import { effectOfMovement, isSpent, movementsOf, movementsRead, newMovements, type TokenMovement } from "./records.ts";
import { unitMinted, unitMoved } from "./units.ts";

const ONE = Decimal.of(1);
/** How the effect of an addition is found: a total that grows by it, and a movement that looks like it. */
interface Addition {
  readonly reads: (sent: Sent) => Readonly<Record<string, ProbeRead>>;
  /** Returns the total in one of the readings. */
  readonly total: (read: Readings) => Decimal | undefined;
  readonly isOurs: (movement: TokenMovement, sent: Sent) => boolean;
  /** Returns what another movement adds to the total; `undefined`: nothing. */
  readonly adds: (movement: TokenMovement, sent: Sent) => Decimal | undefined;
  readonly amount: (sent: Sent) => Decimal | undefined;
  readonly tokenId: (sent: Sent) => Json | undefined;
  readonly isFenced?: (evidence: Evidence, amount: Decimal) => boolean;
}

/**
 * Returns the probe of a write that adds. The token's transactions show who did what, and when. A transaction that looks like this write,
 * is newer than the readings before it and proves no other write is its effect. Without one, two readings of a total must agree that
 * nothing was added.
 */
function additionProbe(addition: Addition): Probe {
  const { reads, total, amount, tokenId } = addition;
  return {
    before: reads,
    after: (sent) => ({
      ...reads(sent),
      transactions: movementsRead(tokenId(sent) ?? ""),
    }),
    keep: (read) => ({ total: total(read) ?? null }),
    judge: (evidence) => {
      if (evidence.since === undefined) return UNREAD;
      if (evidence.actor === undefined) return NAMELESS;
      const items = itemsIn(evidence).map((item) => ({ item, adds: amount(item) }));
      if (!items.every(isReadable)) return { seen: "unclear", why: "what it adds cannot be read from what was sent" };
      if (items.some(({ adds }) => hasTwin(evidence, tokenId(evidence), adds))) return TWIN;
      const kinds = kindsOf(addition, evidence, items);
      const sight = recorded(addition, evidence, kinds) ?? explained(addition, evidence, kinds);
      const isCertain = sight.seen === "effect" || sight.seen === "conflict";
      return isCertain && items.some(({ item }) => hasRival(evidence, item)) ? TWIN : sight;
    },
  };
}

/** One thing of a write that adds to the total. */
interface Item {
  readonly item: Sent;
  readonly adds: Decimal;
}

function isReadable(read: { readonly item: Sent; readonly adds: Decimal | undefined }): read is Item {
  return read.adds !== undefined;
}

// Items that add to the same total are already combined.
function itemsIn(sent: Sent): readonly Sent[] {
  const { parts } = sent.input;
  return parts === undefined ? [sent] : recordsIn(parts).map((input) => ({ ...sent, input }));
}

/** Items of a write that look the same, and what a movement of one of them looks like. */
interface Kind {
  readonly adds: Decimal;
  readonly times: number;
  readonly isAlike: (each: TokenMovement) => boolean;
}

// Items are alike if they have the same kind, the same parties and the same actor.
function kindsOf(addition: Addition, evidence: Evidence, items: readonly Item[]): readonly Kind[] {
  const groups = Map.groupBy(items, ({ item }) => items.findIndex((each) => jsonEquals(each.item.input, item.input)));
  return [...groups.values()].flatMap((same) =>
    same.slice(0, 1).map(({ item, adds }) => ({
      adds,
      times: same.length,
      isAlike: (each) => addition.isOurs(each, item) && isEntity(each.by, evidence.actor),
    })),
  );
}

/** How often the whole write is in so many of each kind: a whole number, or only a part of it. */
function timesOf(kinds: readonly Kind[], counts: readonly number[]): number | "a part" {
  const [first = 0, ...more] = kinds.map(({ times }, at) => (counts[at] ?? 0) / times);
  return Number.isInteger(first) && more.every((each) => each === first) ? first : "a part";
}

// All of it once, or nothing: a part never counts as the whole, nor as nothing.
function recorded(addition: Addition, evidence: Evidence, kinds: readonly Kind[]): Sight | undefined {
  const tokenId = addition.tokenId(evidence);
  const all = movementsOf(evidence.now["transactions"], tokenId);
  const fresh = newMovements(evidence, all, tokenId);
  const found = kinds.map(({ isAlike }) => fresh.filter(isAlike));
  const proofs = found.flat();
  if (proofs.length === 0) return undefined;
  if (new Set(proofs).size < proofs.length) return AMBIGUOUS;
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

// An earlier moment may show only a part of the present effect.
function partOf(seen: number, kinds: readonly Kind[]): Sight {
  const whole = kinds.reduce((sum, { times }) => sum + times, 0);
  return { seen: "conflict", why: `${seen} of its ${whole} parts are visible`, rests: "readings" };
}

function explained(addition: Addition, evidence: Evidence, kinds: readonly Kind[]): Sight {
  const before = number(evidence.before?.["total"]);
  const now = addition.total(evidence.now);
  if (before === undefined) return UNREAD;
  if (now === undefined) return { seen: "unclear", why: "the total that it adds to cannot be read" };
  const all = movementsOf(evidence.now["transactions"], addition.tokenId(evidence));
  const recent = all.filter((each) => newnessOf(evidence, each.at) !== "before");
  const alike = kinds.map(({ isAlike }) => recent.filter((each) => isAlike(each) && !isSpent(each, evidence)));
  const ours = new Set(alike.flat());
  if (ours.size < alike.flat().length) return AMBIGUOUS;
  const others = recent.filter((each) => !ours.has(each)).flatMap((each) => addition.adds(each, evidence) ?? []);
  const [only] = kinds;
  const isSingle = kinds.length === 1 && only?.times === 1;
  const isFenced = isSingle && addition.isFenced?.(evidence, only.adds) === true;
  return byTotals({ before, now, kinds, alike: alike.map(({ length }) => length), others, isFenced });
}

interface Explaining {
  readonly before: Decimal;
  readonly now: Decimal;
  readonly kinds: readonly Kind[];
  readonly alike: readonly number[];
  readonly others: readonly Decimal[];
  readonly isFenced: boolean;
}

// The age of the first reading is unknown, so other movements may have been before or after it.
function byTotals({ before, now, kinds, alike, others, isFenced }: Explaining): Sight {
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
  return isFenced ? { seen: "nothing", again: "fence" } : { seen: "nothing" };
}

// An item of another batch may look like one of ours.
function hasRival({ rivals }: Evidence, { input }: Sent): boolean {
  return rivals.some((rival) => recordsIn(rival["parts"] ?? [rival]).some((each) => jsonEquals(each, input)));
}

// Writes of other operations move tokens too: by batch, or with a deposited asset.
function hasTwin({ bystanders }: Evidence, tokenId: Json | undefined, amount: Decimal): boolean {
  const isToken = (value: Json): boolean => value === tokenId;
  const isAmount = (value: Json): boolean => number(value)?.equals(amount) === true;
  return bystanders.some((other) => contains(other, isToken) && contains(other, isAmount));
}

const tokenRead = ({ input }: Sent): Readonly<Record<string, ProbeRead>> => ({
  token: { operation: "ledger.token.get", input: { id: input["id"] ?? "" } },
});

const value = ({ input }: Sent): Decimal | undefined => number(input["value"]);
const ownId = ({ input }: Sent): Json | undefined => input["id"];

const mintedAmount: Probe = additionProbe({
  reads: tokenRead,
  total: ({ token }) => number(field(token, "totalMintedAmount")),
  amount: value,
  tokenId: ownId,
  isOurs: ({ type, to, amount }, { input }) =>
    type === "MINT" && isEntity(to, input["to"]) && amount.equals(number(input["value"]) ?? amount),
  adds: ({ type, amount }) => (type === "MINT" ? amount : undefined),
  isFenced: ({ now, profile }, ours) => {
    const minted = number(field(now["token"], "totalMintedAmount"));
    const most = number(field(field(now["token"], "behaviour"), "maxMintQuantity"));
    if (!profile.ledger.capabilities.overMintRefused || minted === undefined || most === undefined || most.isZero()) return false;
    return minted.plus(ours).plus(ours).compare(most) > 0;
  },
});

// The minted quantity that is not supplied any more was burnt.
const burntAmount: Probe = additionProbe({
  reads: tokenRead,
  total: ({ token }) => {
    const supply = number(field(token, "totalSupply"));
    return supply === undefined ? undefined : number(field(token, "totalMintedAmount"))?.minus(supply);
  },
  amount: value,
  tokenId: ownId,
  isOurs: ({ type, from, amount }, { input }) =>
    type === "BURN" && (from === undefined || isEntity(from, input["from"])) && amount.equals(number(input["value"]) ?? amount),
  adds: ({ type, amount }) => (type === "BURN" ? amount : undefined),
});

// The receiver's balance grows by the quantity that moves there.
const movedAmount: Probe = additionProbe({
  reads: ({ input }) => ({
    held: { operation: "ledger.erc1155.balanceOf", input: { id: input["id"] ?? "", owner: input["to"] ?? {} } },
  }),
  total: ({ held }) => balanceIn(held),
  amount: value,
  tokenId: ownId,
  isOurs: ({ type, from, to, amount }, { input }) =>
    type === "TRANSFER" &&
    isEntity(to, input["to"]) &&
    (from === undefined || isEntity(from, input["from"])) &&
    amount.equals(number(input["value"]) ?? amount),
  adds: ({ from, to, amount }, { input }) => {
    const [into, outOf] = [isEntity(to, input["to"]), isEntity(from, input["to"])];
    return into === outOf ? undefined : into ? amount : amount.negated();
  },
});

/** Units are found by their holder, amounts by totals. */
function byKind(isUnit: (sent: Sent) => boolean, unit: Probe, amount: Probe): Probe {
  const of = (sent: Sent): Probe => (isUnit(sent) ? unit : amount);
  return {
    before: (sent) => of(sent).before?.(sent) ?? {},
    after: (sent) => of(sent).after(sent),
    keep: (read, sent) => of(sent).keep?.(read, sent) ?? read,
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

/** Each token of the batch separately. */
export const batchTransferred: Probe = eachApart(transfersIn, moved);

// Units are listed separately from their tokens: they belong to the tokens that can have units, if there are as many.
function transfersIn(sent: Sent): readonly Sent[] {
  const { ids, values, data, ...parties } = sent.input;
  const [tokens, amounts, units] = [listOf(ids), listOf(values), listOf(field(data, "assetIds"))];
  const single = [...tokens.keys()].filter((at) => number(amounts[at] ?? ONE)?.equals(ONE) === true);
  const unitAt = new Map(single.map((at, nth) => [at, single.length === units.length ? (units[nth] ?? "") : ""]));
  return tokens.map((id, at) => {
    const unit = units.length === 0 ? undefined : unitAt.get(at);
    return {
      ...sent,
      input: { ...parties, id, ...(unit === undefined ? { value: amounts[at] ?? null } : { data: { assetId: unit } }) },
    };
  });
}

/** Returns the probe of a write of several items: those that add to the same total are read together, at the first of them. */
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
