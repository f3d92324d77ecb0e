import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { Failure } from "../../src/base/failure.ts";
import { parseJson, writeJson } from "../../src/base/json/json.ts";
import { readSeed, startSandbox } from "../../src/sandbox/sandbox.ts";
import { DEFAULT_SEED } from "../../src/sandbox/seed/default.ts";
import { fileForTest, sandboxForTest, user } from "./caller.ts";

const alice = { userId: "alice" };
const bob = { userId: "bob" };

const ledger = {
  assets: [
    { assetType: "Property", data: { id: "P1", value: 0 }, owners: [alice] },
    { assetType: "Property", data: { id: "P2" } },
  ],
  tokens: [
    {
      id: "GOLD",
      name: "Gold",
      behaviour: { decimal: 2, maxMintQuantity: "1000000000000000000000000" },
      tokenPermissions: [{ entity: alice, roles: ["minter"] }],
      owners: [alice],
      accounts: [
        { entity: alice, balance: "12345678901234567890.50" },
        { entity: bob, balance: 0.25 },
      ],
      totalSupply: "12345678901234567890.75",
      totalMintedAmount: "12345678901234567900",
    },
    {
      id: "DEED",
      classification: { type: "nonfungible" },
      nftFields: [{ name: "number", isPrimaryKey: true }],
      accounts: [{ entity: bob, nfts: [{ number: "N1" }, { number: "N2" }] }],
    },
    {
      id: "CLASSB",
      classification: { valueType: "reference" },
      tokenPermissions: [{ entity: alice, roles: ["minter", "burner"] }],
    },
  ],
  vaults: [
    {
      id: "V1",
      name: "Vault",
      custodians: [alice],
      data: { region: "PT" },
      vaultToken: [{ id: "SHARE", behaviour: { decimal: 1 } }],
      tokenId: ["CLASSB"],
      assets: [
        {
          assetType: "Property",
          id: "P1",
          data: { value: 5 },
          shares: [
            { tokenId: "SHARE", quantity: "10.5", receiver: bob },
            { tokenId: "CLASSB", quantity: 2, receiver: alice },
          ],
        },
      ],
    },
  ],
};

test("a seed fills the ledger with exact amounts, and the ledger continues from there", async () => {
  const seed = readSeed(parseJson(writeJson({ ledger })));
  const { ledger: call, control } = await sandboxForTest({ seed });
  const token = await call("GET /token", { query: { id: "GOLD" } });
  expect(token.text).toContain('"totalSupply":12345678901234567890.75');
  expect(token.body).toMatchObject({ name: "Gold", owners: [{ entity: user("alice") }], behaviour: { decimal: 2 } });
  // The amount that was minted but is in no account has been burnt, and separate transactions record this.
  const { text: transactions } = await call("POST /token/transaction/all", { body: [{ tokenId: "GOLD" }] });
  const moved = [...transactions.matchAll(/"type":"(MINT|BURN)"|"amount":([\d.]+)/g)].map(
    ([, type, amount = ""]) => type ?? amount,
  );
  expect(moved.toSorted((one, other) => (one < other ? -1 : 1))).toEqual([
    "0.25",
    "12345678901234567890.50",
    "9.25",
    "9.25",
    "BURN",
    "MINT",
    "MINT",
  ]);
  const { text } = await call("POST /token/erc1155/balanceOf", { body: { id: "GOLD", owner: user("alice") } });
  expect(text).toContain('"balance":12345678901234567890.5}');

  const as = "userId:alice";
  const move = { from: user("alice"), to: user("bob"), id: "GOLD", value: "1" };
  expect(
    (await call("POST /token/erc1155/safeTransferFrom", { as, body: JSON.stringify(move).replace('"1"', "1") })).status,
  ).toBe(200);
  expect((await call("POST /token/account/all", { body: [{ tokenId: "DEED" }] })).body).toMatchObject([
    { entity: user("bob"), balance: 2, nftIds: ["N1", "N2"] },
  ]);
  expect((await call("GET /token/vault/assets", { as, query: { id: "V1" } })).body).toMatchObject({
    assets: [{ identifier: { id: "P1" }, shares: [{ quantity: 10.5 }, { quantity: 2 }], originalOwners: [user("alice")] }],
  });
  const withdraw = {
    vaultId: "V1",
    assets: [
      {
        assetType: "Property",
        id: "P1",
        shares: [
          { tokenId: "SHARE", payer: user("bob") },
          { tokenId: "CLASSB", payer: user("alice") },
        ],
      },
    ],
  };
  expect((await call("POST /token/vault/withdraw", { as, body: [withdraw] })).status).toBe(200);
  expect((await call("GET /asset/history", { query: { assetType: "Property", id: "P2" } })).body.records).toMatchObject([
    { trasactionType: "CREATED", owners: [{ userId: "admin" }] },
  ]);
  expect((await control("GET /commits")).body.commits).toHaveLength(2);
});

test("a seed can offer the unsold tokens of an ended sale again", () => {
  const over = { ...sale, startDay: -30, endDay: 0, tokenCountOnSale: "1000000", totalSoldTokens: "40" };
  const again = { ...sale, id: "again", tokenCountOnSale: "999960", totalSoldTokens: 0 };
  expect(readSeed({ sales: [over, again] }).sales).toHaveLength(2);
  expect(() => readSeed({ sales: [{ ...over, endDay: 1 }, again] })).toThrow("tokens[0].totalTokenCount");
});

