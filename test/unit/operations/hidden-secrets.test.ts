// The journal hides secrets, so the recorded input of another write of the run may hold a mask. A mask may equal any text.
import { expect, test } from "vitest";
import { Decimal } from "../../../src/base/numbers/decimal.ts";
import type { JsonObject } from "../../../src/base/json/json.ts";
import { DEFAULT_PROFILE } from "../../../src/contract/profile.ts";
import { operationNamed } from "../../../src/operations/operation.ts";
import type { Evidence } from "../../../src/services/probe.ts";

const HIDDEN = "it is ${{ secrets.NAME }}";
const SINCE = Date.parse("2026-11-21T10:00:00.000Z");
const LATER = "2026-11-21T10:00:05.000Z";
const alice = { orgId: "org1", userId: "alice" };
const bob = { orgId: "org1", userId: "bob" };
const five = Decimal.of(5);

interface Lost {
  readonly input: JsonObject;
  readonly before: JsonObject;
  readonly now: JsonObject;
}

const movement = { tokenId: "T1", to: bob, amount: five };
const bought = { id: "p1", tokenSaleId: "s1", tokenCount: five, txnDate: LATER };
const LOST: Readonly<Record<string, Lost>> = {
  "ledger.token.mint": {
    input: { id: "T1", to: bob, value: five },
    before: { "total.0": five },
    now: {
      "token.0": { totalMintedAmount: Decimal.of(10) },
      "transactions.0": [{ id: "t1", type: "MINT", createdBy: alice, createdAt: LATER, transactionDetails: [movement] }],
    },
  },
  "ledger.asset.update": {
    input: { assetType: "Bond", data: { id: "B1", note: "new" } },
    before: { "asset.0": { data: { id: "B1" } }, "history.0": [] },
    now: {
      "asset.0": { data: { id: "B1", note: "new" } },
      "history.0": {
        records: [{ transactionId: "t1", transactionTime: LATER, updatedBy: alice, data: { id: "B1", note: "new" } }],
      },
    },
  },
  "investor.sales.buy": {
    input: { tokenSaleId: "s1", amount: five },
    before: { transactions: [], held: Decimal.of(0) },
    now: {
      sale: { sale: { tokenId: "T1" } },
      transactions: { transactions: [bought] },
      portfolio: { tokens: [{ tokenId: "T1", tokenCount: five }] },
    },
  },
};

function seenBeside(operation: string, rival: JsonObject | undefined): string {
  const { meaning } = operationNamed(operation);
  if (meaning.effect === "read") throw new Error(`${operation} is no write`);
  const { input, before, now } = LOST[operation] as Lost;
  const evidence: Evidence = {
    input,
    before,
    now,
    actor: alice,
    names: { id: () => "", mark: "" },
    profile: DEFAULT_PROFILE,
    since: SINCE,
    rivals: rival === undefined ? [] : [{ operation, input: { ...input, ...rival }, actor: alice, transactions: [] }],
    bystanders: [],
    earlier: [],
    isSpent: () => false,
  };
  return meaning.probe.judge(evidence).seen;
}

test.for<readonly [string, JsonObject, JsonObject]>([
  ["ledger.token.mint", { id: HIDDEN }, { id: "T2" }],
  ["ledger.token.mint", { to: { ...bob, userId: HIDDEN } }, { to: { ...bob, userId: "carol" } }],
  ["ledger.token.mint", { value: HIDDEN }, { value: Decimal.of(6) }],
  ["ledger.asset.update", { data: { id: HIDDEN, note: "new" } }, { data: { id: "B2", note: "new" } }],
  ["ledger.asset.update", { data: { id: "B1", note: HIDDEN } }, { data: { id: "B1", note: "old" } }],
  ["investor.sales.buy", { tokenSaleId: HIDDEN }, { tokenSaleId: "s2" }],
  ["investor.sales.buy", { amount: HIDDEN }, { amount: Decimal.of(6) }],
])("a record proves neither of two writes %s if the input of one hides a secret", ([operation, hidden, other]) => {
  expect(seenBeside(operation, undefined)).toBe("effect");
  expect(seenBeside(operation, other)).toBe("effect");
  expect(seenBeside(operation, hidden)).toBe("unclear");
});
