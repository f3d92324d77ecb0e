import { expect, test } from "vitest";
import { sandboxForTest, user, type Caller } from "./caller.ts";

const alice = "userId:alice";
const bob = "userId:bob";
const carol = "userId:carol";

const gold = {
  id: "GOLD1",
  name: "Gold",
  symbol: "GLD",
  classification: { type: "fungible", unit: "fractional", valueType: "intrinsic", supply: "capped-variable" },
  behaviour: {
    decimal: 2,
    maxMintQuantity: 0,
    transferable: true,
    burnable: true,
    rolesMap: { minter_role_name: "minter", burner_role_name: "burner" },
  },
  tokenPermissions: [{ entity: user("bob"), roles: ["minter", "burner"] }],
};
const deed = {
  id: "DEED1",
  classification: { type: "nonfungible", unit: "whole" },
  nftFields: [{ name: "number", desc: "Deed number", isPrimaryKey: true, isForeignKey: false }],
};

async function withTokens(...tokens: readonly object[]): Promise<Caller> {
  const caller = await sandboxForTest();
  expect((await caller.ledger("POST /token", { as: alice, body: tokens })).status).toBe(200);
  return caller;
}

const mint = (caller: Caller, as: string, item: object) => caller.ledger("POST /token/mint", { as, body: [item] });
const burn = (caller: Caller, as: string, item: object) => caller.ledger("POST /token/burn", { as, body: [item] });
const balance = (caller: Caller, id: string, userId: string) =>
  caller.ledger("POST /token/erc1155/balanceOf", { body: { id, owner: user(userId) } });

test("a token has one form in a read, and another form in the list", async () => {
  const { ledger } = await withTokens(gold);
  const token = (await ledger("GET /token", { query: { id: "GOLD1" } })).body;
  expect(token).toMatchObject({
    docType: "asset",
    ...gold,
    description: "",
    properties: {},
    totalSupply: 0,
    totalMintedAmount: 0,
    owners: [{ entity: user("alice") }],
  });
  const list = (await ledger("GET /token/all")).body;
  expect(list).toMatchObject({ count: 1, bookmark: "", records: [{ name: "Gold", permission: gold.tokenPermissions }] });
  expect(Object.keys(list.records[0])).not.toEqual(expect.arrayContaining(["id"]));
  for (const hidden of ["id", "docType", "tokenPermissions", "burntAmount", "nftFields"])
    expect(list.records[0]).not.toHaveProperty(hidden);
});

test("an amount of any length keeps every digit", async () => {
  const caller = await withTokens(gold);
  const answer = await caller.ledger("POST /token/mint", {
    as: bob,
    body: `[{"id":"GOLD1","to":{"orgId":"org1","userId":"carol"},"value":12345678901234567890.50}]`,
  });
  expect(answer.status).toBe(200);
  expect((await balance(caller, "GOLD1", "carol")).text).toContain('"balance":12345678901234567890.5');
  const transaction = await caller.ledger("GET /token/transaction", { query: { id: answer.body.transactionId } });
  expect(transaction.text).toContain('"amount":12345678901234567890.50');
  expect((await caller.control("GET /commits")).text).toContain("12345678901234567890.50");
});

