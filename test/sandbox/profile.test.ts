import { expect, test } from "vitest";
import { profileWith } from "../../src/contract/profile.ts";
import { sandboxForTest, user, type Caller } from "./caller.ts";

// A service that differs from the default in every way that the profile knows.
const profile = profileWith({
  ledger: {
    onBehalfOf: { in: "header", name: "X-On-Behalf-Of" },
    parameters: { pageSize: "size", bookmark: "from", pendingOnly: "open" },
    pageSize: 2,
    receipt: { committed: ["DONE"], failed: ["BROKEN"], pending: "WAITING" },
    requestStatus: { pending: "Open", approved: "Yes", rejected: "No", cancelled: "Withdrawn" },
    primaryKey: { Bond: "Isin" },
  },
  investor: {
    parameters: {
      page: "p",
      limit: "per",
      term: "q",
      investment: "kind",
      status: "state",
      sort: "order",
      quantity: "qty",
      purchaseDate: "bought",
      timezone: "tz",
    },
    pageSize: 2,
  },
  refusals: [400, 401, 403, 404, 410, 418],
  conditionStatus: { "asset already exists": 418, "invalid caller": 401, "sale not found": 410, "invalid parameters": 422 },
});

const as = (userId: string) => ({ "x-on-behalf-of": `userId:${userId}` });
const bonds = ["A", "B", "C"].map((Isin) => ({ Isin }));
const create = (caller: Caller) =>
  caller.ledger("POST /asset", { headers: as("alice"), body: { assetType: "Bond", data: bonds } });

test("another name and place of the acting entity, other parameters and page sizes", async () => {
  const caller = await sandboxForTest({ profile });
  await create(caller);
  const first = await caller.ledger("GET /asset/all", { query: { assetType: "Bond" } });
  expect(first.body).toMatchObject({ count: 2, records: [{ id: "A", owners: [user("alice")] }, { id: "B" }] });
  const query = { assetType: "Bond", from: first.body.bookmark, size: "5" };
  expect((await caller.ledger("GET /asset/all", { query })).body).toMatchObject({
    count: 1,
    bookmark: "",
    records: [{ id: "C" }],
  });
  for (const name of ["actAs", "pageSize", "bookmark"]) {
    expect((await caller.ledger("GET /asset/all", { query: { [name]: "userId:1" } })).status, name).toBe(422);
  }
});

test("other status codes of refusals", async () => {
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

test("other words of receipts", async () => {
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

test("other words of requests, and another flag for the pending ones", async () => {
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

test("other parameters of the investor interface", async () => {
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
