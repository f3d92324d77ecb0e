import { expect, test } from "vitest";
import { targetAt } from "../../engine-parts.ts";
import { type Came, type Given, runnerForTest, serve } from "./server.ts";

// These answers look like a success or a harmless refusal, but prove neither.

const MINT = `playbook: 1
name: Mint
actors: { issuer: { ledger: "userId:alice" } }
steps:
  - { id: mint, as: issuer, uses: ledger.token.mint, with: { id: Gold, to: "\${{ actors.issuer }}", value: 5 } }
`;

const BUY = `playbook: 1
name: Buy
actors: { buyer: { investor: BUYER_KEY } }
steps:
  - id: buy
    as: buyer
    uses: investor.sales.buy
    with: { tokenSaleId: s1, userAddress: "0xAb", amount: 5, currencyContract: c, timezone: UTC }
`;

async function afterMint(answer: Given): Promise<{ outcome: unknown; message: string; why: string; mints: number }> {
  const { url, came } = await serve((request) => (request.path === "/token/mint" ? answer : nothingSeen(request)));
  const ran = await runnerForTest()(MINT, targetAt(url));
  const mints = came.filter(({ path }) => path === "/token/mint").length;
  const { message = "", why = "" } = ran.stopped?.problem ?? {};
  return { outcome: ran.outcome, message, why, mints };
}

function nothingSeen({ path }: Came): Given {
  if (path === "/status") return { status: 204, body: "" };
  return { body: path === "/token" ? '{"id":"Gold","totalSupply":0,"totalMintedAmount":0}' : "[]" };
}

test("a 503 of a gateway with Retry-After leaves the outcome of a mint unknown", async () => {
  const headers = { "content-type": "text/html", "retry-after": "0" };
  const { outcome, message, mints } = await afterMint({ status: 503, body: "<h1>Service Unavailable</h1>", headers });
  expect({ outcome, mints }, message).toEqual({ outcome: "unknown", mints: 1 });
});

test("a 503 of the service itself with Retry-After is a refusal, and the write is sent again", async () => {
  const headers = { "content-type": "application/json", "retry-after": "3600" };
  const { outcome, message, why, mints } = await afterMint({
    status: 503,
    body: '{"status":"Error","message":"busy","condition":"busy"}',
    headers,
  });
  expect({ outcome, mints }, message).toEqual({ outcome: "failed", mints: 5 });
  expect(why).toMatch(/nothing has changed; the answer asks for a pause of 1 h 0 min$/);
});

test("a 503 of the service itself leaves the outcome of a mint unknown if its Retry-After names no pause", async () => {
  const body = '{"status":"Error","message":"busy","condition":"busy"}';
  const { outcome, message, mints } = await afterMint({ status: 503, body, headers: { "retry-after": "soon 5" } });
  expect({ outcome, mints }, message).toEqual({ outcome: "unknown", mints: 1 });
});

test("a mint whose answer names no receipt does not pass without evidence", async () => {
  const { outcome, message, mints } = await afterMint({ body: '{"transactionId":"tx1"}' });
  expect({ outcome, mints }).toEqual({ outcome: "unknown", mints: 1 });
  expect(message).toContain("it names no receipt");
});

function servePurchase(result: object): ReturnType<typeof serve> {
  return serve(({ method, path }) => {
    if (method === "POST") return { status: 201, body: JSON.stringify({ status: "SUCCESS", response: { result } }) };
    if (path === "/token-sales") return { body: '{"status":"SUCCESS","response":{"sales":[]}}' };
    if (path === "/token-sales/s1") return { body: '{"status":1,"response":{"sale":{"id":"s1","tokenId":"t1"}}}' };
    const list = path.endsWith("/tokens") ? "tokens" : "transactions";
    return { body: `{"status":1,"response":{"${list}":[]},"pagination":{"page":1,"totalPages":1,"totalItems":0}}` };
  });
}

test.for([
  ["names no transaction", {}, "the answer names no transaction"],
  ["has failed", { transactionId: "p1", status: "FAILED" }, "the purchase is FAILED"],
  ["has failed, in other letters", { transactionId: "p1", status: "Failed" }, "the purchase is Failed"],
  ["is of another sale", { transactionId: "p1", tokenSaleId: "s2" }, "its tokenSaleId is not"],
  ["is of another amount", { transactionId: "p1", tokenSaleId: "s1", amount: 500 }, "its amount is not"],
  ["is of another wallet", { transactionId: "p1", userAddress: "0xCd" }, "its userAddress is not"],
] as const)("a purchase whose result %s has an unknown outcome", async ([, result, said]) => {
  const { url, came } = await servePurchase(result);
  const ran = await runnerForTest()(BUY, targetAt(url));
  expect(ran.outcome, JSON.stringify(ran)).toBe("unknown");
  expect(ran.stopped?.problem.message).toContain(said);
  expect(came.filter(({ method }) => method === "POST")).toHaveLength(1);
});

test("a purchase with the requested result passes, whatever the case of the letters of its wallet", async () => {
  const { url } = await servePurchase({ transactionId: "p1", tokenSaleId: "s1", amount: 5, userAddress: "0XAB", status: "DONE" });
  expect(await runnerForTest()(BUY, targetAt(url))).toMatchObject({ outcome: "passed" });
});

test("a server error of the service is no refusal, whatever the status of its answer", async () => {
  for (const [condition, said] of [
    ["server error", "failed"],
    ["failed", "Server error"],
    ["failed", "Internal server error: the commit timed out"],
  ]) {
    const answer = {
      status: 400,
      body: JSON.stringify({ status: "Error", message: said, condition }),
      headers: { "content-type": "application/json" },
    };
    const { outcome, message, mints } = await afterMint(answer);
    expect({ outcome, mints }, message).toEqual({ outcome: "unknown", mints: 1 });
  }
});

test("a server error is no refusal of a call for which the description does not list one", async () => {
  const deposit = `playbook: 1
name: Deposit
actors: { issuer: { ledger: "userId:alice" } }
steps:
  - id: deposit
    as: issuer
    uses: ledger.vault.deposit
    with: { vaultId: V1, assets: [{ assetType: Deed, id: D1, shares: [{ tokenId: S1, quantity: 5, receiver: "\${{ actors.issuer }}" }] }] }
`;
  const { url, came } = await serve(({ path }) => {
    if (path === "/status") return { status: 204, body: "" };
    if (path === "/token/vault/assets") return { body: '{"count":0,"assets":[]}' };
    if (path === "/asset/history") return { body: '{"id":"D1","count":0,"records":[]}' };
    if (path === "/token/vault/deposit")
      return { status: 422, body: '{"status":"Error","message":"server error","condition":"server error"}' };
    return { body: "[]" };
  });
  const { outcome, stopped } = await runnerForTest()(deposit, targetAt(url));
  expect(outcome, JSON.stringify(stopped)).toBe("unknown");
  expect(came.filter(({ path }) => path === "/token/vault/deposit")).toHaveLength(1);
});
