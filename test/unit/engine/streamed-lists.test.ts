// The run reads a list of accounts or transactions while it arrives, if the list comes in a single answer.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { LIMITS } from "../../../src/base/limits.ts";
import type { Comparison } from "../../../src/protocol/comparison.ts";
import { patientTargetAt, targetAt } from "../../engine-parts.ts";
import { type Ran, runnerForTest, serve } from "./server.ts";

/** Returns a playbook that compares the sum of all accounts with a number. */
function summing(sum: number, value = "row.balance"): string {
  return `playbook: 1
mode: read-only
reconcile:
  - id: balances
    left: { rows: "[{'sum': ${sum}}]", key: "'T'", value: row.sum }
    right: { read: ledger.account.list, with: { tokenId: T }, key: "'T'", value: "${value}", combine: sum }
    recheck: 1ms
`;
}

const CONSERVE = "playbook: 1\nmode: read-only\nreconcile: [{ id: token, conserve: { token: T } }]\n";

function account(at: number, more: object = {}): string {
  return JSON.stringify({ id: `account${at}`, tokenId: "T", entity: { userId: `user${at}` }, balance: 1, ...more });
}

function accounts(count: number, more: object = {}): string[] {
  return Array.from({ length: count }, (_, at) => account(at, more));
}

function comparisonIn({ completed, stopped }: Ran): Comparison {
  const { comparison } = completed.at(-1) ?? stopped ?? {};
  return comparison ?? expect.fail("nothing was compared");
}

const MANY = 3_000;

test("a list that is larger than one answer may be is compared to its last record", async () => {
  const filler = { docType: "x".repeat(64_000) };
  const count = Math.ceil(LIMITS.answerBytes / 64_000);
  const { url, came } = await serve(() => ({ body: `[${accounts(count, filler).join(",")}]` }));
  const ran = await runnerForTest()(summing(count), patientTargetAt(url));
  expect(ran, JSON.stringify(ran).slice(0, 1_000)).toMatchObject({ outcome: "passed" });
  expect(comparisonIn(ran)).toMatchObject({ right: { rows: count, sum: String(count), requests: 1 } });
  expect(came).toHaveLength(1);
});

test("a single record that is larger than one answer may be is refused, and requested once", async () => {
  const { url, came } = await serve(() => ({
    body: `[${account(1)},${account(2, { docType: "x".repeat(LIMITS.answerBytes) })}]`,
  }));
  const ran = await runnerForTest()(summing(2), patientTargetAt(url));
  expect(ran).toMatchObject({ outcome: "failed", stopped: { problem: { code: "reconcile.incomplete" } } });
  expect(comparisonIn(ran).gaps).toMatchObject([
    {
      code: "service.answer-too-large",
      message: "ledger.account.list: one record of the answer is larger than 67,108,864 bytes",
    },
  ]);
  expect(came).toHaveLength(1);
});

