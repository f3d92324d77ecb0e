import { expect, test } from "vitest";
import { sandboxForTest, user } from "./caller.ts";

const alice = "userId:alice";
const document = { assetType: "Document" };

function refused(status: number, condition: string): object {
  return { status, body: { condition } };
}

test("the sandbox has a revoked key, and refuses it everywhere", async () => {
  const { investor, sandbox } = await sandboxForTest();
  expect(sandbox.credentials["REVOKED_KEY"]).toBeDefined();
  for (const call of ["GET /token-sales", "GET /investments/user/tokens"]) {
    expect(await investor(call, { as: "REVOKED_KEY" })).toMatchObject({ ...refused(401, "Unauthorized User") });
  }
  const body = { countryCode: 620 };
  expect(await investor("POST /identity/kyc", { as: "REVOKED_KEY", body })).toMatchObject(refused(401, "Unauthorized User"));
});

test("a read of a cut-off entity ends with the server error that its call lists", async () => {
  const { ledger } = await sandboxForTest();
  await ledger("POST /asset", { as: alice, body: { ...document, data: { id: "D1" } } });
  const as = "userId:offline";
  expect(await ledger("GET /asset", { as, query: { ...document, id: "D1" } })).toMatchObject(
    refused(500, "general server error"),
  );
  expect(await ledger("GET /asset/all", { as, query: document })).toMatchObject(refused(500, "server error"));
  expect(await ledger("GET /asset/all", { as: alice, query: document })).toMatchObject({ status: 200, body: { count: 1 } });
});

test("an asynchronous write of a cut-off entity is accepted, and its receipt says that it failed", async () => {
  const { ledger, control } = await sandboxForTest();
  const as = "userId:offline";
  const body = { ...document, data: { id: "D1" } };
  expect(await ledger("POST /asset", { as, body })).toMatchObject(refused(500, "server error"));
  const { receiptId } = (await ledger("POST /asset", { as, query: { async: "true" }, body })).body;
  await control("POST /clock", { advance: "1s" });
  expect(await ledger("GET /asset/receipt", { as, query: { receiptId } })).toMatchObject({
    status: 200,
    body: { status: "FAILED", message: expect.stringContaining("server error") },
  });
  expect((await control("GET /commits")).body.commits).toEqual([]);
});

test("an acting entity of another organization is refused with the condition that the call lists", async () => {
  const { ledger } = await sandboxForTest();
  await ledger("POST /token", { as: alice, body: [{ id: "T1" }] });
  const as = "orgId:org2";
  const entities = { owner: user("alice"), operator: user("bob") };
  expect(await ledger("GET /token", { as, query: { id: "T1" } })).toMatchObject(refused(403, "access denied for the caller"));
  expect(await ledger("GET /token/transaction", { as, query: { id: "1" } })).toMatchObject(refused(403, "access denied"));
  expect(await ledger("GET /token/vault", { as, query: { id: "V1" } })).toMatchObject(refused(403, "unauthorized caller"));
  expect(await ledger("POST /token/erc1155/isApprovedForAll", { as, body: entities })).toMatchObject(
    refused(403, "invalid access id or caller"),
  );
  expect(await ledger("GET /asset", { as, query: { ...document, id: "D1" } })).toMatchObject(
    refused(400, "invalid request parameters"),
  );
  expect(await ledger("POST /asset/ownershipTransfer/approve", { as, body: { id: ["1"] } })).toMatchObject(
    refused(400, "invalid parameters"),
  );
});

test("an entity attribute such as `__proto__` is refused, and the ledger continues", async () => {
  const { ledger } = await sandboxForTest();
  for (const key of ["constructor", "__proto__", "prototype"]) {
    const writing = { as: `${key}:x`, query: { async: "true" }, body: { ...document, data: { id: "D1" } } };
    expect(await ledger("POST /asset", writing)).toMatchObject(refused(400, "invalid parameters"));
  }
  expect((await ledger("GET /asset/stats", { as: alice })).body).toMatchObject({ totalCount: 0 });
});

test("an empty id is refused", async () => {
  const { ledger } = await sandboxForTest();
  expect(await ledger("GET /token", { query: { id: "" } })).toMatchObject(refused(400, "invalid parameters"));
  expect(await ledger("GET /asset", { query: { ...document, id: "" } })).toMatchObject(
    refused(400, "invalid request parameters"),
  );
  expect(await ledger("DELETE /asset", { body: { ...document, id: ["D1", ""] } })).toMatchObject({ status: 404 });
  expect(await ledger("DELETE /asset", { body: { ...document, id: "" } })).toMatchObject(refused(400, "invalid parameters"));
  expect(await ledger("PATCH /token/permissions", { body: [{ id: "", permissions: [] }] })).toMatchObject(
    refused(400, "token id missing from the request"),
  );
  for (const decision of ["accept", "reject", "cancel"]) {
    const body = { approvalType: "", approvals: [{ id: "1" }] };
    expect(await ledger(`POST /approval/${decision}`, { body }), decision).toMatchObject(refused(400, "invalid parameters"));
  }
});

test("a decision on a missing request is refused with the condition that the call lists", async () => {
  const { ledger } = await sandboxForTest();
  const body = { approvalType: "payment", approvals: [{ id: "none" }] };
  expect(await ledger("POST /approval/accept", { body })).toMatchObject(refused(404, "asset not found"));
  expect(await ledger("POST /approval/reject", { body })).toMatchObject(refused(404, "approval request not found"));
  for (const decision of ["approve", "reject"]) {
    expect(await ledger(`POST /asset/ownershipTransfer/${decision}`, { body: { id: ["none"] } }), decision).toMatchObject(
      refused(404, "asset not found"),
    );
  }
});

test("an invalid or very long path is refused in the form of the interface", async () => {
  const { ledger, investor } = await sandboxForTest();
  const long = "a".repeat(5_000);
  expect(await ledger("GET /%zz")).toMatchObject(refused(400, "invalid parameters"));
  expect(await ledger(`GET /${long}`)).toMatchObject(refused(404, "route not found"));
  expect(await investor("GET /token-sales/%zz")).toMatchObject({ status: 400, body: { status: 0, message: expect.any(String) } });
  expect(await investor(`GET /token-sales/${long}`)).toMatchObject({ status: 404, body: { condition: "sale not found" } });
});
