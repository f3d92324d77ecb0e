import { expect, test } from "vitest";
import { sandboxForTest, type Caller } from "./caller.ts";

const purchase = {
  tokenSaleId: "saleActive1",
  userAddress: "0xabc",
  amount: 10,
  currencyContract: "0xdef",
  timezone: "Europe/Lisbon",
};
const buy = (caller: Caller, changes: object = {}, as = "BUYER_KEY") =>
  caller.investor("POST /token-sales/buy", { as, body: { ...purchase, ...changes } });

test("sales are listed by state, kind, words and order", async () => {
  const { investor } = await sandboxForTest();
  const ids = async (query: Record<string, string>) =>
    (await investor("GET /token-sales", { query })).body.response.sales.map(({ id }: { id: string }) => id);
  const all = (await investor("GET /token-sales")).body;
  expect(all).toMatchObject({
    status: "SUCCESS",
    response: { pagination: { page: 1, limit: 25, totalPages: 1, totalItems: 5 } },
  });
  expect(all.response.sales[0]).toMatchObject({
    id: "saleActive1",
    tokenName: "Harbour House",
    tokenSymbol: "HRB",
    percentageTokenSold: 12.5,
    images: [],
    documents: [],
  });
  expect(all.response.sales[0]).not.toHaveProperty("maximumPerUser");
  expect(await ids({ status: "1" })).toEqual(["saleActive1", "saleNearlySoldOut1", "saleDebt1"]);
  expect(await ids({ status: "2" })).toEqual(["saleUpcoming1"]);
  expect(await ids({ status: "3", investment: "1" })).toEqual(["saleEnded1"]);
  expect(await ids({ investment: "2" })).toEqual(["saleDebt1"]);
  expect(await ids({ term: "ÉVORA" })).toEqual(["saleDebt1"]);
  expect((await ids({ sort: "price|h-l" }))[0]).toBe("saleDebt1");
  expect((await ids({ sort: "return|h-l" }))[0]).toBe("saleEnded1");
  expect(await ids({ page: "3", limit: "2" })).toEqual(["saleUpcoming1", "saleEnded1"].slice(1));
  expect(await investor("GET /token-sales", { query: { sort: "price" } })).toMatchObject({
    status: 400,
    body: { status: "Failed", condition: "invalid parameters" },
  });
  expect((await investor("GET /token-sales/saleEnded1")).body).toMatchObject({
    status: 1,
    response: { sale: { id: "saleEnded1" } },
  });
  expect(await investor("GET /token-sales/none")).toMatchObject({
    status: 404,
    body: { status: 0, condition: "sale not found" },
  });
});

test("a purchase adds to the holdings, and is recorded", async () => {
  const caller = await sandboxForTest();
  const bought = await buy(caller, { amount: 10.5 });
  expect(bought.body).toEqual({
    status: "SUCCESS",
    response: {
      result: {
        transactionId: expect.any(String),
        tokenSaleId: "saleActive1",
        amount: 10.5,
        userAddress: "0xabc",
        status: "SUCCESS",
      },
    },
  });
  await buy(caller, { tokenSaleId: "saleDebt1", amount: 2 });
  await buy(caller, { amount: 1 }, "SECOND_BUYER_KEY");

  const portfolio = (await caller.investor("GET /investments/user/tokens")).body;
  expect(portfolio).toMatchObject({
    response: { metaData: { totalInvestment: "467.75", tokenHoldings: 2, currency: "USD" } },
    pagination: { page: 1, limit: 25, totalPages: 1, totalItems: 2 },
  });
  expect(portfolio.response.tokens[0]).toMatchObject({
    tokenId: "tokenHarbour",
    tokenCount: 10.5,
    totalInvestment: 267.75,
    totalInvestmentWithCurrency: "USD 267.75",
    softCaps: [
      { saleId: "saleActive1", subscriptionCount: 12511.5 },
      { saleId: "saleUpcoming1" },
      { saleId: "saleEnded1", status: 1 },
    ],
  });
  const transactions = (await caller.investor("GET /investments/user/transactions", { query: { limit: "1" } })).body;
  expect(transactions).toMatchObject({
    response: { transactions: [{ tokenSaleId: "saleDebt1", tokenCount: 2, total: 200 }] },
    pagination: { totalPages: 2, totalItems: 2 },
  });
  const ofToken = (await caller.investor("GET /investments/user/tokens/tokenHarbour/transactions")).body;
  expect(ofToken.response.transactions).toMatchObject([
    { id: bought.body.response.result.transactionId, type: "BUY", payoutDocuments: [] },
  ]);
  expect((await caller.investor("GET /token-sales/saleActive1")).body.response.sale.totalSoldTokens).toBe(12511.5);
  expect((await caller.control("GET /commits")).body.commits).toHaveLength(3);
});

test("the answers have every field that the description lists", async () => {
  const caller = await sandboxForTest();
  const { contract } = await import("../../src/contract/contract.ts");
  const fields = (name: string) => Object.keys(contract.$defs[name]?.properties ?? {}).toSorted();
  await buy(caller);
  const { tokens, metaData } = (await caller.investor("GET /investments/user/tokens")).body.response;
  const { transactions } = (await caller.investor("GET /investments/user/transactions")).body.response;
  const { sale } = (await caller.investor("GET /token-sales/saleActive1")).body.response;
  const { schedules } = (await caller.investor("GET /payouts/store1/token/tokenSolar/schedule")).body.response;
  const kyc = (await caller.investor("POST /identity/kyc", { body: { countryCode: 620 } })).body.response;
  for (const [name, shown] of Object.entries({
    HeldToken: tokens[0],
    HeldTokenSoftCap: tokens[0].softCaps[0],
    PortfolioMetaData: metaData,
    TransactionRecord: transactions[0],
    TokenSale: sale,
    PayoutScheduleEntry: schedules[0],
    IdentityRecord: kyc,
  })) {
    expect(Object.keys(shown).toSorted(), name).toEqual(fields(name));
  }
});