test("only an entity with the role can mint and burn, and the sums are right", async () => {
  const caller = await withTokens(gold);
  expect(await mint(caller, alice, { id: "GOLD1", to: user("carol"), value: 1 })).toMatchObject({
    status: 403,
    body: { condition: "invalid caller" },
  });
  await mint(caller, bob, { id: "GOLD1", to: user("carol"), value: 10.25 });
  await burn(caller, bob, { id: "GOLD1", from: user("carol"), value: 0.25 });
  expect(await burn(caller, carol, { id: "GOLD1", from: user("carol"), value: 1 })).toMatchObject({
    status: 403,
    body: { condition: "access denied" },
  });
  expect(await burn(caller, bob, { id: "GOLD1", from: user("carol"), value: 11 })).toMatchObject({
    status: 422,
    body: { condition: "balance too low" },
  });
  expect((await caller.ledger("GET /token", { query: { id: "GOLD1" } })).body).toMatchObject({
    totalSupply: 10,
    totalMintedAmount: 10.25,
  });

  const accounts = (await caller.ledger("POST /token/account/all", { body: [{ tokenId: "GOLD1" }] })).body;
  expect(accounts).toMatchObject([
    {
      id: expect.stringMatching(/^account~/),
      docType: "account",
      entity: user("carol"),
      tokenId: "GOLD1",
      balance: 10,
      nftIds: [],
      approvedEntities: [],
      createdAt: null,
    },
  ]);
  expect((await caller.ledger("GET /token/account", { query: { id: accounts[0].id } })).body).toEqual(accounts[0]);
  const transactions = (await caller.ledger("POST /token/transaction/all", { body: [{ tokenId: "GOLD1" }] })).body;
  expect(transactions).toMatchObject([
    {
      docType: "tkntx",
      type: "MINT",
      transactionDetails: [{ tokenId: "GOLD1", to: user("carol"), amount: 10.25, timestampUnix: expect.any(Number) }],
    },
    { type: "BURN", transactionDetails: [{ tokenId: "GOLD1", amount: 0.25 }] },
  ]);
  // The service description has no field for the entity that gave the tokens.
  expect(transactions[1].transactionDetails[0]).not.toHaveProperty("from");
});

test("a mint beyond the cap or with too many decimals, and a used id, are refused", async () => {
  const caller = await withTokens({ ...gold, behaviour: { ...gold.behaviour, maxMintQuantity: 100 } }, deed);
  const to = user("carol");
  await mint(caller, bob, { id: "GOLD1", to, value: 60 });
  await burn(caller, bob, { id: "GOLD1", from: to, value: 60 });
  expect(await mint(caller, bob, { id: "GOLD1", to, value: 40.01 })).toMatchObject({
    status: 422,
    body: { condition: "mint quantity exceeded" },
  });
  expect((await mint(caller, bob, { id: "GOLD1", to, value: 40 })).status).toBe(200);
  expect(await mint(caller, bob, { id: "GOLD1", to, value: 0.001 })).toMatchObject({ status: 400 });
  expect(await mint(caller, bob, { id: "GOLD1", to, value: -1 })).toMatchObject({ status: 400 });
  expect(await mint(caller, bob, { id: "NONE", to, value: 1 })).toMatchObject({
    status: 404,
    body: { condition: "invalid token id" },
  });
  const create = (token: object) => caller.ledger("POST /token", { as: alice, body: [token] });
  expect(await create({ id: "a-b" })).toMatchObject({ status: 400 });
  expect(await create(gold)).toMatchObject({ status: 409, body: { condition: "token already exists" } });
  expect(await create({ id: "T2", nftFields: deed.nftFields })).toMatchObject({ status: 400 });
  expect((await create({ name: "no id" })).status).toBe(200);
});

test("if two mints exceed the cap together, the later one fails at its commit", async () => {
  const caller = await sandboxForTest({ commitDelayMs: 400 });
  await caller.ledger("POST /token", { as: alice, body: [{ ...gold, behaviour: { ...gold.behaviour, maxMintQuantity: 100 } }] });
  const both = await Promise.all([60, 60].map((value) => mint(caller, bob, { id: "GOLD1", to: user("carol"), value })));
  expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 422]);
  expect((await balance(caller, "GOLD1", "carol")).body.balance).toBe(60);
});

