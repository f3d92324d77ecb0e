// A write took effect, but the records that show it have fields that are null or malformed. No step may fail because of that.
import { expect, test } from "vitest";
import { targetAt } from "../../engine-parts.ts";
import { type Came, type Given, type Ran, runnerForTest, serve } from "./server.ts";

const ASK = `playbook: 1
defaults: { as: { ledger: "userId:alice" } }
steps:
  - id: ask
    uses: ledger.approval.create
    with: { approvalType: budget, approvers: [{ orgId: org1, userId: bob }], numRequired: 1 }
  - id: asked
    uses: ledger.approval.get
    with: { approvalType: budget, id: "\${{ steps.ask.id }}" }
    expect: [response.id == "R1", "!has(response.createdAt)", "!has(response.timeout)"]
`;

function serving(records: (marked: string) => readonly object[]): (came: Came) => Given {
  let mark = "";
  return ({ method, path, body }) => {
    if (path === "/status") return { status: 204, body: "" };
    if (path === "/asset/receipt") return { body: '{"transactionId":"t1","status":"COMMITTED","message":null}' };
    if (path === "/approval") {
      if (method === "GET") return { body: '{"id":"R1","status":"PENDING","createdAt":null,"timeout":null}' };
      mark = /"tokenbook":"([^"]+)"/.exec(body)?.[1] ?? "";
      return { body: '{"transactionId":null,"receiptId":"r1"}' };
    }
    const all = records(mark);
    return { body: JSON.stringify({ count: all.length, bookmark: null, records: all }) };
  };
}

async function run(records: (marked: string) => readonly object[]): Promise<Ran & { readonly asked: number }> {
  const { url, came } = await serve(serving(records));
  const ran = await runnerForTest()(ASK, targetAt(url));
  return { ...ran, asked: came.filter(({ method, path }) => method === "POST" && path === "/approval").length };
}

test("null in an optional field counts as absent", async () => {
  const ran = await run((tokenbook) => [{ id: "R1", createdAt: null, updatedAt: null, approvers: null, data: { tokenbook } }]);
  expect(ran, JSON.stringify(ran.stopped)).toMatchObject({ outcome: "passed", asked: 1 });
});

test("a run finds what its write made beside records that it cannot read", async () => {
  const ran = await run((tokenbook) => [
    { id: "R0", createdAt: 7, approvers: "nobody" },
    { id: "R1", numRequired: "two", data: { tokenbook } },
  ]);
  expect(ran, JSON.stringify(ran.stopped)).toMatchObject({ outcome: "passed", asked: 1 });
});
