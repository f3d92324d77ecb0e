import { expect, test } from "vitest";
import type { Profile } from "../../src/contract/profile.ts";
import { sandboxForTest, user, type Caller } from "./caller.ts";
import { OTHER_PROFILE } from "./other-profile.ts";

// These tests check answers against the contract as it is written. profile-and-client.test.ts covers numbers and booleans as texts.
const profile: Profile = { ...OTHER_PROFILE, numbers: "number", booleans: "boolean" };
const as = (userId: string) => ({ "x-on-behalf-of": `userId:${userId}` });
const bonds = ["A", "B", "C"].map((Isin) => ({ Isin }));
const create = (caller: Caller) =>
  caller.ledger("POST /asset", { headers: as("alice"), body: { assetType: "Bond", data: bonds } });

test("a profile can change the name and place of the acting entity, parameters and page sizes", async () => {
  const caller = await sandboxForTest({ profile });
  await create(caller);
  const first = await caller.ledger("GET /asset/all", { query: { assetType: "Bond" } });
  expect(first.body).toMatchObject({ count: 2, records: [{ id: "A", owners: [user("alice")] }, { id: "B" }] });
  const query = { assetType: "Bond", from: first.body.bookmark, size: "5" };
  expect((await caller.ledger("GET /asset/all", { query })).body).toMatchObject({
    count: 1,
    bookmark: "nil",
    records: [{ id: "C" }],
  });
  for (const name of ["actAs", "pageSize", "bookmark"]) {
    expect((await caller.ledger("GET /asset/all", { query: { [name]: "userId:1" } })).status, name).toBe(422);
  }
});

test("a profile can change the status codes of refusals", async () => {
  const caller = await sandboxForTest({ profile });
  await create(caller);
  expect(await create(caller)).toMatchObject({ status: 418, body: { condition: "asset already exists" } });
  await caller.ledger("POST /token", { headers: as("alice"), body: [{ id: "T1" }] });
  const body = [{ id: "T1", to: user("bob"), value: 1 }];
  expect(await caller.ledger("POST /token/mint", { headers: as("bob"), body })).toMatchObject({
    status: 401,
    body: { condition: "invalid caller" },
  });
  expect((await caller.investor("GET /token-sales/none")).status).toBe(410);
});

test("a profile can change the words of receipts", async () => {
  const { ledger, control } = await sandboxForTest({ profile, commitDelayMs: 60_000 });
  const submit = async () =>
    (await ledger("POST /asset", { query: { async: "true" }, body: { assetType: "Bond", data: { Isin: "A" } } })).body;
  const [good, twin] = [await submit(), await submit()];
  const word = async ({ receiptId }: { receiptId: string }) =>
    (await ledger("GET /asset/receipt", { query: { receiptId } })).body.status;
  expect(await word(good)).toBe("WAITING");
  await control("POST /clock", { advance: "2m" });
  expect([await word(good), await word(twin)]).toEqual(["DONE", "BROKEN"]);
});

test("a profile can change the words of requests, and the flag for pending ones", async () => {
  const { ledger } = await sandboxForTest({ profile });
  const approvalType = "payment";
  const query = { approvalType };
  for (const _ of [1, 2, 3]) {
    await ledger("POST /approval", { headers: as("alice"), body: { approvalType, approvals: [{ approvers: [user("bob")] }] } });
  }
  const mine = async () =>
    (await ledger("GET /approval/my", { headers: as("alice"), query: { ...query, size: "9" } })).body.records;
  const [accepted, rejected, cancelled] = await mine();
  expect(accepted).toMatchObject({ status: "Open", approvers: [{ status: "Open" }] });
  const decide = (word: string, userId: string, { id }: { id: string }) =>
    ledger(`POST /approval/${word}`, { headers: as(userId), body: { approvalType, approvals: [{ id }] } });
  await decide("accept", "bob", accepted);
  await decide("reject", "bob", rejected);
  await decide("cancel", "alice", cancelled);
  expect((await mine()).map(({ status }: { status: string }) => status)).toEqual(["Yes", "No", "Withdrawn"]);
  const queue = async (more: object) =>
    (await ledger("GET /approval/queue", { headers: as("bob"), query: { ...query, size: "9", ...more } })).body.count;
  expect([await queue({}), await queue({ open: "false" })]).toEqual([0, 3]);
});

