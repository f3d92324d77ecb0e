import { expect, test } from "vitest";
import { sandboxForTest, user, type Caller } from "./caller.ts";

const alice = "userId:alice";
const bob = "userId:bob";

const vault = {
  id: "VAULT1",
  name: "Vault",
  data: { region: "PT" },
  vaultToken: [
    {
      id: "SHARE1",
      name: "Share",
      symbol: "SHR",
      classification: { unit: "fractional", supply: "capped-variable" },
      behaviour: { decimal: 2, maxMintQuantity: 1000 },
    },
  ],
};

async function withVault(): Promise<Caller> {
  const caller = await sandboxForTest();
  await caller.ledger("POST /asset", { as: alice, body: { assetType: "Property", data: [{ id: "P1" }, { id: "P2" }] } });
  expect(
    (await caller.ledger("POST /token/vault", { as: alice, body: [vault, { ...vault, id: "VAULT2", vaultToken: [] }] })).status,
  ).toBe(200);
  return caller;
}

const deposit = (caller: Caller, shares: readonly object[], { as = alice, vaultId = "VAULT1", id = "P1" } = {}) =>
  caller.ledger("POST /token/vault/deposit", {
    as,
    body: [{ vaultId, assets: [{ assetType: "Property", id, data: { value: 100.5 }, shares }] }],
  });
const withdraw = (caller: Caller, shares: readonly object[], id = "P1") =>
  caller.ledger("POST /token/vault/withdraw", {
    as: alice,
    body: [{ vaultId: "VAULT1", assets: [{ assetType: "Property", id, shares }] }],
  });
const share = (quantity: number, userId: string, tokenId = "SHARE1") => ({ tokenId, quantity, receiver: user(userId) });
const assets = (caller: Caller, as = alice) => caller.ledger("GET /token/vault/assets", { as, query: { id: "VAULT1" } });

test("a vault is created with its share tokens, and only its owners and custodians see it", async () => {
  const { ledger } = await withVault();
  const got = await ledger("GET /token/vault", { as: alice, query: { id: "VAULT1" } });
  expect(got.body).toMatchObject({
    id: "VAULT1",
    name: "Vault",
    description: "",
    custodians: [user("alice")],
    data: { region: "PT" },
    vaultTokenId: ["SHARE1"],
    owners: [user("alice")],
  });
  const share1 = (await ledger("GET /token", { query: { id: "SHARE1" } })).body;
  expect(share1).toMatchObject({
    classification: { type: "fungible", unit: "fractional", valueType: "reference" },
    tokenPermissions: [{ entity: user("alice"), roles: ["minter", "burner"] }],
  });
  expect(share1.behaviour).toEqual({ decimal: 2, maxMintQuantity: 1000 });
  expect(await ledger("GET /token/vault", { as: bob, query: { id: "VAULT1" } })).toMatchObject({
    status: 403,
    body: { condition: "unauthorized caller" },
  });
  expect((await ledger("GET /token/vault/all", { as: alice })).body.map(({ id }: { id: string }) => id)).toEqual([
    "VAULT1",
    "VAULT2",
  ]);
  expect((await ledger("GET /token/vault/all", { as: bob })).body).toEqual([]);
});

test("a deposited asset belongs to the vault, and its shares to the receivers", async () => {
  const caller = await withVault();
  expect((await deposit(caller, [share(60, "bob"), share(40.5, "carol")])).status).toBe(200);
  expect((await assets(caller)).body).toEqual({
    count: 1,
    assets: [
      {
        identifier: { docType: "asset", docDefId: "Property", id: "P1" },
        shares: [{ tokenId: "SHARE1", quantity: 100.5 }],
        originalOwners: [user("alice")],
        data: { value: 100.5 },
      },
    ],
  });
  expect((await caller.ledger("GET /asset", { query: { assetType: "Property", id: "P1" } })).body.owners).toEqual([
    { orgId: "org1", vaultId: "VAULT1" },
  ]);
  expect(await caller.ledger("DELETE /asset", { as: alice, body: { assetType: "Property", id: "P1" } })).toMatchObject({
    status: 403,
  });
  expect((await caller.ledger("GET /token", { query: { id: "SHARE1" } })).body.totalSupply).toBe(100.5);
  expect(await assets(caller, bob)).toMatchObject({ status: 403, body: { condition: "access denied for the caller" } });
});

test("nobody can act as the vault, so its assets stay there until a withdrawal", async () => {
  const caller = await withVault();
  await deposit(caller, []);
  const as = "vaultId:VAULT1";
  expect((await caller.ledger("DELETE /asset", { as, body: { assetType: "Property", id: "P1" } })).status).toBe(400);
  expect(await caller.ledger("GET /token/vault", { as, query: { id: "VAULT1" } })).toMatchObject({
    status: 403,
    body: { condition: "unauthorized caller" },
  });
  expect((await withdraw(caller, [])).status).toBe(200);
});