test("a unit of a non-fungible token exists once", async () => {
  const caller = await withTokens(deed);
  const to = user("carol");
  const minted = await mint(caller, alice, { id: "DEED1", to, nftData: { number: "D-1", house: "P1" } });
  expect(await mint(caller, alice, { id: "DEED1", to, nftData: { number: "D-1" } })).toMatchObject({
    status: 409,
    body: { condition: "token already exists" },
  });
  expect(await mint(caller, alice, { id: "DEED1", to, nftData: { house: "P1" } })).toMatchObject({ status: 400 });
  expect(
    (await caller.ledger("GET /token/transaction", { query: { id: minted.body.transactionId } })).body.transactionDetails,
  ).toMatchObject([{ amount: 1, data: { id: "D-1", ledgerMetadata: { owners: [to] } } }]);

  const move = (as: string, data: object) =>
    caller.ledger("POST /token/erc1155/safeTransferFrom", {
      as,
      body: { from: to, to: user("bob"), id: "DEED1", value: 1, data },
    });
  expect(await move(carol, {})).toMatchObject({ status: 400 });
  expect((await move(carol, { assetId: "D-1" })).status).toBe(200);
  const accounts = (await caller.ledger("POST /token/account/all", { body: [{ tokenId: "DEED1" }] })).body;
  expect(accounts.map(({ balance: held, nftIds }: { balance: number; nftIds: string[] }) => [held, nftIds])).toEqual([
    [0, []],
    [1, ["D-1"]],
  ]);

  expect(await burn(caller, alice, { id: "DEED1", from: to, assetId: "D-1" })).toMatchObject({
    status: 404,
    body: { condition: "invalid asset id" },
  });
  await burn(caller, alice, { id: "DEED1", from: user("bob"), assetId: "D-1" });
  expect(await burn(caller, alice, { id: "DEED1", from: user("bob"), assetId: "D-1" })).toMatchObject({
    status: 409,
    body: { condition: "token already burnt" },
  });
});

test("a holder can transfer its own tokens, and an operator those that it was approved for", async () => {
  const caller = await withTokens(gold, { ...gold, id: "FIXED1", behaviour: { ...gold.behaviour, transferable: false } });
  await mint(caller, bob, { id: "GOLD1", to: user("carol"), value: 100 });
  await mint(caller, bob, { id: "FIXED1", to: user("carol"), value: 100 });
  const move = (as: string, value: number, id = "GOLD1") =>
    caller.ledger("POST /token/erc1155/safeTransferFrom", { as, body: { from: user("carol"), to: user("dave"), id, value } });
  expect((await move(carol, 10)).status).toBe(200);
  expect(await move("userId:dave", 10)).toMatchObject({ status: 403, body: { condition: "unauthorized caller" } });
  expect(await move(carol, 95)).toMatchObject({ status: 422, body: { condition: "balance too low" } });
  expect(await move(carol, 101)).toMatchObject({ status: 400 });
  expect(await move(carol, 1, "FIXED1")).toMatchObject({ status: 422, body: { condition: "token not transferable" } });

  const setAll = (approved: boolean) =>
    caller.ledger("POST /token/erc1155/setApprovalForAll", { as: carol, body: { approved, operator: user("dave") } });
  const isApproved = async () =>
    (await caller.ledger("POST /token/erc1155/isApprovedForAll", { body: { owner: user("carol"), operator: user("dave") } }))
      .body;
  expect(await isApproved()).toEqual({ approved: "false" });
  await setAll(true);
  expect(await isApproved()).toEqual({ approved: "true" });
  expect((await move("userId:dave", 10)).status).toBe(200);
  await setAll(false);
  expect((await move("userId:dave", 10)).status).toBe(403);

  const approveOne = (approved: boolean) =>
    caller.ledger("PATCH /token/approval", { as: carol, body: [{ tokenIds: ["GOLD1"], operators: [user("erin")], approved }] });
  await approveOne(true);
  expect((await move("userId:erin", 10)).status).toBe(200);
  await approveOne(false);
  expect((await move("userId:erin", 10)).status).toBe(403);
});

