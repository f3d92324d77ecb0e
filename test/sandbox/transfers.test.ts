import { expect, test } from "vitest";
import { sandboxForTest, user, type Caller } from "./caller.ts";

const alice = "userId:alice";
const bob = "userId:bob";
const carol = "userId:carol";
const dave = "userId:dave";

async function aliceOwns(caller: Caller, ...ids: readonly string[]): Promise<void> {
  await caller.ledger("POST /asset", { as: alice, body: { assetType: "Property", data: ids.map((id) => ({ id })) } });
}

async function request(caller: Caller, item: object, as = alice): Promise<string> {
  const answer = await caller.ledger("POST /asset/ownershipTransfer/request", {
    as,
    body: { assetType: "Property", approvals: [item] },
  });
  expect(answer.status).toBe(200);
  const mine = await caller.ledger("GET /asset/ownershipTransfer/request/my", { as, query: { pageSize: "500" } });
  return mine.body.records.at(-1).id;
}

const approve = (caller: Caller, as: string, ...id: readonly string[]) =>
  caller.ledger("POST /asset/ownershipTransfer/approve", { as, body: { id } });
const reject = (caller: Caller, as: string, ...id: readonly string[]) =>
  caller.ledger("POST /asset/ownershipTransfer/reject", { as, body: { id } });
const get = async (caller: Caller, id: string) =>
  (await caller.ledger("GET /asset/ownershipTransfer/request", { query: { id } })).body;
const owners = async (caller: Caller, id: string) =>
  (await caller.ledger("GET /asset", { query: { assetType: "Property", id } })).body.owners;

test("the second of two required approvals gives the assets to their new owners", async () => {
  const caller = await sandboxForTest();
  await aliceOwns(caller, "P1", "P2");
  const id = await request(caller, {
    id: ["P1", "P2"],
    approvers: [user("bob"), user("carol"), user("dave")],
    numRequired: 2,
    additionalOwners: [user("erin")],
    data: { note: "mark 7", metadata: { newOwner: user("bob") } },
  });
  expect(await get(caller, id)).toMatchObject({
    approvers: [{ ...user("bob"), status: "PENDING" }, { status: "PENDING" }, { status: "PENDING" }],
    numRequired: 2,
    status: "PENDING",
    data: { note: "mark 7", metadata: { assetType: "Property", id: ["P1", "P2"], newOwner: user("bob") } },
    owners: [user("alice")],
  });

  await approve(caller, bob, id);
  expect(await get(caller, id)).toMatchObject({
    status: "PENDING",
    approvers: [{ status: "APPROVED" }, { status: "PENDING" }, {}],
  });
  expect(await owners(caller, "P1")).toEqual([user("alice")]);
  expect(await approve(caller, bob, id)).toMatchObject({ status: 422, body: { condition: "vote already given" } });
  expect(await approve(caller, "userId:mallory", id)).toMatchObject({ status: 403, body: { condition: "unauthorized caller" } });

  await approve(caller, carol, id);
  expect((await get(caller, id)).status).toBe("APPROVED");
  expect(await owners(caller, "P2")).toEqual([user("bob"), user("erin")]);
  expect(await approve(caller, dave, id)).toMatchObject({ status: 422, body: { condition: "request already decided" } });

  const history = (await caller.ledger("GET /asset/ownershipTransfer/request/history", { query: { id } })).body;
  expect(history.records.map(({ trasactionType, status }: Record<string, string>) => [trasactionType, status])).toEqual([
    ["CREATED", "PENDING"],
    ["UPDATED", "PENDING"],
    ["UPDATED", "APPROVED"],
  ]);
});

test("rejections that leave too few approvers reject the request", async () => {
  const caller = await sandboxForTest();
  await aliceOwns(caller, "P1");
  const id = await request(caller, { id: ["P1"], approvers: [user("bob"), user("carol"), user("dave")], numRequired: 2 });
  await reject(caller, bob, id);
  expect((await get(caller, id)).status).toBe("PENDING");
  await reject(caller, carol, id);
  expect(await get(caller, id)).toMatchObject({
    status: "REJECTED",
    approvers: [{ status: "REJECTED" }, { status: "REJECTED" }, { status: "PENDING" }],
  });
  expect(await owners(caller, "P1")).toEqual([user("alice")]);
});

