import { type Decimal, sum } from "../../base/numbers/decimal.ts";
import { type Json, jsonEquals, type JsonObject } from "../../base/json/json.ts";
import { isMasked } from "../../base/secret.ts";
import type { Written } from "../meaning.ts";
import {
  type Evidence,
  type OtherWrite,
  type Probe,
  type Readings,
  type Reads,
  type Rests,
  type Sent,
  type Sight,
  TWIN,
  UNREAD,
} from "../probe.ts";
import { isPayout } from "./conserved.ts";
import { field, listOf, number, recordsIn, text } from "../../base/json/parts.ts";
import { type Match, worst } from "../probes/match.ts";
import { isNewer, timeOf, withoutRecord } from "../probes/recency.ts";

/** A.1: reads the user's transactions, on all pages, and the portfolio's quantity of the token, before and after. */
export const bought: Probe = {
  before: reads,
  after: reads,
  keep: ({ transactions = null, portfolio = null, sale = null }) => ({
    transactions: recordsIn(field(transactions, "transactions")).map(({ id = null }) => id),
    held: heldIn(portfolio, tokenIn(sale)) ?? null,
  }),
  known: ({ transactions }) => listOf(transactions),
  judge: (evidence) => {
    const { before, now, input } = evidence;
    const heldBefore = number(before?.["held"]);
    const amount = number(input["amount"]);
    const heldNow = heldIn(now["portfolio"] ?? null, tokenIn(now["sale"] ?? null));
    if (before === undefined || heldBefore === undefined || heldNow === undefined || amount === undefined) return UNREAD;
    const fresh = newOnes(evidence, before);
    const alike = fresh.filter((record) => matchOf(record, input) === "yes");
    if (alike.some((record) => couldBeOf(evidence, evidence.rivals, record))) return TWIN;
    const [proven, ...provenToo] = alike.filter((record) => isProven(evidence, record));
    if (provenToo.length > 0)
      return {
        seen: "conflict",
        why: `the user's transactions show this purchase ${provenToo.length + 1} times`,
        rests: "record",
      };
    if (proven !== undefined) return effectOf(proven, "record");
    const added = heldNow.minus(heldBefore);
    const [ours, ...more] = alike;
    if (ours === undefined && fresh.some((record) => matchOf(record, input) === "maybe"))
      return {
        seen: "unclear",
        why: "a new transaction of the user could be this purchase, and does not say clearly what it is",
      };
    if (ours === undefined)
      return added.isZero()
        ? { seen: "nothing" }
        : { seen: "unclear", why: "the portfolio changed, and no transaction explains it" };
    return more.length === 0 && added.equals(amount)
      ? effectOf(ours, "readings")
      : { seen: "unclear", why: "the portfolio and the transactions do not agree" };
  },
};

// A purchase in the same second as the readings before may belong to an earlier write whose transaction is unknown.
function isProven(evidence: Evidence, record: JsonObject): boolean {
  if (text(record["id"]) === undefined) return false;
  return isNewer(evidence, timeOf(record["txnDate"]), () => !couldBeOf(evidence, evidence.earlier, record));
}

// A purchase whose own transaction is listed has not left another one.
function couldBeOf({ now }: Evidence, writes: readonly OtherWrite[], record: JsonObject): boolean {
  const purchases = writes.filter(({ operation }) => operation === "investor.sales.buy");
  const ids = new Set(recordsIn(field(now["transactions"], "transactions")).map(({ id }) => id));
  return withoutRecord(purchases, ids).some(({ input }) => matchOf(record, input) !== "no");
}

/** Returns why the result of a purchase is no evidence of this purchase. */
export function doubtOfPurchase({ input, payload, profile }: Pick<Written, "input" | "payload" | "profile">): string | undefined {
  const result = field(payload, "result") ?? null;
  if (text(field(result, "transactionId") ?? null) === undefined) return "the answer names no transaction";
  const status = text(field(result, "status") ?? null);
  const failed = [FAILED, ...profile.ledger.receipt.failed].map((word) => word.toLowerCase());
  if (status !== undefined && failed.includes(status.toLowerCase())) return `the purchase is ${status}`;
  const other = ASKED.find((name) => isOther(field(result, name) ?? null, input[name] ?? null));
  return other === undefined ? undefined : `the answer is of another purchase: its ${other} is not the one that was asked for`;
}

// The status word of this interface's envelopes. The description does not show the words of a purchase.
const FAILED = "Failed";

const ASKED = ["tokenSaleId", "amount", "userAddress"] as const;

// A field may be missing. Wallet addresses are written in upper or lower case.
function isOther(said: Json, asked: Json): boolean {
  if (said === null) return false;
  return typeof said === "string" && typeof asked === "string"
    ? said.toLowerCase() !== asked.toLowerCase()
    : !jsonEquals(said, asked);
}

function reads({ input }: Sent): Reads {
  return {
    sale: { operation: "investor.sales.get", input: { tokenSaleId: input["tokenSaleId"] ?? "" } },
    transactions: { operation: "investor.portfolio.transactions", input: {} },
    portfolio: { operation: "investor.portfolio.tokens", input: {} },
  };
}

function newOnes({ now, isSpent }: Evidence, before: Readings): readonly JsonObject[] {
  const known = new Set(listOf(before["transactions"]));
  return recordsIn(field(now["transactions"], "transactions")).filter(
    ({ id = null }) => !known.has(id) && !(typeof id === "string" && isSpent(id)),
  );
}

/** Returns whether a transaction belongs to a purchase. The description does not say whether `amount` counts tokens or money. */
function matchOf(record: JsonObject, input: JsonObject): Match {
  if (isPayout(record)) return "no";
  const { tokenSaleId = null, tokenCount, amount: currency } = record;
  const amount = number(input["amount"]);
  const counts = [tokenCount, currency].flatMap((value) => number(value) ?? []);
  const isUnnamed = tokenSaleId === null || tokenSaleId === "" || isMasked(input["tokenSaleId"]);
  const isAmount = amount !== undefined && counts.some((count) => count.equals(amount));
  return worst([
    matchIf(!isUnnamed && tokenSaleId === input["tokenSaleId"], isUnnamed),
    matchIf(isAmount, counts.length === 0 || isMasked(input["amount"])),
  ]);
}

// Equal parts match, even if another part is unknown.
function matchIf(isSame: boolean, isUnknown: boolean): Match {
  if (isSame) return "yes";
  return isUnknown ? "maybe" : "no";
}

function effectOf(record: JsonObject, rests: Rests): Sight {
  const id = text(record["id"]);
  const by = { transaction: id ?? null, txnDate: record["txnDate"] ?? null };
  return { seen: "effect", by, rests, ...(id === undefined ? {} : { spends: [id] }) };
}

function tokenIn(sale: Json): Json | undefined {
  return field(field(sale, "sale"), "tokenId");
}

function heldIn(portfolio: Json, tokenId: Json | undefined): Decimal | undefined {
  const tokens = field(portfolio, "tokens");
  if (!Array.isArray(tokens) || tokenId === undefined) return undefined;
  const counts = recordsIn(tokens).filter((held) => held["tokenId"] === tokenId);
  return sum(counts.flatMap((held) => [held["tokenCount"], held["pendingTokenCount"]].flatMap((count) => number(count) ?? [])));
}

/** A.4: no reading shows the effect, so a missing one proves nothing. A second attempt sets the same value. */
export const kycUpdated: Probe = {
  after: () => ({}),
  judge: () => ({ seen: "unclear", why: "no reading shows it", again: "value" }),
};