test("a profile can change the parameters of the investor interface", async () => {
  const { investor } = await sandboxForTest({ profile });
  const sales = async (query: Record<string, string>) => (await investor("GET /token-sales", { query })).body.response;
  expect((await sales({})).pagination).toEqual({ page: 1, limit: 2, totalPages: 3, totalItems: 5 });
  expect((await sales({ p: "2", per: "3" })).sales).toHaveLength(2);
  expect((await sales({ q: "solar", kind: "2", state: "1", order: "price|l-h" })).sales).toMatchObject([{ id: "saleDebt1" }]);
  expect((await investor("GET /token-sales", { query: { limit: "3" } })).status).toBe(422);
  const schedule = "GET /payouts/store1/token/tokenSolar/schedule";
  const query = { qty: "2", bought: "2020-01-01", tz: "Asia/Tokyo" };
  expect((await investor(schedule, { query })).body.response).toMatchObject({ totalPrincipal: 200 });
});

test("a profile can change the place of the new owner, which must be an entity", async () => {
  const { ledger } = await sandboxForTest({ profile });
  await ledger("POST /asset", { headers: as("alice"), body: { assetType: "Bond", data: bonds } });
  const request = (data: object) =>
    ledger("POST /asset/ownershipTransfer/request", {
      headers: as("alice"),
      body: { assetType: "Bond", approvals: [{ id: ["A"], approvers: [user("bob")], numRequired: 1, data }] },
    });
  expect(await request({ to: "bob" })).toMatchObject({ status: 422, body: { condition: "invalid parameters" } });
  await request({ to: user("carol"), metadata: { newOwner: user("dora") } });
  const { records } = (await ledger("GET /asset/ownershipTransfer/request/my", { headers: as("alice") })).body;
  expect(records).toMatchObject([{ data: { metadata: { newOwner: user("carol") } } }]);
  await ledger("POST /asset/ownershipTransfer/approve", { headers: as("bob"), body: { id: [records[0].id] } });
  const query = { assetType: "Bond", id: "A" };
  expect((await ledger("GET /asset", { query })).body.owners).toEqual([user("carol")]);
});

test("a profile can change the names of fields, and the codes of success", async () => {
  const caller = await sandboxForTest({ profile });
  await caller.ledger("POST /token/vault", { headers: as("alice"), body: [{ id: "V1", vaultToken: [{ id: "S1" }] }] });
  const update = (body: object) => caller.ledger("PATCH /token/vault", { headers: as("alice"), body: [body] });
  expect((await update({ vault: "V1", about: "Held", details: { region: "PT" } })).status).toBe(206);
  expect((await caller.ledger("GET /token/vault", { headers: as("alice"), query: { id: "V1" } })).body).toMatchObject({
    description: "Held",
    data: { region: "PT" },
  });
  expect(await update({ vault: "V1", description: "Sold" })).toMatchObject({
    status: 422,
    body: { message: expect.stringContaining("it is called about") },
  });
  const early = await caller.ledger("POST /asset", {
    headers: as("alice"),
    query: { async: "true" },
    body: { assetType: "Bond", data: { Isin: "Z" } },
  });
  expect(early.status).toBe(202);
  const purchase = { tokenSaleId: "saleActive1", userAddress: "0xabc", amount: 1, currencyContract: "0xdef", timezone: "UTC" };
  expect((await caller.investor("POST /token-sales/buy", { body: purchase })).status).toBe(200);

  const { body } = await caller.control("GET /openapi/ledger");
  expect(Object.keys(body.components.schemas.VaultAssetsUpdate.properties)).toEqual(["vault", "contents"]);
  expect(body.components.schemas.VaultAssetsUpdate.required).toEqual(["vault", "contents"]);
  expect(body.paths["/token/vault"].patch.requestBody.content["application/json"].example[0]).toHaveProperty("about");
  expect(Object.keys(body.paths["/asset"].post.responses)).toEqual(expect.arrayContaining(["201", "202"]));
  expect(JSON.stringify(body)).not.toContain("x-profile");
});
