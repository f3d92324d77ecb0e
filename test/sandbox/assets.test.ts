import { expect, test } from "vitest";
import { DEFAULT_SEED } from "../../src/sandbox/seed/default.ts";
import { sandboxForTest, user } from "./caller.ts";

const alice = "userId:alice";
const bob = "userId:bob";

test("an asset is created, changed, replaced, transferred and deleted, and its history shows each change", async () => {
  const { ledger } = await sandboxForTest();
  const created = await ledger("POST /asset", {
    as: alice,
    body: { assetType: "Property", data: { id: "P1", city: "Lisbon", area: 120 } },
  });
  expect(created.status).toBe(201);
  expect(created.body).toEqual({
    transactionId: expect.stringMatching(/^[0-9a-f]{64}$/),
    receiptId: expect.stringMatching(/^[0-9a-f]{24}$/),
  });

  await ledger("PATCH /asset", { as: alice, body: { assetType: "Property", data: { id: "P1", area: 130 } } });
  const changed = await ledger("GET /asset", { query: { assetType: "Property", id: "P1" } });
  expect(changed.body).toMatchObject({
    id: "P1",
    assetType: "Property",
    data: { id: "P1", city: "Lisbon", area: 130 },
    owners: [user("alice")],
    createdBy: user("alice"),
    createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  });

  await ledger("PUT /asset", { as: alice, body: { assetType: "Property", data: { id: "P1", area: 140 } } });
  await ledger("PATCH /asset/owners", {
    as: alice,
    body: { assetType: "Property", data: [{ id: "P1", owners: [user("bob")] }] },
  });
  const passedOn = await ledger("GET /asset", { query: { assetType: "Property", id: "P1", depth: "1" } });
  expect(passedOn.body).toMatchObject({ data: { id: "P1", area: 140 }, owners: [user("bob")] });
  expect(passedOn.body.data).not.toHaveProperty("city");

  const stranger = await ledger("DELETE /asset", { as: alice, body: { assetType: "Property", id: "P1" } });
  expect(stranger).toMatchObject({ status: 403, body: { status: "Error", condition: "unauthorized caller" } });
  expect((await ledger("DELETE /asset", { as: bob, body: { assetType: "Property", id: ["P1"] } })).status).toBe(200);
  expect(await ledger("GET /asset", { query: { assetType: "Property", id: "P1" } })).toMatchObject({
    status: 404,
    body: { condition: "asset not found" },
  });

  const history = await ledger("GET /asset/history", { query: { assetType: "Property", id: "P1" } });
  expect(history.body.count).toBe(5);
  expect(history.body.records.map((record: { trasactionType: string }) => record.trasactionType)).toEqual([
    "CREATED",
    "UPDATED",
    "UPDATED",
    "UPDATED",
    "DELETED",
  ]);
  expect(history.body.records[0]).toMatchObject({
    id: "P1",
    transactionId: created.body.transactionId,
    transactionTime: expect.any(String),
  });
});

test("an asset with a wrong type, id or owner is refused", async () => {
  const { ledger } = await sandboxForTest();
  const create = (data: unknown, assetType = "Property") => ledger("POST /asset", { as: alice, body: { assetType, data } });
  await create([{ id: "P1" }, { id: "P2", ledgerMetadata: { owners: [user("bob")] } }]);

  expect(await create({ id: "P1" })).toMatchObject({ status: 409, body: { condition: "asset already exists" } });
  expect(await create({ id: "X" }, "Yacht")).toMatchObject({ status: 404, body: { condition: "asset type not found" } });
  expect(await create({ city: "Porto" })).toMatchObject({ status: 400, body: { condition: "invalid parameters" } });
  expect(await create({ id: "P3", ledgerMetadata: { owners: [{ orgId: "other" }] } })).toMatchObject({ status: 400 });
  expect(await create([{ id: "P4" }, { id: "P1" }])).toMatchObject({ status: 409 });
  expect((await ledger("GET /asset", { query: { assetType: "Property", id: "P4" } })).status).toBe(404);
  expect((await ledger("GET /asset", { query: { assetType: "Property", id: "P2" } })).body).toMatchObject({
    data: { id: "P2" },
    owners: [user("bob")],
  });
});

test("a type that is named as something of the runtime has the usual primary key", async () => {
  const { ledger } = await sandboxForTest({ seed: { ...DEFAULT_SEED, assetTypes: [...DEFAULT_SEED.assetTypes, "toString"] } });
  await ledger("POST /asset", { as: alice, body: { assetType: "toString", data: { id: "P1", constructed: true, valueOf: 3 } } });
  expect(await ledger("GET /asset", { query: { assetType: "toString", id: "P1" } })).toMatchObject({
    status: 200,
    body: { id: "P1" },
  });
});

test("the sandbox uses the primary key and the parameter names of the profile", async () => {
  const { profileWith } = await import("../../src/contract/profile.ts");
  const profile = profileWith({
    ledger: {
      onBehalfOf: { in: "header", name: "X-On-Behalf-Of" },
      parameters: { pageSize: "size" },
      primaryKey: { Bond: "Isin" },
    },
  });
  const { ledger } = await sandboxForTest({ profile });
  const headers = { "x-on-behalf-of": "borrowerId:b7" };
  await ledger("POST /asset", { headers, body: { assetType: "Bond", data: [{ Isin: "A" }, { Isin: "B" }] } });

  const page = await ledger("GET /asset/all", { query: { assetType: "Bond", size: "1" } });
  expect(page.body).toMatchObject({ count: 1, records: [{ id: "A", owners: [{ orgId: "org1", borrowerId: "b7" }] }] });
  expect(await ledger("GET /asset/all", { query: { pageSize: "1" } })).toMatchObject({ status: 400 });
});

test("a list comes in pages, the last without a bookmark", async () => {
  const { ledger } = await sandboxForTest();
  const data = Array.from({ length: 30 }, (_, at) => ({ id: `P${at}` }));
  await ledger("POST /asset", { body: { assetType: "Property", data } });

  const first = await ledger("GET /asset/all", { query: { assetType: "Property" } });
  expect(first.body).toMatchObject({ count: 25, bookmark: expect.stringMatching(/.+/) });
  const second = await ledger("GET /asset/all", { query: { assetType: "Property", bookmark: first.body.bookmark } });
  expect(second.body).toMatchObject({ count: 5, bookmark: "" });
  expect([...first.body.records, ...second.body.records].map(({ id }) => id)).toEqual(data.map(({ id }) => id));
  expect((await ledger("GET /asset/all", { query: { bookmark: "!!" } })).status).toBe(400);

  const empty = await ledger("GET /asset/all", { query: { assetType: "Bond" } });
  expect(empty.body).toEqual({ count: 0, bookmark: "", records: [] });
  expect((await ledger("GET /asset/stats")).body).toEqual({
    totalCount: 30,
    countByType: [
      { assetType: "Property", count: 30 },
      { assetType: "Bond", count: 0 },
      { assetType: "Document", count: 0 },
    ],
  });
});

test("a PATCH that would change owners is refused", async () => {
  const { ledger } = await sandboxForTest();
  await ledger("POST /asset", { as: alice, body: { assetType: "Property", data: { id: "P1" } } });
  for (const ledgerMetadata of [{ owners: [user("bob")] }, { owners: [null] }, "owners"]) {
    const data = { id: "P1", ledgerMetadata };
    expect(await ledger("PATCH /asset", { as: alice, body: { assetType: "Property", data } })).toMatchObject({ status: 400 });
  }
});
