import { once } from "node:events";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { sandboxForTest } from "./caller.ts";

const asset = { assetType: "Property", data: { id: "P1", value: 1 } };

test("a request needs the key, the app and a valid entity", async () => {
  const { ledger, sandbox } = await sandboxForTest();
  expect(await ledger("GET /asset/stats", { headers: { "X-API-KEY": "wrong" } })).toMatchObject({
    status: 401,
    body: { status: "Error" },
  });
  expect(
    (await fetch(`${sandbox.ledgerBaseUrl}/tokenize/elsewhere/status`, { headers: { "x-api-key": sandbox.ledgerApiKey } }))
      .status,
  ).toBe(404);
  expect(await ledger("GET /status", { as: "alice" })).toMatchObject({ status: 400, body: { condition: "invalid parameters" } });
  expect(await ledger("GET /status")).toMatchObject({ status: 204, text: "" });
  expect(await ledger("GET /no/such/route")).toMatchObject({
    status: 404,
    body: { status: "Error", condition: "route not found" },
  });
});

test("a request that does not fit the contract is refused", async () => {
  const { ledger } = await sandboxForTest();
  const refused = { status: 400, body: { status: "Error", condition: "invalid parameters" } };
  expect(await ledger("POST /asset", { body: "{" })).toMatchObject(refused);
  expect(await ledger("POST /asset", { body: { ...asset, colour: "red" } })).toMatchObject(refused);
  expect(await ledger("POST /asset", { body: { assetType: "Property" } })).toMatchObject(refused);
  expect(await ledger("POST /asset", { body: asset, query: { async: "maybe" } })).toMatchObject(refused);
  expect(await ledger("POST /asset", { body: asset, query: { asynch: "true" } })).toMatchObject(refused);
  expect(await ledger("GET /asset", { query: { assetType: "Property" } })).toMatchObject({
    status: 400,
    body: { condition: "invalid request parameters" },
  });
  expect(await ledger("POST /asset", { body: '{"assetType":"Property","data":{"__proto__":{}}}' })).toMatchObject(refused);
});

test("an asynchronous write is answered at once, and its receipt shows the outcome", async () => {
  const { ledger, control } = await sandboxForTest({ commitDelayMs: 60_000 });
  const submitted = await ledger("POST /asset", { body: asset, query: { async: "true" } });
  const twin = await ledger("POST /asset", { body: asset, query: { async: "true" } });
  const receipt = (receiptId: string) => ledger("GET /asset/receipt", { query: { receiptId } });
  expect((await receipt(submitted.body.receiptId)).body).toMatchObject({
    status: "PENDING",
    transactionId: submitted.body.transactionId,
  });
  expect((await ledger("GET /asset", { query: { assetType: "Property", id: "P1" } })).status).toBe(404);

  await control("POST /clock", { advance: "2m" });
  expect((await receipt(submitted.body.receiptId)).body).toEqual({
    transactionId: submitted.body.transactionId,
    status: "COMMITTED",
    message: "Success",
  });
  expect((await receipt(twin.body.receiptId)).body).toMatchObject({
    status: "FAILED",
    message: "asset already exists: the Property P1 already exists",
  });
  expect(await receipt("0".repeat(24))).toMatchObject({ status: 404, body: { condition: "transaction not found" } });

  const { commits } = (await control("GET /commits")).body;
  expect(commits).toMatchObject([
    {
      seq: 1,
      transactionId: submitted.body.transactionId,
      interface: "ledger",
      operation: "ledger.asset.create",
      actor: { userId: "admin" },
      body: asset,
    },
  ]);
});

test("a write is committed even if its caller has closed the connection", async () => {
  const { ledger, control, sandbox } = await sandboxForTest({ commitDelayMs: 5_000 });
  const { host, hostname, port, pathname } = new URL(`${sandbox.ledgerBaseUrl}/tokenize/app1/asset`);
  const body = JSON.stringify(asset);
  const headers = [`Host: ${host}`, `X-API-Key: ${sandbox.ledgerApiKey}`, "Content-Type: application/json"];
  const request = [`POST ${pathname} HTTP/1.1`, ...headers, `Content-Length: ${body.length}`, "", body].join("\r\n");
  const caller = connect(Number(port), hostname);
  caller.end(request, () => caller.destroy());
  await once(caller, "close");
  // The request arrives although its caller is gone, and the commit still takes its time.
  const later = async (): Promise<number> => {
    await control("POST /clock", { advance: "10s" });
    return (await ledger("GET /asset", { query: { assetType: "Property", id: "P1" } })).status;
  };
  await expect.poll(later).toBe(200);
});

test("the clock advances as requested, and so does the Date header", async () => {
  const { ledger, control, sandbox } = await sandboxForTest();
  await control("POST /clock", { advance: "10d" });
  await ledger("POST /asset", { body: asset });
  const { createdAt } = (await ledger("GET /asset", { query: { assetType: "Property", id: "P1" } })).body;
  expect(Date.parse(createdAt) - Date.now()).toBeGreaterThan(9 * 86_400_000);
  const { headers } = await fetch(`${sandbox.ledgerBaseUrl}/_sandbox/health`);
  expect(Date.parse(headers.get("date") ?? "") - Date.now()).toBeGreaterThan(9 * 86_400_000);
  for (const body of [{ advance: "soon" }, {}, "{", undefined]) expect((await control("POST /clock", body)).status).toBe(400);
});

test("a sandbox that closes gives no false answer", async () => {
  const caller = await sandboxForTest({ commitDelayMs: 60_000 });
  const waiting = caller.ledger("POST /asset", { body: asset });
  setTimeout(() => void caller.sandbox.close(), 50);
  const seen = await waiting.then(
    ({ status }) => status,
    () => "connection lost",
  );
  expect([503, "connection lost"]).toContain(seen);
});