test("each entity finds the requests that concern it", async () => {
  const caller = await sandboxForTest();
  await aliceOwns(caller, "P1", "P2");
  const first = await request(caller, { id: ["P1"], approvers: [user("bob")] });
  const second = await request(caller, { id: ["P2"], approvers: [user("bob"), user("carol")] });
  await approve(caller, bob, first);

  const list = async (path: string, as: string, query = {}) =>
    (await caller.ledger(`GET /asset/ownershipTransfer/request/${path}`, { as, query })).body.records.map(
      ({ id }: { id: string }) => id,
    );
  expect(await list("my", alice)).toEqual([first, second]);
  expect(await list("my", bob)).toEqual([]);
  expect(await list("approvals", bob)).toEqual([second]);
  expect(await list("approvals", bob, { pendingOnly: "false" })).toEqual([first, second]);
  expect(await list("byAsset", carol, { assetId: "P1" })).toEqual([]);
  expect(await list("byAsset", carol, { assetId: "P1", pendingOnly: "false" })).toEqual([first]);
});

test("a vote after the time of a transfer is refused", async () => {
  const caller = await sandboxForTest();
  await aliceOwns(caller, "P1");
  const id = await request(caller, { id: ["P1"], approvers: [user("bob"), user("carol")], additionalOwners: [user("dave")] });
  const { timeout } = await get(caller, id);
  expect(timeout).toBeGreaterThan(0);
  await caller.control("POST /clock", { advance: `${timeout - 1}m` });
  expect(await approve(caller, bob, id)).toMatchObject({ status: 200 });
  await caller.control("POST /clock", { advance: "2m" });
  for (const vote of [approve, reject])
    expect(await vote(caller, carol, id)).toMatchObject({ status: 422, body: { condition: "request timed out" } });
  expect(await get(caller, id)).toMatchObject({ status: "PENDING" });
  expect(await owners(caller, "P1")).toEqual([user("alice")]);
});

test("an asset needs its owner's approval for a transfer, and a request must name existing things", async () => {
  const caller = await sandboxForTest();
  await aliceOwns(caller, "P1");
  const ask = (as: string, item: object) =>
    caller.ledger("POST /asset/ownershipTransfer/request", { as, body: { assetType: "Property", approvals: [item] } });
  expect(await ask(bob, { id: ["P1"], approvers: [user("carol")] })).toMatchObject({
    status: 403,
    body: { condition: "unauthorized caller" },
  });
  expect(await ask(alice, { id: ["P9"], approvers: [user("bob")] })).toMatchObject({
    status: 404,
    body: { condition: "asset not found" },
  });
  expect(await ask(alice, { id: ["P1"], approvers: [user("bob")], numRequired: 2 })).toMatchObject({ status: 400 });
  expect(await approve(caller, bob, "none")).toMatchObject({ status: 404, body: { condition: "asset not found" } });

  const buying = await request(caller, { id: ["P1"] }, bob);
  expect(await get(caller, buying)).toMatchObject({ approvers: [user("alice")], data: { metadata: { newOwner: user("bob") } } });
  await approve(caller, alice, buying);
  expect(await owners(caller, "P1")).toEqual([user("bob")]);
});

test("an asset leaves a vault only by a withdrawal, whoever is named as an approver", async () => {
  const caller = await sandboxForTest();
  const mallory = "userId:mallory";
  await aliceOwns(caller, "P1", "P2");
  await caller.ledger("POST /token/vault", { as: bob, body: [{ id: "V1" }] });
  const assets = [{ assetType: "Property", id: "P1" }];
  await caller.ledger("POST /token/vault/deposit", { as: bob, body: [{ vaultId: "V1", assets }] });
  const vault = { orgId: "org1", vaultId: "V1" };
  expect(await owners(caller, "P1")).toEqual([vault]);

  const ask = (item: object) =>
    caller.ledger("POST /asset/ownershipTransfer/request", {
      as: mallory,
      body: { assetType: "Property", approvals: [{ numRequired: 1, ...item }] },
    });
  const anybody = { orgId: "org1" };
  const refusals = [
    { id: ["P1"] },
    { id: ["P1"], approvers: [anybody] },
    { id: ["P1"], approvers: [vault, user("mallory")] },
    { id: ["P2"], approvers: [anybody] },
  ];
  for (const item of refusals)
    expect(await ask(item), JSON.stringify(item)).toMatchObject({ status: 403, body: { condition: "unauthorized caller" } });

  // Anybody in an organization may pass on what the whole organization owns.
  await caller.ledger("PATCH /asset/owners", {
    as: alice,
    body: { assetType: "Property", data: [{ id: "P2", owners: [anybody] }] },
  });
  expect(await ask({ id: ["P2"], approvers: [user("mallory")] })).toMatchObject({ status: 200 });
});
