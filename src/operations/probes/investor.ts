import { type Decimal, sum } from "../../base/decimal.ts";
import type { Json, JsonObject } from "../../base/json.ts";
import { type Evidence, type Probe, type Readings, type Reads, type Sent, type Sight, TWIN, UNREAD } from "../probe.ts";
import { field, listOf, number, recordsIn, text } from "./compare.ts";

/** A.1: the user's transactions before and after, on all pages, and what the portfolio holds of the token. */
export const bought: Probe = {
  before: reads,
  after: reads,
  keep: ({ transactions = null, portfolio = null, sale = null }) => ({
    transactions: recordsIn(field(transactions, "transactions")).map(({ id = null }) => id),
    held: heldIn(portfolio, tokenIn(sale)) ?? null,
  }),
  judge: (evidence) => {
    const { before, now, input } = evidence;
    const heldBefore = number(before?.["held"]);
    const amount = number(input["amount"]);
    const heldNow = heldIn(now["portfolio"] ?? null, tokenIn(now["sale"] ?? null));
    if (before === undefined || heldBefore === undefined || heldNow === undefined || amount === undefined) return UNREAD;
    if (
      evidence.rivals.some(
        (rival) => rival["tokenSaleId"] === input["tokenSaleId"] && number(rival["amount"])?.equals(amount) === true,
      )
    )
      return TWIN;
    const [ours, ...more] = newOnes(evidence, before).filter((record) => isOurs(record, input, amount));
    const added = heldNow.minus(heldBefore);
    if (more.length > 0) return { seen: "conflict", why: `the user's transactions show this purchase ${more.length + 1} times` };
    if (ours === undefined)
      return added.isZero()
        ? { seen: "nothing" }
        : { seen: "unclear", why: "the portfolio changed, and no transaction says why" };
    return added.equals(amount) ? effectOf(ours) : { seen: "unclear", why: "the portfolio and the transactions do not agree" };
  },
};

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

// The description does not say whether `amount` counts tokens or money.
function isOurs({ tokenSaleId, tokenCount, amount: told }: JsonObject, input: JsonObject, amount: Decimal): boolean {
  const isAmount = (value: Json | undefined): boolean => number(value)?.equals(amount) === true;
  return tokenSaleId === input["tokenSaleId"] && (isAmount(tokenCount) || isAmount(told));
}

function effectOf(record: JsonObject): Sight {
  const id = text(record["id"]);
  const by = { transaction: id ?? null, txnDate: record["txnDate"] ?? null };
  return { seen: "effect", by, ...(id === undefined ? {} : { spends: id }) };
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

/** A.4: nothing shows it, and a second one sets the same. */
export const kycUpdated: Probe = { after: () => ({}), judge: () => ({ seen: "nothing", again: "value" }) };
