import { Decimal } from "../../base/decimal.ts";
import { type Json, type JsonObject, jsonEquals } from "../../base/json.ts";
import { type Evidence, forEach, type Probe, type ProbeRead, type Readings, type Sent, type Sight, UNREAD } from "../probe.ts";
import { balanceIn, field, isEntity, itemsOf, listOf, number, recordsIn, text } from "./compare.ts";
import { timesIn } from "./explain.ts";
import { unitProbe } from "./tokens.ts";

const MS = Decimal.of(1_000);
/** From here on a time is told in milliseconds. */
const SECONDS_END = Decimal.of(100_000_000_000);

/** One movement of a fungible token, as the list of its transactions tells it. */
interface Movement {
  readonly id: string | undefined;
  readonly from: Json | undefined;
  readonly to: Json | undefined;
  readonly amount: Decimal;
  readonly type: Json | undefined;
  readonly by: Json | undefined;
}

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
 * The probe of a write that adds. Two readings of a total say how much was added between them, whoever did it; the token's transactions
 * since then say who did what. Only if no other explanation is left, our write took effect: once, or not at all.
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
      const before = number(evidence.before?.["total"]);
      const now = total(evidence.now);
      const ours = amount(evidence);
      if (before === undefined || evidence.since === undefined) return UNREAD;
      if (now === undefined || ours === undefined) return { seen: "unclear", why: "the total that it adds to cannot be read" };
      if (evidence.actor === undefined)
        return { seen: "unclear", why: "the playbook does not say who acts, so nobody can tell whose transaction it would be" };
      if (evidence.rivals.some((rival) => jsonEquals(rival, evidence.input)))
        return { seen: "unclear", why: "the same write was under way a second time, and nobody could tell the two apart" };
      return explained(addition, evidence, { before, now, ours });
    },
  };
}

interface Totals {
  readonly before: Decimal;
  readonly now: Decimal;
  readonly ours: Decimal;
}

function explained(addition: Addition, evidence: Evidence, { before, now, ours }: Totals): Sight {
  const movements = movementsSince(evidence, addition.tokenId(evidence));
  const alike = movements.filter(
    (each) => addition.isOurs(each, evidence) && isEntity(each.by, evidence.actor) && !isSpent(each, evidence),
  );
  const others = movements.filter((each) => !alike.includes(each)).flatMap((each) => addition.adds(each, evidence) ?? []);
  const times = timesIn({ by: now.minus(before), ours, alike: alike.length, others });
  if (times === "too many") return { seen: "unclear", why: "too many others moved this token meanwhile to tell" };
  if (times.length > 1) return { seen: "unclear", why: "others moved this token meanwhile, so that its total does not tell" };
  const [count] = times;
  if (count === undefined)
    return { seen: "conflict", why: `the total went from ${before} to ${now}, which no transactions explain` };
  if (count > 1) return { seen: "conflict", why: `it took effect ${count} times` };
  if (count === 0)
    return addition.isFenced?.(evidence, ours) === true ? { seen: "nothing", again: "fence" } : { seen: "nothing" };
  const { id } = alike[0] ?? { id: undefined };
  const by = { total: { before, now }, transaction: id ?? null };
  return { seen: "effect", by, ...(id === undefined || alike.length > 1 ? {} : { spends: id }) };
}

function isSpent({ id }: Movement, evidence: Evidence): boolean {
  return id !== undefined && evidence.isSpent(id);
}

// The service's time has seconds: what happened in the very second of the first reading may have been before it.
function movementsSince({ now, since = 0 }: Evidence, tokenId: Json | undefined): readonly Movement[] {
  return recordsIn(now["transactions"]).flatMap((transaction) =>
    recordsIn(transaction["transactionDetails"]).flatMap((detail) => {
      const amount = number(detail["amount"]);
      if (detail["tokenId"] !== tokenId || amount === undefined) return [];
      const at = timeOf(detail, transaction);
      if (at !== undefined && at < since) return [];
      return [
        {
          id: text(transaction["id"]),
          from: detail["from"],
          to: detail["to"],
          amount,
          type: transaction["type"],
          by: transaction["createdBy"],
        },
      ];
    }),
  );
}

function timeOf(detail: JsonObject, transaction: JsonObject): number | undefined {
  const unix = number(detail["timestampUnix"]);
  if (unix !== undefined) return (unix.compare(SECONDS_END) > 0 ? unix : unix.times(MS)).approximate();
  const at = Date.parse(text(transaction["createdAt"]) ?? "");
  return Number.isNaN(at) ? undefined : at;
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
  byKind(
    ({ input }) => input["nftData"] !== undefined,
    unitProbe({
      unit: ({ input }) => field(input["nftData"], "id"),
      tokenId: ownId,
      from: () => null,
      to: ({ input }) => input["to"] ?? null,
      again: "unique",
    }),
    mintedAmount,
  ),
);

export const burnt: Probe = eachApart(
  itemsOf,
  byKind(
    ({ input }) => input["assetId"] !== undefined,
    unitProbe({
      unit: ({ input }) => input["assetId"],
      tokenId: ownId,
      from: ({ input }) => input["from"] ?? null,
      to: () => null,
    }),
    burntAmount,
  ),
);

const moved: Probe = byKind(
  ({ input }) => field(input["data"], "assetId") !== undefined,
  unitProbe({
    unit: ({ input }) => field(input["data"], "assetId"),
    tokenId: ownId,
    from: ({ input }) => input["from"] ?? null,
    to: ({ input }) => input["to"] ?? null,
  }),
  movedAmount,
);

/** B.5 */
export const transferred: Probe = eachApart((sent) => [sent], moved);

/** Each token of the batch by itself. */
export const batchTransferred: Probe = eachApart(transfersIn, moved);

// Which of its tokens have units is told only when all or none of them do.
function transfersIn(sent: Sent): readonly Sent[] {
  const { ids, values, data, ...parties } = sent.input;
  const [tokens, amounts, units] = [listOf(ids), listOf(values), listOf(field(data, "assetIds"))];
  const unitOf = (at: number): JsonObject => {
    if (units.length === 0) return { value: amounts[at] ?? null };
    return { data: { assetId: units.length === tokens.length ? (units[at] ?? "") : "" } };
  };
  return tokens.map((id, at) => ({ ...sent, input: { ...parties, id, ...unitOf(at) } }));
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