test("balances and transfers work in batches", async () => {
  const caller = await withTokens(gold, deed);
  await mint(caller, bob, { id: "GOLD1", to: user("carol"), value: 5 });
  await mint(caller, alice, { id: "DEED1", to: user("carol"), nftData: { number: "D-1" } });
  const body = { from: user("carol"), to: user("dave"), ids: ["GOLD1", "DEED1"], values: [2, 1], data: { assetIds: ["D-1"] } };
  expect(
    await caller.ledger("POST /token/erc1155/safeBatchTransferFrom", { as: carol, body: { ...body, values: [2] } }),
  ).toMatchObject({ status: 400 });
  expect(
    await caller.ledger("POST /token/erc1155/safeBatchTransferFrom", { as: carol, body: { ...body, values: [9, 1] } }),
  ).toMatchObject({ status: 400 });
  expect((await caller.ledger("POST /token/erc1155/safeBatchTransferFrom", { as: carol, body })).status).toBe(200);

  const batch = await caller.ledger("POST /token/erc1155/balanceOfBatch", {
    body: { ids: ["GOLD1", "DEED1"], owners: [user("dave"), user("carol")] },
  });
  expect(batch.body).toEqual([
    { owner: user("dave"), balance: 2 },
    { owner: user("carol"), balance: 0 },
  ]);
  expect(await caller.ledger("POST /token/erc1155/balanceOfBatch", { body: { ids: ["GOLD1"], owners: [] } })).toMatchObject({
    status: 400,
  });
  expect(await balance(caller, "GOLD1", "nobody")).toMatchObject({
    status: 404,
    body: { condition: "account and token pairing does not exist" },
  });
  expect(
    await caller.ledger("POST /token/erc1155/balanceOf", { body: { id: "GOLD1", owner: { orgId: "other" } } }),
  ).toMatchObject({
    status: 403,
    body: { condition: "access denied" },
  });
});

test("a token can give a role any name, and the owner can act if no role is mapped", async () => {
  const caller = await sandboxForTest();
  const tokenPermissions = [{ entity: user("bob"), roles: ["king"] }];
  const create = (item: object) => caller.ledger("POST /token", { as: alice, body: [item] });
  expect(await create({ id: "CROWN", behaviour: { rolesMap: { minter_role_name: "king" } }, tokenPermissions })).toMatchObject({
    status: 200,
  });
  expect(await create({ id: "OTHER", tokenPermissions })).toMatchObject({
    status: 400,
    body: { condition: "invalid parameters" },
  });
  const item = { id: "CROWN", value: 1 };
  expect((await mint(caller, bob, { ...item, to: user("carol") })).status).toBe(200);
  expect(await mint(caller, alice, { ...item, to: user("carol") })).toMatchObject({ status: 403 });
  expect(await burn(caller, bob, { ...item, from: user("carol") })).toMatchObject({ status: 403 });
  expect((await burn(caller, alice, { ...item, from: user("carol") })).status).toBe(200);
  // The description allows its four roles for every token, so a token that cannot be transferred accepts the role `transfer`.
  const fixed = { id: "FIXED", behaviour: { transferable: false } };
  expect(await create({ ...fixed, tokenPermissions: [{ entity: user("bob"), roles: ["transfer"] }] })).toMatchObject({
    status: 200,
  });
});

test("owners of a token can change its fields, roles and owners", async () => {
  const caller = await withTokens(gold);
  const patch = (path: string, as: string, item: object) => caller.ledger(`PATCH /token${path}`, { as, body: [item] });
  await patch("", alice, { id: "GOLD1", description: "Fine gold" });
  expect(await patch("", bob, { id: "GOLD1", description: "Mine" })).toMatchObject({ status: 403 });
  expect(await patch("", alice, { id: "NONE" })).toMatchObject({ status: 404, body: { condition: "token not found" } });
  expect(
    await patch("/permissions", alice, { id: "GOLD1", permissions: [{ entity: user("dave"), roles: ["king"] }] }),
  ).toMatchObject({
    status: 403,
    body: { condition: "invalid role" },
  });
  await patch("/permissions", alice, { id: "GOLD1", permissions: [{ entity: user("dave"), roles: ["minter"] }] });
  expect((await mint(caller, "userId:dave", { id: "GOLD1", to: user("carol"), value: 1 })).status).toBe(200);
  expect((await mint(caller, bob, { id: "GOLD1", to: user("carol"), value: 1 })).status).toBe(403);
  expect(await patch("/owners", alice, { id: "NONE", owners: [user("bob")] })).toMatchObject({
    status: 404,
    body: { condition: "invalid or nonexistent token id" },
  });
  await patch("/owners", alice, { id: "GOLD1", owners: [user("bob")] });
  expect((await caller.ledger("GET /token", { query: { id: "GOLD1" } })).body).toMatchObject({
    name: "Gold",
    description: "Fine gold",
    owners: [{ entity: user("bob") }],
  });
  expect(await patch("", alice, { id: "GOLD1", description: "Mine" })).toMatchObject({ status: 403 });
});

