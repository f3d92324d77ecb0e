import { expect, test } from "vitest";
import { profileWith } from "../../src/contract/profile.ts";
import { fileForTest, sandboxForTest, user, type Caller } from "./caller.ts";

const alice = "userId:alice";
const bob = "userId:bob";
const carol = "userId:carol";
const approvalType = "payment";

async function request(caller: Caller, item: object): Promise<string> {
  await caller.ledger("POST /approval", { as: alice, body: { approvalType, approvals: [item] } });
  return (await caller.ledger("GET /approval/my", { as: alice, query: { approvalType } })).body.records.at(-1).id;
}

const decide = (caller: Caller, word: string, as: string, ...[id, comment]: [id: string, comment?: string]) =>
  caller.ledger(`POST /approval/${word}`, {
    as,
    body: { approvalType, approvals: [{ id, ...(comment === undefined ? {} : { comment }) }] },
  });
const get = async (caller: Caller, id: string) => (await caller.ledger("GET /approval", { query: { id, approvalType } })).body;

test("approvers decide, and the history shows their votes", async () => {
  const caller = await sandboxForTest();
  const id = await request(caller, {
    approvers: [user("bob"), user("carol")],
    numRequired: 1,
    timeout: 60,
    data: { invoice: "I-1", amount: 10.5 },
  });
  expect(await get(caller, id)).toMatchObject({
    status: "PENDING",
    timeout: 60,
    data: { invoice: "I-1", amount: 10.5 },
    createdBy: user("alice"),
  });
  expect((await caller.ledger("GET /approval/queue", { as: carol, query: { approvalType } })).body.count).toBe(1);
  expect((await caller.ledger("GET /approval/queue", { as: carol, query: { approvalType: "other" } })).body.count).toBe(0);

  await decide(caller, "reject", bob, id, "too dear");
  expect(await get(caller, id)).toMatchObject({
    status: "PENDING",
    approvers: [
      { ...user("bob"), status: "REJECTED" },
      { ...user("carol"), status: "PENDING" },
    ],
  });
  await decide(caller, "accept", carol, id, "fine");
  const approved = await get(caller, id);
  expect(approved).toMatchObject({ status: "APPROVED", approvers: [{}, { status: "APPROVED" }] });
  // The service description has no field for a comment.
  expect(JSON.stringify(approved)).not.toContain("fine");
  expect((await caller.ledger("GET /approval/history", { query: { id, approvalType } })).body).toMatchObject({ id, count: 3 });
});

test("only the requester can cancel a request, and nobody can decide after its time", async () => {
  const caller = await sandboxForTest();
  const cancelled = await request(caller, { approvers: [user("bob")] });
  expect(await decide(caller, "cancel", bob, cancelled)).toMatchObject({
    status: 403,
    body: { condition: "unauthorized caller" },
  });
  await decide(caller, "cancel", alice, cancelled, "not needed");
  expect(await get(caller, cancelled)).toMatchObject({ status: "CANCELLED" });
  expect(await decide(caller, "accept", bob, cancelled)).toMatchObject({
    status: 422,
    body: { condition: "request already decided" },
  });

  const late = await request(caller, { approvers: [user("bob")], timeout: 5 });
  await caller.control("POST /clock", { advance: "6m" });
  expect(await decide(caller, "accept", bob, late)).toMatchObject({ status: 422, body: { condition: "request timed out" } });
  const atOnce = await request(caller, { approvers: [user("bob")], timeout: 0 });
  await caller.control("POST /clock", { advance: "1s" });
  expect(await decide(caller, "accept", bob, atOnce)).toMatchObject({ status: 422, body: { condition: "request timed out" } });
  expect(await caller.ledger("GET /approval", { query: { id: late, approvalType: "other" } })).toMatchObject({
    status: 404,
    body: { condition: "approval request not found" },
  });
});

test("an approver counts once, however often they are named or vote", async () => {
  const caller = await sandboxForTest();
  const twice = { approvers: [user("bob"), user("bob")] };
  expect(
    await caller.ledger("POST /approval", { as: alice, body: { approvalType, approvals: [{ ...twice, numRequired: 2 }] } }),
  ).toMatchObject({ status: 400, body: { condition: "invalid parameters" } });
  expect(await get(caller, await request(caller, twice))).toMatchObject({ approvers: [user("bob")], numRequired: 1 });

  const anybody = await request(caller, { approvers: [{ orgId: "org1" }, user("bob")], numRequired: 2 });
  expect((await decide(caller, "accept", bob, anybody)).status).toBe(200);
  expect(await decide(caller, "accept", bob, anybody)).toMatchObject({ status: 422, body: { condition: "vote already given" } });
  const queue = async (as: string): Promise<number> =>
    (await caller.ledger("GET /approval/queue", { as, query: { approvalType } })).body.records.filter(
      ({ id }: { id: string }) => id === anybody,
    ).length;
  expect([await queue(bob), await queue(carol)]).toEqual([0, 1]);
  await decide(caller, "accept", carol, anybody);
  expect((await get(caller, anybody)).status).toBe("APPROVED");
});

test("a file keeps its requests when it is served with other status words", async () => {
  const path = fileForTest();
  const asked = { approvers: [user("bob"), user("carol")] };
  const before = await sandboxForTest({ path });
  const id = await request(before, asked);
  await decide(before, "accept", bob, id);
  await before.sandbox.close();

  const requestStatus = { pending: "WAITING", approved: "YES", rejected: "NO", cancelled: "TAKEN BACK" };
  const caller = await sandboxForTest({ path, profile: profileWith({ ledger: { requestStatus } }) });
  expect(await get(caller, id)).toMatchObject({ status: "WAITING", approvers: [{ status: "YES" }, { status: "WAITING" }] });
  const queue = await caller.ledger("GET /approval/queue", { as: carol, query: { approvalType } });
  expect(queue.body.records).toMatchObject([{ id, status: "WAITING" }]);
  expect(await decide(caller, "accept", bob, id)).toMatchObject({ status: 422, body: { condition: "vote already given" } });
  await decide(caller, "accept", carol, id);
  const history = await caller.ledger("GET /approval/history", { query: { id, approvalType } });
  expect(history.body.records.map(({ status }: { status: string }) => status)).toEqual(["WAITING", "WAITING", "YES"]);
  expect(await decide(caller, "cancel", alice, id)).toMatchObject({
    status: 422,
    body: { message: expect.stringMatching(/YES$/) },
  });
});
