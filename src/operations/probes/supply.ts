import { Decimal } from "../../base/decimal.ts";
import type { Json } from "../../base/json.ts";
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
} from "../probe.ts";
import { balanceIn, contains, field, isEntity, itemsOf, listOf, number } from "./compare.ts";
import { timesIn } from "./explain.ts";
import { newnessOf } from "./recency.ts";
import { effectOfMovement, isSpent, type Movement, movementsOf, newMovements } from "./records.ts";
import { unitMinted, unitMoved } from "./units.ts";

const ONE = Decimal.of(1);
/** How an addition shows: a total that grows by it, and a movement that looks like it. */
interface Addition {
  readonly reads: (sent: Sent) => Readonly<Record<string, ProbeRead>>;
  /** The total, as one of the readings has it. */
  readonly total: (read: Readings) => Decimal | undefined;
  readonly isOurs: (movement: Movement, sent: Sent) => boolean;
  /** What another movement adds to the total; `undefined`: nothing. */
  readonly adds: (movement: Movement, sent: Sent) => Decimal | undefined;
  readonly amount: (sent: Sent) => Decimal | undefined;
  readonly tokenId: (sent: Sent) => Json | undefined;
  readonly isFenced?: (evidence: Evidence, amount: Decimal) => boolean;
}

/**
 * The probe of a write that adds. The token's transactions say who did what, and when. One that looks like this write, is newer than the
 * readings before it and proves no other is its effect. Without such a one, two readings of a total must agree that nothing was added.
 */
function additionProbe(addition: Addition): Probe {
  const { reads, total, amount, tokenId } = addition;
  return {
    before: reads,
    after: (sent) => ({
      ...reads(sent),
      transactions: { operation: "ledger.transaction.list", input: { tokenId: tokenId(sent) ?? "" } },
    }),
    keep: (read) => ({ total: total(read) ?? null }),
    judge: (evidence) => {
      const ours = amount(evidence);
      if (evidence.since === undefined) return UNREAD;
      if (evidence.actor === undefined) return NAMELESS;
      if (ours === undefined) return { seen: "unclear", why: "what it adds cannot be read from what was sent" };
      if (hasTwin(evidence, tokenId(evidence), ours)) return TWIN;
      return recorded(addition, evidence) ?? explained(addition, evidence, ours);
    },
  };
}

interface Totals {
  readonly before: Decimal;
  readonly now: Decimal;
  readonly ours: Decimal;
}

// What is alike: of the same kind, between the same parties, by the same actor.
function isAlike(addition: Addition, evidence: Evidence): (each: Movement) => boolean {
  return (each) => addition.isOurs(each, evidence) && isEntity(each.by, evidence.actor);
}

function recorded(addition: Addition, evidence: Evidence): Sight | undefined {
  const tokenId = addition.tokenId(evidence);
  const all = movementsOf(evidence.now["transactions"], tokenId);
  const [proof, ...more] = newMovements(evidence, all, tokenId).filter(isAlike(addition, evidence));
  if (more.length > 0) return { seen: "conflict", why: `it took effect ${more.length + 1} times`, rests: "record" };
  if (proof === undefined) return undefined;
  const total = { before: evidence.before?.["total"] ?? null, now: addition.total(evidence.now) ?? null };
  return effectOfMovement(proof, { total });
}

function explained(addition: Addition, evidence: Evidence, ours: Decimal): Sight {
  const before = number(evidence.before?.["total"]);
  const now = addition.total(evidence.now);
  if (before === undefined) return UNREAD;
  if (now === undefined) return { seen: "unclear", why: "the total that it adds to cannot be read" };
  const all = movementsOf(evidence.now["transactions"], addition.tokenId(evidence));
  const recent = all.filter((each) => newnessOf(evidence, each.at) !== "before");
  const alike = recent.filter((each) => isAlike(addition, evidence)(each) && !isSpent(each, evidence));
  const others = recent.filter((each) => !alike.includes(each)).flatMap((each) => addition.adds(each, evidence) ?? []);
  const isFenced = addition.isFenced?.(evidence, ours) === true;
  return byTotals({ totals: { before, now, ours }, alike: alike.length, others, isFenced });
}

interface Explaining {
  readonly totals: Totals;
  readonly alike: number;
  readonly others: readonly Decimal[];
  readonly isFenced: boolean;
}

// Which of the other movements were before the first reading of the total, its age being unknown, nobody can say.
function byTotals({ totals: { before, now, ours }, alike, others, isFenced }: Explaining): Sight {
  const times = timesIn({ by: now.minus(before), ours, alike, others });
  if (times === "too many") return { seen: "unclear", why: "too many others moved this token meanwhile to tell" };
  if (times.length > 1) return { seen: "unclear", why: "others moved this token meanwhile, so that its total does not tell" };
  const [count] = times;
  if (count === 0 && alike === 0) return isFenced ? { seen: "nothing", again: "fence" } : { seen: "nothing" };
  if (count === 1) return { seen: "effect", by: { total: { before, now } }, rests: "readings" };
  if (count !== undefined && count > 1) return { seen: "conflict", why: `it took effect ${count} times`, rests: "readings" };
  return { seen: "unclear", why: `the total went from ${before} to ${now}, which no transactions explain` };
}

// Writes of other operations move tokens too: by batch, or with an asset that is deposited.
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

// What was minted and is no more supplied was burnt.
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

// What the receiver holds grows by what moves there.
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

/** Units by where they are, amounts by totals. */
function byKind(isUnit: (sent: Sent) => boolean, unit: Probe, amount: Probe): Probe {
  const of = (sent: Sent): Probe => (isUnit(sent) ? unit : amount);
  return {
    before: (sent) => of(sent).before?.(sent) ?? {},
    after: (sent) => of(sent).after(sent),
    keep: (read, sent) => of(sent).keep?.(read, sent) ?? read,
    judge: (evidence) => of(evidence).judge(evidence),
  };
}

export const minted: Probe = eachApart(
  itemsOf,
  byKind(({ input }) => input["nftData"] !== undefined, unitMinted, mintedAmount),
);

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

/** Each token of the batch by itself. */
export const batchTransferred: Probe = eachApart(transfersIn, moved);

// Units are named apart from the tokens that they are of: of those that can have units, when there are as many.
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

/** Parts of one write that add to the same total cannot be told apart. */
function eachApart(split: (sent: Sent) => readonly Sent[], probe: Probe): Probe {
  const each = forEach(split, probe);
  return {
    ...each,
    judge: (evidence) => {
      const parts = split(evidence).filter(({ input }) => input["value"] !== undefined);
      const totals = new Set(parts.map(({ input }) => input["id"]));
      if (totals.size < parts.length) return { seen: "unclear", why: "the write adds to the same total more than once" };
      return each.judge(evidence);
    },
  };
}
