// Receipts and answers say that a write is done, but they are no evidence of this particular write.
import { expect, test } from "vitest";
import { DEFAULT_PROFILE, profileWith } from "../../../src/contract/profile.ts";
import { targetAt } from "../../engine-parts.ts";
import { type Came, folderForTest, type Given, runnerForTest, serve } from "./server.ts";

const HEAD = `playbook: 1
actors: { issuer: { ledger: "userId:alice" }, buyer: { investor: BUYER_KEY } }
defaults: { as: issuer }
steps:
`;
const asset = (id: string): string =>
  `  - { id: ${id}, uses: ledger.asset.update, with: { assetType: Bond, data: { id: B1, note: ${id} } }, wait: { timeout: 2s } }\n`;
const PURCHASE = `  - { id: buy, as: buyer, uses: investor.sales.buy, with: { tokenSaleId: s1, userAddress: "0xAb", amount: 5, currencyContract: c, timezone: UTC } }\n`;

interface Service {
  /** Returns the answer to the n-th write, counted from 0. */
  readonly answer: (nth: number) => object;
  /** Returns the receipt with this id. */
  readonly receipt: (receiptId: string) => object;
  /** The transactions that the history shows from the beginning. */
  readonly history?: readonly string[];
}

// Serves a service in which no write ever becomes visible.
function served({ answer, receipt, history = [] }: Service): (came: Came) => Given {
  let writes = 0;
  return ({ method, path, query }) => {
    if (path === "/status") return { status: 204, body: "" };
    if (path === "/asset/receipt") return { body: JSON.stringify(receipt(query.get("receiptId") ?? "")) };
    if (path === "/asset/history") {
      const records = history.map((transactionId) => ({ transactionId, trasactionType: "UPDATED", data: { id: "B1" } }));
      return { body: JSON.stringify({ count: records.length, records }) };
    }
    if (method === "GET") return { body: '{"id":"B1","assetType":"Bond","data":{"id":"B1"}}' };
    return { body: JSON.stringify(answer(writes++)) };
  };
}

const committed = (transactionId?: string): object => ({ status: "COMMITTED", message: "Success", transactionId });

async function run(steps: string, service: Service, profile = DEFAULT_PROFILE): Promise<string> {
  const { url } = await serve(served(service));
  const { outcome, stopped } = await runnerForTest()(HEAD + steps, targetAt(url, profile));
  return [outcome, stopped?.step, stopped?.problem.message].filter(Boolean).join(": ");
}

const own = (nth: number): object => ({ transactionId: `t${nth}`, receiptId: `r${nth}` });
const receiptOnly = (nth: number): object => ({ receiptId: `r${nth}` });

test("a receipt is evidence if it names the transaction of the answer, or if the answer names none", async () => {
  expect(await run(asset("one"), { answer: own, receipt: () => committed("t0") })).toBe("passed");
  expect(await run(asset("one"), { answer: receiptOnly, receipt: () => committed("t0") })).toBe("passed");
});

test("a receipt that says COMMITTED and names no transaction is not evidence", async () => {
  for (const answer of [own, receiptOnly]) {
    const ended = await run(asset("one"), { answer, receipt: () => committed() });
    expect(ended).toBe("unknown: one: after 2 s the receipt r0 says COMMITTED and names no transaction");
  }
});

test("a receipt without a transaction is evidence if the profile says that receipts name none, but not if it names another one", async () => {
  const silent = profileWith({ ledger: { receipt: { namesTransaction: false } } });
  expect(await run(asset("one"), { answer: own, receipt: () => committed() }, silent)).toBe("passed");
  expect(await run(asset("one"), { answer: own, receipt: () => committed("t9") }, silent)).toContain(
    "names another transaction than the answer did",
  );
});

test("a receipt without a transaction can show that the write failed or is pending", async () => {
  const failed = await run(asset("one"), { answer: own, receipt: () => ({ status: "FAILED", message: "no" }) });
  expect(failed).toContain("failed: one");
  let looks = 0;
  const receipt = (): object => (looks++ < 2 ? { status: "PENDING" } : committed("t0"));
  expect(await run(asset("one"), { answer: receiptOnly, receipt })).toBe("passed");
});

test("a transaction or receipt that proved one step does not prove another", async () => {
  const same = { answer: () => own(0), receipt: () => committed("t0") };
  expect(await run(asset("one") + asset("two"), same)).toContain("unknown: two");
  const sameReceipt = { answer: () => receiptOnly(0), receipt: () => committed("t0") };
  expect(await run(asset("one") + asset("two"), sameReceipt)).toContain("but the answer names the receipt of one");
  const sameTransaction = { answer: receiptOnly, receipt: () => committed("t0") };
  expect(await run(asset("one") + asset("two"), sameTransaction)).toContain("names the transaction of one");
});

test("a transaction from before the write does not prove the write", async () => {
  const answered = await run(asset("one"), { answer: () => own(0), receipt: () => committed("t0"), history: ["t0"] });
  expect(answered).toContain("unknown: one: ledger.asset.update");
  expect(answered).toContain("but the answer names a transaction that existed before the write: t0");
  const received = await run(asset("one"), { answer: receiptOnly, receipt: () => committed("t0"), history: ["t0"] });
  expect(received).toContain("names a transaction that existed before the write: t0");
});

test("a transaction of an earlier run on the same ledger does not prove a write, in the answer or in the receipt", async () => {
  for (const second of [own, (): object => ({ receiptId: "r5" })]) {
    let writes = 0;
    const service = served({
      answer: () => (writes++ === 0 ? own(0) : second(0)),
      receipt: () => committed("t0"),
    });
    const { url } = await serve(service);
    const perform = runnerForTest(folderForTest());
    const first = await perform(HEAD + asset("one"), targetAt(url));
    expect(first.outcome).toBe("passed");
    // On another ledger, the same id names a different transaction.
    const other = await serve(served({ answer: own, receipt: () => committed("t0") }));
    const another = { ...targetAt(other.url), environment: "another" };
    expect((await perform(HEAD + asset("one"), another)).outcome).toBe("passed");
    const next = await perform(HEAD + asset("one"), targetAt(url));
    expect(next.outcome).toBe("unknown");
    expect(next.stopped?.problem.message).toMatch(/names the transaction of one in the run \S+/);
  }
});

test("a purchase whose answer names the transaction of an earlier run has an unknown outcome", async () => {
  const { url } = await serve(({ method, path }) => {
    if (method === "POST") return { status: 201, body: '{"status":"SUCCESS","response":{"result":{"transactionId":"p1"}}}' };
    if (path === "/token-sales") return { body: '{"status":"SUCCESS","response":{"sales":[]}}' };
    if (path === "/token-sales/s1") return { body: '{"status":1,"response":{"sale":{"id":"s1","tokenId":"t1"}}}' };
    const list = path.endsWith("/tokens") ? "tokens" : "transactions";
    return { body: `{"status":1,"response":{"${list}":[]},"pagination":{"page":1,"totalPages":1,"totalItems":0}}` };
  });
  const perform = runnerForTest();
  expect((await perform(HEAD + PURCHASE, targetAt(url))).outcome).toBe("passed");
  const again = await perform(HEAD + PURCHASE, targetAt(url));
  expect(again.outcome).toBe("unknown");
  expect(again.stopped?.problem.message).toMatch(/names the transaction of buy in the run/);
});