test("an operator must belong to the organization, and is approved once", async () => {
  const caller = await withTokens(gold);
  const approve = (...operators: readonly object[]) =>
    caller.ledger("PATCH /token/approval", { as: carol, body: [{ tokenIds: ["GOLD1"], operators, approved: true }] });
  for (const stranger of [{ userId: "bob" }, { orgId: "org2", userId: "bob" }, { orgId: "org1", userId: "" }]) {
    expect(await approve(user("erin"), stranger)).toMatchObject({ status: 400, body: { condition: "invalid parameters" } });
  }
  expect((await approve(user("erin"), user("erin"))).status).toBe(200);
  expect((await caller.ledger("POST /token/account/all", { body: [{ tokenId: "GOLD1" }] })).body).toMatchObject([
    { entity: user("carol"), approvedEntities: [user("erin")] },
  ]);
});

test("an entity of another organization can receive and hold tokens, and cannot act", async () => {
  const caller = await withTokens(gold);
  const abroad = { orgId: "org2", userId: "bob" };
  const held = (owner: object) => caller.ledger("POST /token/erc1155/balanceOf", { as: alice, body: { id: "GOLD1", owner } });
  expect(await held(abroad)).toMatchObject({ status: 403, body: { condition: "access denied" } });
  expect((await mint(caller, bob, { id: "GOLD1", to: abroad, value: 5 })).status).toBe(200);
  await mint(caller, bob, { id: "GOLD1", to: user("carol"), value: 3 });
  const move = (from: object, to: object) =>
    caller.ledger("POST /token/erc1155/safeTransferFrom", { as: carol, body: { from, to, id: "GOLD1", value: 2 } });
  expect((await move(user("carol"), abroad)).status).toBe(200);
  expect((await held(abroad)).body).toEqual({ owner: abroad, balance: 7 });
  expect(await move(abroad, user("carol"))).toMatchObject({ status: 400, body: { condition: "invalid parameters" } });
  expect((await mint(caller, bob, { id: "GOLD1", to: { userId: "bob" }, value: 1 })).status).toBe(400);
});

test("a batch transfer without an amount is refused for a fungible token", async () => {
  const caller = await withTokens(gold, deed);
  await mint(caller, bob, { id: "GOLD1", to: user("carol"), value: 5 });
  await mint(caller, alice, { id: "DEED1", to: user("carol"), nftData: { number: "D-1" } });
  const move = (ids: readonly string[]) =>
    caller.ledger("POST /token/erc1155/safeBatchTransferFrom", {
      as: carol,
      body: { from: user("carol"), to: user("dave"), ids, data: { assetIds: ["D-1"] } },
    });
  expect(await move(["GOLD1", "DEED1"])).toMatchObject({ status: 400, body: { condition: "invalid parameters" } });
  expect((await move(["DEED1"])).status).toBe(200);
});

test("a transfer of an amount with an asset id is refused, alone and in a batch", async () => {
  const caller = await withTokens(gold);
  await mint(caller, bob, { id: "GOLD1", to: user("carol"), value: 5 });
  const refused = { status: 400, body: { condition: "invalid parameters" } };
  const parties = { from: user("carol"), to: user("dave") };
  const one = { ...parties, id: "GOLD1", value: 5, data: { assetId: "D-1" } };
  expect(await caller.ledger("POST /token/erc1155/safeTransferFrom", { as: carol, body: one })).toMatchObject(refused);
  const several = { ...parties, ids: ["GOLD1"], values: [5], data: { assetIds: ["D-1"] } };
  expect(await caller.ledger("POST /token/erc1155/safeBatchTransferFrom", { as: carol, body: several })).toMatchObject(refused);
});