test("a deposit that breaks a rule is refused with its condition", async () => {
  const caller = await withVault();
  expect(await deposit(caller, [], { as: bob })).toMatchObject({ status: 403, body: { condition: "unauthorized caller" } });
  expect(await deposit(caller, [], { id: "P9" })).toMatchObject({ status: 404, body: { condition: "asset not found" } });
  expect(await deposit(caller, [], { vaultId: "NONE" })).toMatchObject({ status: 404, body: { condition: "vault not found" } });
  expect(await deposit(caller, [share(1, "bob", "OTHER")])).toMatchObject({ status: 400 });
  expect(await deposit(caller, [share(1001, "bob")])).toMatchObject({
    status: 422,
    body: { condition: "mint quantity exceeded" },
  });
  await deposit(caller, [share(1, "bob")]);
  const again = { status: 409, body: { condition: "asset already deposited in another vault" } };
  expect(await deposit(caller, [], { vaultId: "VAULT2" })).toMatchObject(again);
  expect(await deposit(caller, [share(1, "bob")])).toMatchObject(again);
});

test("a withdrawal burns the issued shares, and returns the asset", async () => {
  const caller = await withVault();
  await deposit(caller, [share(60, "bob"), share(40, "carol")]);
  const payer = (userId: string) => ({ tokenId: "SHARE1", payer: user(userId) });
  expect(await withdraw(caller, [])).toMatchObject({ status: 400 });
  expect(await withdraw(caller, [payer("bob"), payer("bob")])).toMatchObject({ status: 400 });
  expect(await withdraw(caller, [payer("bob")])).toMatchObject({ status: 422, body: { condition: "balance too low" } });
  expect(await withdraw(caller, [payer("bob")], "P2")).toMatchObject({ status: 400, body: { condition: "invalid parameters" } });
  expect((await withdraw(caller, [payer("carol"), payer("bob")])).status).toBe(200);
  expect((await assets(caller)).body).toEqual({ count: 0, assets: [] });
  expect((await caller.ledger("GET /asset", { query: { assetType: "Property", id: "P1" } })).body.owners).toEqual([
    user("alice"),
  ]);
  expect((await caller.ledger("GET /token", { query: { id: "SHARE1" } })).body).toMatchObject({
    totalSupply: 0,
    totalMintedAmount: 100,
  });
});

test("custodians manage the vault, its share classes and the data of its assets", async () => {
  const caller = await withVault();
  await deposit(caller, []);
  const patch = (path: string, as: string, item: object) => caller.ledger(`PATCH /token/vault${path}`, { as, body: [item] });
  expect(await patch("", bob, { id: "VAULT1", name: "Mine" })).toMatchObject({
    status: 403,
    body: { condition: "unauthorized caller" },
  });
  expect(await patch("/custodians", alice, { vaultId: "VAULT1", custodians: [{ orgId: "other", userId: "x" }] })).toMatchObject({
    status: 400,
    body: { condition: "invalid custodian identity" },
  });
  await patch("/custodians", alice, { vaultId: "VAULT1", custodians: [user("bob")] });
  await patch("", bob, { id: "VAULT1", description: "Bob keeps it" });
  expect(
    await patch("/assets", alice, { vaultId: "VAULT1", assets: [{ assetType: "Property", id: "P1", data: { value: 1 } }] }),
  ).toMatchObject({
    status: 403,
    body: { condition: "access denied for the caller" },
  });
  await patch("/assets", bob, { vaultId: "VAULT1", assets: [{ assetType: "Property", id: "P1", data: { value: 7 } }] });
  expect((await assets(caller, bob)).body.assets[0].data).toEqual({ value: 7 });

  await caller.ledger("POST /token/vault/addToken", { as: bob, body: [{ id: "VAULT1", vaultToken: [{ id: "SHARE2" }] }] });
  const existing = (tokenId: string) =>
    caller.ledger("POST /token/vault/addToken/existing", { as: bob, body: [{ id: "VAULT1", tokenId: [tokenId] }] });
  const reference = {
    classification: { type: "fungible", valueType: "reference" },
    behaviour: { rolesMap: { minter_role_name: "minter", burner_role_name: "burner" } },
  };
  await caller.ledger("POST /token", {
    as: alice,
    body: [
      { id: "SHARE3", ...reference, tokenPermissions: [{ entity: user("bob"), roles: ["minter", "burner"] }] },
      { id: "NOTBOB", ...reference },
      { id: "PLAIN" },
    ],
  });
  expect(await existing("PLAIN")).toMatchObject({ status: 400 });
  expect(await existing("NOTBOB")).toMatchObject({ status: 400 });
  expect((await existing("SHARE3")).status).toBe(200);
  expect((await caller.ledger("GET /token/vault", { as: bob, query: { id: "VAULT1" } })).body).toMatchObject({
    description: "Bob keeps it",
    vaultTokenId: ["SHARE1", "SHARE2", "SHARE3"],
  });
});