test("a list whose connection breaks is read again, and each of its rows counts once", async () => {
  let requests = 0;
  const body = `[${accounts(MANY).join(",")}]`;
  const server = createServer((request, response) => {
    request.resume();
    requests += 1;
    response.writeHead(200, { "content-type": "application/json" });
    if (requests > 1) response.end(body);
    else response.write(body.slice(0, body.length / 2), () => response.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const ran = await runnerForTest()(summing(MANY), targetAt(url));
  expect(ran, JSON.stringify(ran)).toMatchObject({ outcome: "passed" });
  expect(comparisonIn(ran).right).toMatchObject({ rows: MANY, sum: String(MANY) });
  expect(requests).toBe(2);
});

test.each([
  ["a balance that is no number", account(MANY, { balance: "1" }), `answer.${MANY}.balance must be a number`],
  ["a record that is no JSON", '{"id":}', "the answer is not JSON"],
  ["two records without a comma", `${account(MANY)}${account(MANY)}`, "the answer is not JSON"],
  [
    "a number of too many digits",
    `{"balance":${"1".repeat(1_001)}}`,
    "the answer is not JSON: a number of more than 1000 digits",
  ],
  ["deep nesting", `{"owners":${"[".repeat(300)}${"]".repeat(300)}}`, "the answer is not JSON: nested deeper than 200 levels"],
  ["a forbidden key", '{"__proto__":1}', 'the answer is not JSON: the key "__proto__" is not allowed'],
])("%s in the middle of a list makes the whole list unreadable", async (_what, record, message) => {
  let others = 0;
  const { url, came } = await serve(() => ({ body: `[${[...accounts(others), record, ...accounts(others)].join(",")}]` }));
  for (others of [MANY, 0]) {
    const ran = await runnerForTest()(summing(1), targetAt(url));
    const expected = message.replace(`answer.${MANY}.`, `answer.${others}.`);
    expect(comparisonIn(ran).gaps, JSON.stringify(ran)).toMatchObject([
      { code: "service.unreadable", message: expect.stringContaining(expected) },
    ]);
  }
  expect(came).toHaveLength(2);
});

test.each([
  ["bytes that are no UTF-8", Buffer.from([0xe9]), "the answer is not JSON: it is no text in UTF-8"],
  [
    "a name twice in one record",
    Buffer.from('","balance":1,"note":"'),
    'the answer is not JSON: the name "balance" is twice in one object',
  ],
])("a list with %s at any place is not compared", async (_what, inside, why) => {
  for (const count of [3, MANY]) {
    const records = accounts(count, { note: "HERE" }).join(",");
    const place = records.lastIndexOf("HERE");
    const body = Buffer.concat([Buffer.from(`[${records.slice(0, place)}`), inside, Buffer.from(`${records.slice(place + 4)}]`)]);
    const { url } = await serve(() => ({ body }));
    const ran = await runnerForTest()(summing(count), targetAt(url));
    expect(ran).toMatchObject({ outcome: "failed", stopped: { problem: { code: "reconcile.incomplete" } } });
    expect(comparisonIn(ran).gaps[0]?.message).toContain(why);
  }
});

test("a row without a value stops the reading at once", async () => {
  const { url } = await serve(() => ({ body: `[${account(0, { balance: undefined })},${accounts(MANY).join(",")}]` }));
  const ran = await runnerForTest()(summing(1), targetAt(url));
  expect(comparisonIn(ran).gaps).toMatchObject([{ code: "reconcile.row" }]);
});

test("an expression over the whole response sees all rows of a long list", async () => {
  const { url } = await serve(() => ({ body: `[${accounts(MANY).join(",")}]` }));
  const ran = await runnerForTest()(summing(MANY * MANY, "row.balance * response.size()"), targetAt(url));
  expect(ran, JSON.stringify(ran).slice(0, 1_000)).toMatchObject({ outcome: "passed" });
});

test("a check of conservation adds up a list of any length, and finds an account that is listed twice", async () => {
  let twice = false;
  const token = { id: "T", totalSupply: MANY, totalMintedAmount: MANY, behaviour: { maxMintQuantity: MANY } };
  const mint = (at: number): string =>
    JSON.stringify({
      id: `mint${at}`,
      type: "MINT",
      transactionDetails: [{ tokenId: "T", to: { userId: `user${at}` }, amount: 1 }],
    });
  const { url } = await serve(({ path }) => {
    if (path.includes("account")) return { body: `[${[...accounts(MANY), ...(twice ? [account(0)] : [])].join(",")}]` };
    if (path.includes("transaction")) return { body: `[${Array.from({ length: MANY }, (_, at) => mint(at)).join(",")}]` };
    return { body: JSON.stringify(token) };
  });
  const run = runnerForTest();
  const checked = CONSERVE.replace("mode: read-only\nreconcile: [{ id: token, ", "checks: [{ ").replace(
    "playbook: 1",
    "playbook: 1\nsteps: [{ uses: ledger.status }]",
  );
  expect(await run(CONSERVE, targetAt(url))).toMatchObject({ outcome: "passed" });
  expect(await run(checked, targetAt(url))).toMatchObject({ outcome: "passed" });
  twice = true;
  const ran = await run(CONSERVE, targetAt(url));
  expect(comparisonIn(ran).gaps).toMatchObject([
    { message: expect.stringContaining("account account0 is listed more than once") },
  ]);
});
