import { describe, expect, test } from "vitest";
import { Decimal } from "../../../src/base/numbers/decimal.ts";
import type { Json, JsonObject } from "../../../src/base/json/json.ts";
import { DEFAULT_PROFILE } from "../../../src/contract/profile.ts";
import type { Evidence, OtherWrite, Sight } from "../../../src/services/probe.ts";
import { operationNamed } from "../../../src/operations/operation.ts";
import { minted } from "../../../src/services/ledger/probes/supply.ts";

const of = (value: number): Decimal => Decimal.of(value);
const entity = (userId: string): JsonObject => ({ orgId: "org1", userId });
const SINCE = 1_780_000_000_000;
const SOON = of(SINCE / 1_000 + 10);

type Given = readonly [to: string, value: number];

const item = ([to, value]: Given): JsonObject => ({ id: "T1", to: entity(to), value: of(value) });
const ITEMS: readonly Given[] = [
  ["bob", 3],
  ["carol", 4],
  ["dora", 5],
];

function transaction(id: string, ...details: readonly Given[]): JsonObject {
  const transactionDetails = details.map(([to, amount]) => ({
    tokenId: "T1",
    to: entity(to),
    amount: of(amount),
    timestampUnix: SOON,
  }));
  return { id, type: "MINT", createdBy: entity("alice"), transactionDetails };
}

function rival(input: JsonObject, transactions: readonly string[] = []): OtherWrite {
  return { operation: "ledger.token.mint", input, actor: entity("alice"), transactions };
}

function judge(transactions: readonly Json[], otherwise: Partial<Evidence> & { items?: readonly Given[] } = {}): Sight {
  const { items = ITEMS, ...more } = otherwise;
  const grown = transactions
    .flatMap((each) => (each as JsonObject)["transactionDetails"] as readonly JsonObject[])
    .reduce((sum, each) => sum.plus(each["amount"] as Decimal), of(0));
  return minted.judge({
    input: { items: items.map(item) },
    actor: entity("alice"),
    names: { id: () => "", mark: "" },
    profile: DEFAULT_PROFILE,
    before: { "total.0": of(100) },
    since: SINCE,
    now: { "token.0": { totalMintedAmount: of(100).plus(grown) }, "transactions.0": transactions },
    rivals: [],
    bystanders: [],
    earlier: [],
    isSpent: () => false,
    ...more,
  });
}

describe("a batch that mints one token to several", () => {
  test("has a visible effect if one transaction has all items, or each item has its own", () => {
    const together = judge([transaction("t1", ...ITEMS)]);
    expect(together).toMatchObject({ seen: "effect", rests: "record", spends: ["t1"] });
    const apart = judge(ITEMS.map((each, at) => transaction(`t${at}`, each)));
    expect(apart).toMatchObject({ seen: "effect", rests: "record", spends: ["t0", "t1", "t2"] });
  });

  test("has an unclear effect if its items are split in any other way", () => {
    const [first = ["", 0], ...rest] = ITEMS;
    expect(judge([transaction("t1", first), transaction("t2", ...rest)])).toMatchObject({ seen: "unclear" });
  });

  test("is a conflict by readings if only a part of it is visible", () => {
    for (const some of [ITEMS.slice(0, 1), ITEMS.slice(1)]) {
      const why = `only ${some.length} of its 3 parts can be seen`;
      expect(judge([transaction("t1", ...some)])).toEqual({ seen: "conflict", why, rests: "readings" });
    }
  });

  test("is a conflict if it took effect twice, and has no effect without a transaction", () => {
    const twice = judge([transaction("t1", ...ITEMS), transaction("t2", ...ITEMS)]);
    expect(twice).toMatchObject({ seen: "conflict", why: "it took effect 2 times", rests: "record" });
    expect(judge([])).toEqual({ seen: "nothing" });
  });

  test("has an effect only if each of its equal items is there", () => {
    const items: readonly Given[] = [
      ["bob", 3],
      ["bob", 3],
    ];
    expect(judge([transaction("t1", ...items)], { items })).toMatchObject({ seen: "effect", spends: ["t1"] });
    expect(judge([transaction("t1", ["bob", 3])], { items })).toMatchObject({ seen: "conflict", rests: "readings" });
  });

  test("has an unclear effect beside another write that looks like one of its items", () => {
    const seen = [transaction("t1", ...ITEMS), transaction("t2", ["bob", 3])];
    expect(judge(seen, { rivals: [rival(item(["bob", 3]))] })).toMatchObject({ seen: "unclear" });
    expect(judge(seen, { rivals: [rival({ items: [item(["bob", 3]), item(["eva", 1])] })] })).toMatchObject({ seen: "unclear" });
    expect(judge([transaction("t1", ...ITEMS)], { rivals: [rival(item(["eva", 3]))] })).toMatchObject({ seen: "effect" });
  });

  test("has no effect by a transaction that already proved another write", () => {
    expect(judge([transaction("t1", ...ITEMS)], { isSpent: (id) => id === "t1" })).toMatchObject({ seen: "nothing" });
  });
});