test("a purchase that breaks a rule is refused with its condition", async () => {
  const caller = await sandboxForTest();
  const refused = (condition: string) => ({ status: 422, body: { status: "Failed", condition } });
  expect(await buy(caller, { tokenSaleId: "saleUpcoming1" })).toMatchObject(refused("sale not active"));
  expect(await buy(caller, { tokenSaleId: "saleEnded1" })).toMatchObject(refused("sale not active"));
  expect(await buy(caller, { tokenSaleId: "saleNearlySoldOut1", amount: 5.01 })).toMatchObject(refused("not enough tokens left"));
  expect(await buy(caller, { amount: 5001 })).toMatchObject(refused("user maximum exceeded"));
  await buy(caller, { amount: 4999 });
  expect(await buy(caller, { amount: 2 })).toMatchObject(refused("user maximum exceeded"));
  expect(await buy(caller, { amount: 0 })).toMatchObject({ status: 400 });
  expect(await buy(caller, { amount: "10" })).toMatchObject({ status: 400 });
  expect(await buy(caller, {}, "NEWCOMER_KEY")).toMatchObject(refused("KYC missing"));

  const kyc = await caller.investor("POST /identity/kyc", { as: "NEWCOMER_KEY", body: { countryCode: 840 } });
  expect(kyc.body).toMatchObject({
    status: 1,
    response: { userId: "newcomer", orgId: "org1", countryId: "840", countryName: "United States", kycDetails: {}, accredit: {} },
  });
  expect(await buy(caller, {}, "NEWCOMER_KEY")).toMatchObject(refused("country excluded"));
  await caller.investor("POST /identity/kyc", { as: "NEWCOMER_KEY", body: { countryCode: 276 } });
  expect((await buy(caller, {}, "NEWCOMER_KEY")).status).toBe(201);
  await caller.control("POST /clock", { advance: "3652d" });
  expect(await buy(caller)).toMatchObject(refused("sale not active"));
  expect((await buy(caller, { tokenSaleId: "saleUpcoming1" })).status).toBe(201);
});

test("a country must have a numeric code of ISO 3166-1", async () => {
  const { investor } = await sandboxForTest();
  const nameOf = async (countryCode: number): Promise<unknown> => {
    const { status, body } = await investor("POST /identity/kyc", { body: { countryCode } });
    return status === 200 ? body.response.countryName : status;
  };
  const codes = Array.from({ length: 1_001 }, (_, code) => code);
  const named = new Map<number, unknown>();
  for (const code of codes) named.set(code, await nameOf(code));
  expect([...named.values()].filter((name) => name !== 400)).toHaveLength(249);
  expect([4, 620, 531, 894].map((code) => named.get(code))).toEqual(["Afghanistan", "Portugal", "Curaçao", "Zambia"]);
  // No country's code, regions, a country that no longer exists, a code that only user-assigned letters name; then half a country.
  expect([0, 5, 150, 810, 983, 1_000].map((code) => named.get(code))).toEqual([400, 400, 400, 400, 400, 400]);
  expect(await nameOf(620.5)).toBe(400);
});

test("an unknown key is refused in the form of the investor interface", async () => {
  const { investor } = await sandboxForTest();
  const unauthorized = { status: 401, body: { status: 0, message: "Unauthorized User" } };
  for (const path of [
    "/investments/user/tokens",
    "/investments/user/transactions",
    "/payouts/store1/token/tokenSolar/schedule",
    "/token-sales",
  ]) {
    expect(await investor(`GET ${path}`, { as: "nobody" })).toMatchObject(unauthorized);
  }
});

test("payouts pay interest each period, and the principal at the end", async () => {
  const { investor } = await sandboxForTest();
  const path = "/payouts/store1/token/tokenSolar/sale/saleDebt1/schedule";
  const { body } = await investor(`GET ${path}`, { query: { quantity: "12.5", timezone: "Europe/Lisbon" } });
  expect(body).toMatchObject({ status: 1, response: { totalPrincipal: 1250, totalInterest: 162.5, totalAmount: 1412.5 } });
  expect(body.response.schedules).toHaveLength(4);
  expect(body.response.schedules[0]).toMatchObject({
    index: 1,
    payoutName: "Payout 1",
    frequencyType: "Half-yearly",
    principal: 0,
    interestAmount: 40.625,
  });
  expect(body.response.schedules[3]).toMatchObject({ principal: 1250, burnAmount: 12.5, totalAmount: 1290.625 });
  expect((await investor("GET /payouts/store1/token/tokenSolar/schedule")).body.response.totalPrincipal).toBe(100);
  expect(await investor("GET /payouts/store1/token/tokenHarbour/schedule")).toMatchObject({
    status: 422,
    body: { condition: "not a debt sale" },
  });
  expect(await investor("GET /payouts/other/token/tokenSolar/schedule")).toMatchObject({ status: 404 });
  expect((await investor("GET /config/contract-addresses/tokenSolar")).body).toEqual({
    status: "SUCCESS",
    response: { config: { tokenContract: expect.stringMatching(/^0x/), saleContract: expect.stringMatching(/^0x/) } },
  });
});
