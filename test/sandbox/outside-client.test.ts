// These tests use a third-party client, which knows only the documents that the sandbox serves about itself.
import type { AxiosInstance } from "axios";
import { type OpenAPIClient, OpenAPIClientAxios } from "openapi-client-axios";
import { expect, test } from "vitest";
import { contract, type InterfaceName } from "../../src/contract/contract.ts";
import { profileWith } from "../../src/contract/profile.ts";
import { sandboxForTest, user, type Caller } from "./caller.ts";

type Client = AxiosInstance & OpenAPIClient;

async function clientOf({ sandbox }: Caller, name: InterfaceName): Promise<Client> {
  const key = name === "ledger" ? sandbox.ledgerApiKey : (sandbox.credentials["BUYER_KEY"] ?? "");
  const api = new OpenAPIClientAxios({ definition: `${sandbox.ledgerBaseUrl}/_sandbox/openapi/${name}` });
  await api.init();
  const { components } = api.document as {
    readonly components?: { readonly securitySchemes?: Readonly<Record<string, { name: string }>> };
  };
  const header = components?.securitySchemes?.["apiKey"]?.name ?? "";
  const client = await api.getClient<Client>();
  client.defaults.headers.common[header] = key;
  return client;
}

async function call(client: Client, name: string, params: Readonly<Record<string, string>>, body?: unknown): Promise<unknown> {
  const operation = client[name];
  if (operation === undefined) throw new Error(`the document has no ${name}`);
  const answer = await operation(params, body);
  expect(answer.status, name).toBe(contract.operations[name]?.successStatus);
  return answer.data;
}

const written = { transactionId: expect.stringMatching(/./), receiptId: expect.stringMatching(/./) };

test("a foreign client finds every operation in the document", async () => {
  const caller = await sandboxForTest();
  for (const name of ["ledger", "investor"] as const) {
    const client = await clientOf(caller, name);
    const names = client.api.getOperations().map(({ operationId = "" }) => operationId);
    const expected = Object.values(contract.operations).filter((operation) => operation.interface === name);
    expect(names.toSorted()).toEqual(expected.map((operation) => operation.name).toSorted());
  }
});

test("a foreign client creates an asset and a token, mints, reads and lists", async () => {
  const ledger = await clientOf(await sandboxForTest(), "ledger");
  const as = { actAs: "userId:alice" };
  const asset = { assetType: "Property", data: { id: "LOFT1", city: "Lisbon" } };
  const { receiptId } = (await call(ledger, "ledger.asset.create", { ...as, async: "true" }, asset)) as { receiptId: string };
  await expect
    .poll(() => call(ledger, "ledger.receipt.get", { ...as, receiptId }))
    .toMatchObject({ status: "COMMITTED", message: expect.any(String) });
  const token = {
    id: "LFT",
    name: "Loft",
    classification: { type: "fungible", unit: "fractional", valueType: "intrinsic", supply: "capped-variable" },
    behaviour: { decimal: 2, maxMintQuantity: 100, transferable: true, burnable: true },
    tokenPermissions: [{ entity: user("alice"), roles: ["minter"] }],
  };
  expect(await call(ledger, "ledger.token.create", as, [token])).toEqual(written);
  const mint = [{ id: "LFT", to: user("bob"), value: 12.5 }];
  expect(await call(ledger, "ledger.token.mint", as, mint)).toEqual(written);

  expect(await call(ledger, "ledger.asset.get", { ...as, assetType: "Property", id: "LOFT1" })).toMatchObject({
    data: { city: "Lisbon" },
    owners: [user("alice")],
  });
  expect(await call(ledger, "ledger.token.get", { ...as, id: "LFT" })).toMatchObject({ totalSupply: 12.5 });
  expect(await call(ledger, "ledger.account.list", as, [{ tokenId: "LFT" }])).toMatchObject([
    { entity: user("bob"), balance: 12.5 },
  ]);
  expect(await call(ledger, "ledger.asset.list", { ...as, assetType: "Property" })).toMatchObject({
    count: 1,
    bookmark: "",
    records: [{ id: "LOFT1" }],
  });
  await expect(call(ledger, "ledger.asset.create", as, asset)).rejects.toMatchObject({
    response: { status: 409, data: { condition: "asset already exists" } },
  });
});

test("a foreign client buys from a sale, and finds its purchase", async () => {
  const investor = await clientOf(await sandboxForTest(), "investor");
  const sales = (await call(investor, "investor.sales.list", { status: "1" })) as { response: { sales: { id: string }[] } };
  const tokenSaleId = sales.response.sales[0]?.id ?? "";
  const purchase = { tokenSaleId, userAddress: "0xabc", amount: 10.5, currencyContract: "0xdef", timezone: "Europe/Lisbon" };
  expect(await call(investor, "investor.sales.buy", {}, purchase)).toMatchObject({
    status: "SUCCESS",
    response: { result: { tokenSaleId, amount: 10.5 } },
  });
  expect(await call(investor, "investor.sales.get", { tokenSaleId })).toMatchObject({ status: 1 });
  expect(await call(investor, "investor.portfolio.transactions", {})).toMatchObject({
    response: { transactions: [{ tokenSaleId, tokenCount: 10.5 }] },
  });
});

test("a foreign client follows a document with other names", async () => {
  const profile = profileWith({
    ledger: { onBehalfOf: { in: "header", name: "X-Acting" }, parameters: { pageSize: "size", bookmark: "after" } },
  });
  const ledger = await clientOf(await sandboxForTest({ profile }), "ledger");
  const as = { "X-Acting": "userId:alice" };
  const data = ["A", "B", "C"].map((id) => ({ id }));
  await call(ledger, "ledger.asset.create", as, { assetType: "Property", data });
  const list = (more: Readonly<Record<string, string>>) =>
    call(ledger, "ledger.asset.list", { ...as, assetType: "Property", size: "2", ...more });
  const first = (await list({})) as { bookmark: string };
  expect(first).toMatchObject({ count: 2, records: [{ id: "A", owners: [user("alice")] }, { id: "B" }] });
  expect(await list({ after: first.bookmark })).toMatchObject({ count: 1, records: [{ id: "C" }] });
});