describe("a mint that looks like one of an hour ago", () => {
  const [only = ["", 0]] = ITEMS;
  const anHourAgo = of(SINCE / 1_000 - 3_600);
  const createdAt = new Date(SINCE - 3_600_000).toISOString();

  function seenAt(timestampUnix: Decimal, more: JsonObject = {}): Sight {
    const old = { tokenId: "T1", to: entity("bob"), amount: of(3), timestampUnix };
    const earlier = { id: "t0", type: "MINT", createdBy: entity("alice"), ...more, transactionDetails: [old] };
    return judge([], { items: [only], now: { "token.0": { totalMintedAmount: of(100) }, "transactions.0": [earlier] } });
  }

  test.for([1, 1_000])("is not proved by that one, whose time has %i units in a second", (perSecond) => {
    expect(seenAt(anHourAgo.times(of(perSecond)))).toEqual({ seen: "nothing" });
  });

  test.for([1_000_000, 1_000_000_000])("is not proved by that one, whose time has %i units in a second", (perSecond) => {
    const time = anHourAgo.times(of(perSecond));
    expect(seenAt(time)).toMatchObject({ seen: "unclear" });
    expect(seenAt(time, { createdAt })).toEqual({ seen: "nothing" });
  });

  test("is not called missing because the service writes 0 for each time", () => {
    expect(seenAt(of(0))).toMatchObject({ seen: "unclear" });
  });
});

const entities = [entity("bob"), entity("carol")];
const PARTS: readonly (readonly [operation: string, input: JsonObject, parts: number])[] = [
  ["ledger.token.mint", { items: ITEMS.map(item) }, 3],
  ["ledger.token.mint", item(["bob", 3]), 1],
  ["ledger.erc1155.safeTransferFrom", { ...item(["bob", 3]), from: entity("alice") }, 1],
  ["ledger.erc1155.safeBatchTransferFrom", { ids: ["T1", "T1"], values: [of(1), of(2)] }, 2],
  ["ledger.asset.create", { assetType: "Bond", data: { id: "B1" } }, 1],
  ["ledger.asset.create", { assetType: "Bond", data: [{ id: "B1" }, { id: "B2" }] }, 2],
  ["ledger.asset.delete", { assetType: "Bond", id: ["B1", "B2"] }, 2],
  ["ledger.transfer.request", { assetType: "Bond", id: ["B1", "B2"], approvers: entities }, 1],
  ["ledger.transfer.approve", { id: ["R1", "R2"] }, 2],
  ["ledger.approval.accept", { items: [{ id: "R1" }, { id: "R2" }] }, 2],
  ["ledger.token.setApproval", { tokenIds: ["T1", "T2"], operators: entities, approved: true }, 2],
  ["ledger.token.setPermissions", { id: "T1", permissions: entities.map((each) => ({ entity: each, roles: ["minter"] })) }, 1],
  ["ledger.vault.addToken", { id: "V1", vaultToken: [{ name: "A" }, { name: "B" }] }, 2],
  ["ledger.vault.deposit", { vaultId: "V1", assets: [{ id: "B1", shares: entities.map((receiver) => ({ receiver })) }] }, 1],
  ["ledger.vault.deposit", { vaultId: "V1", assets: [{ id: "B1" }, { id: "B2" }] }, 2],
];

test.for(PARTS)("%s has as many parts as the service can do separately", ([name, input, parts]) => {
  const { meaning } = operationNamed(name);
  if (meaning.effect === "read") throw new Error(`${name} is no write`);
  const sent = { input, actor: entity("alice"), names: { id: () => "", mark: "" }, profile: DEFAULT_PROFILE };
  expect(meaning.probe.parts?.(sent) ?? 1).toBe(parts);
});