test("the default seed is valid, and fills in what a seed leaves out", () => {
  expect(readSeed(DEFAULT_SEED)).toEqual(DEFAULT_SEED);
  expect(readSeed({})).toEqual(DEFAULT_SEED);
  expect(readSeed({ tokens: [] }).sales).toEqual([]);
  const { examples } = JSON.parse(readFileSync("schemas/seed.schema.json", "utf8")) as { examples: unknown[] };
  for (const example of examples) expect(readSeed(example)).toMatchObject(example as object);
});

test("a seed may have numbers without quotes", async () => {
  const [sale] = DEFAULT_SEED.sales;
  const text = writeJson({ sales: [{ ...sale, totalSoldTokens: "1250.25", startDay: "-1" }] });
  const seed = readSeed(parseJson(text.replaceAll(/"(-?\d+(?:\.\d+)?)"/g, "$1")));
  const { investor } = await sandboxForTest({ seed });
  expect((await investor("GET /token-sales")).body.response.sales).toMatchObject([{ totalSoldTokens: 1250.25 }]);
  const buying = { tokenSaleId: "saleActive1", userAddress: "0x1", amount: 1, currencyContract: "0x2", timezone: "UTC" };
  expect((await investor("POST /token-sales/buy", { body: buying })).status).toBe(201);
  await investor("POST /identity/kyc", { body: { countryCode: 840 } });
  expect(await investor("POST /token-sales/buy", { body: buying })).toMatchObject({
    status: 422,
    body: { condition: "country excluded" },
  });
});

const [sale] = DEFAULT_SEED.sales;
test.each([
  [{ colour: "red" }, 'unknown field "colour"'],
  [{ appId: "" }, "appId"],
  [{ investors: [{ name: "A", apiKey: "a b", userId: "a" }] }, "investors[0].apiKey"],
  [
    {
      investors: [
        { name: "A", apiKey: "k", userId: "a" },
        { name: "B", apiKey: "k", userId: "b" },
      ],
    },
    "investors[1]: k is there twice",
  ],
  [{ sales: [{ ...sale, tokenId: "none" }] }, "sales[0].tokenId: there is no token none"],
  [{ sales: [{ ...sale, endDay: -30 }] }, "sales[0].endDay: the sale ends before it begins"],
  [{ sales: [{ ...sale, totalSoldTokens: "100001" }] }, "sales[0].totalSoldTokens: more is sold"],
  [
    { sales: [sale, { ...sale, id: "second", tokenCountOnSale: "900000.5" }] },
    "tokens[0].totalTokenCount: its sales have 1000000.5, more than the 1000000",
  ],
  [{ sales: [{ ...sale, softCap: "lots" }] }, "sales[0].softCap"],
  [{ assetTypes: [{ name: "A", references: { b: "B" } }] }, "assetTypes[0].references.b: there is no asset type B"],
  [{ ledger: { tokens: [{ id: "T-1" }] } }, "ledger.tokens[0].id"],
  [
    { ledger: { tokens: [{ id: "T1", accounts: [{ entity: { userId: "a" }, balance: -1 }] }] } },
    "ledger.tokens[0].accounts[0].balance",
  ],
])("an invalid seed is refused with the place of the mistake: %j", (value, where) => {
  expect(() => readSeed(value)).toThrow(where);
  expect(() => readSeed(value)).toThrow(Failure);
});

const holding = (balance: string) => ({ entity: alice, balance });
test.each([
  [{ assets: [{ assetType: "Yacht", data: { id: "Y1" } }] }, "ledger.assets[0]: the app defines no asset type Yacht"],
  [{ assets: [{ assetType: "Bond", data: {} }] }, "ledger.assets[0]: the data of a Bond needs its id"],
  [{ tokens: [{ id: "T1" }, { id: "T1" }] }, "ledger.tokens[1]: the token T1 already exists"],
  [{ tokens: [{ id: "T1", behaviour: { maxMintQuantity: 5 }, accounts: [holding("6")] }] }, "ledger.tokens[0]: 6 minted"],
  [
    { tokens: [{ id: "T1", accounts: [holding("6")], totalSupply: 7 }] },
    "ledger.tokens[0].totalSupply: the accounts hold 6, not 7",
  ],
  [{ tokens: [{ id: "T1", accounts: [holding("6")], totalMintedAmount: 5 }] }, "ledger.tokens[0].totalMintedAmount"],
  [{ vaults: [{ id: "V1", tokenId: ["NONE"] }] }, "ledger.vaults[0]: there is no token NONE"],
  [{ vaults: [{ id: "V1", assets: [{ assetType: "Bond", id: "B1" }] }] }, "ledger.vaults[0]: there is no Bond with the id B1"],
])("a seed with an impossible ledger is refused, and leaves no data: %j", async (content, where) => {
  const path = fileForTest();
  await expect(startSandbox({ path, seed: readSeed({ ledger: content }) })).rejects.toThrow(where);
  const sandbox = await startSandbox({ path });
  await sandbox.close();
});
