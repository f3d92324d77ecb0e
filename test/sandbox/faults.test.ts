import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { Failure } from "../../src/base/failure.ts";
import { parseJson } from "../../src/base/json/json.ts";
import { readFaults, startSandbox, type Fault, type FaultRule } from "../../src/sandbox/sandbox.ts";
import { fileForTest, sandboxForTest, type Caller } from "./caller.ts";

const asset = (id: string) => ({ body: { assetType: "Property", data: { id } } });
const exists = async ({ ledger }: Caller, id: string) =>
  (await ledger("GET /asset", { query: { assetType: "Property", id } })).status === 200;

interface Seen {
  readonly status: number;
  readonly text: string;
  readonly headers: Headers;
}

// Creates an asset with a call whose answer may be missing, or may not be JSON.
async function create({ sandbox }: Caller, id: string, query = ""): Promise<Seen | "no answer"> {
  try {
    const response = await fetch(`${sandbox.ledgerBaseUrl}/tokenize/app1/asset${query}`, {
      method: "POST",
      headers: { "x-api-key": sandbox.ledgerApiKey, "content-type": "application/json" },
      body: JSON.stringify(asset(id).body),
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  } catch {
    return "no answer";
  }
}

const struckBy = (fault: Fault, rule: Partial<FaultRule> = {}): Promise<Caller> =>
  sandboxForTest({ faults: [{ operation: "ledger.asset.create", times: 1, ...rule, fault }] });

test.each([
  ["drop-before", false],
  ["drop-after", true],
  ["truncated", true],
] as const)("the fault %s gives no answer; the asset exists: %s", async (fault, there) => {
  const caller = await struckBy(fault);
  expect(await create(caller, "P1")).toBe("no answer");
  expect(await exists(caller, "P1")).toBe(there);
  expect((await caller.ledger("POST /asset", asset("P2"))).status).toBe(201);
});

test.each([
  ["garbage", 201, "application/json"],
  ["html", 201, "text/html"],
  [{ "status-after": 502 }, 502, "application/json"],
] as const)("the fault %s gives a bad answer, and the asset exists", async (fault, status, type) => {
  const caller = await struckBy(fault);
  const seen = (await create(caller, "P1")) as Seen;
  expect(seen.status).toBe(status);
  expect(seen.headers.get("content-type")).toContain(type);
  if (status === 201) expect(() => parseJson(seen.text)).toThrow();
  expect(await exists(caller, "P1")).toBe(true);
});

test("the fault `status` answers before anything is done, with the time to wait", async () => {
  const caller = await struckBy({ status: 429, retryAfter: "1500ms" });
  const seen = (await create(caller, "P1")) as Seen;
  expect(seen).toMatchObject({ status: 429 });
  expect(seen.headers.get("retry-after")).toBe("2");
  expect(JSON.parse(seen.text)).toMatchObject({ status: "Error", message: "a fault of the plan" });
  expect(await exists(caller, "P1")).toBe(false);
});

test.each([
  [{ gateway: 503, retryAfter: "2s", body: "text" }, ["text/plain; charset=utf-8", "2"], false],
  [{ gateway: 429 }, ["application/json", null], false],
  [{ gateway: 403, body: "empty" }, [null, null], false],
  [{ "gateway-after": 503, retryAfter: "2s", body: "text" }, ["text/plain; charset=utf-8", "2"], true],
  [{ "gateway-after": 401, body: "json" }, ["application/json", null], true],
  [{ "gateway-after": 403, body: "empty" }, [null, null], true],
] as const)("the fault %o answers in the words of a gateway", async (fault, heads, there) => {
  const caller = await struckBy(fault);
  const { headers, text, ...seen } = (await create(caller, "P1")) as Seen;
  expect(seen.status).toBe("gateway" in fault ? fault.gateway : fault["gateway-after"]);
  expect([headers.get("content-type"), headers.get("retry-after")]).toEqual(heads);
  expect(text).not.toContain("condition");
  expect(text === "").toBe("body" in fault && fault.body === "empty");
  expect(await exists(caller, "P1")).toBe(there);
});

test("the fault `delay` delays the answer, and not the write", async () => {
  const caller = await struckBy({ delay: "3s" });
  const order: string[] = [];
  const answered = create(caller, "P1").finally(() => order.push("answered"));
  await expect.poll(() => exists(caller, "P1")).toBe(true);
  order.push("written");
  expect(await answered).toMatchObject({ status: 201 });
  expect(order).toEqual(["written", "answered"]);
});

test("the fault `receipt-pending` keeps a receipt pending, and delays no other write", async () => {
  const caller = await struckBy({ "receipt-pending": "10m" });
  const { receiptId } = JSON.parse(((await create(caller, "P1", "?async=true")) as Seen).text);
  expect((await caller.ledger("POST /asset", asset("P2"))).status).toBe(201);
  const status = async () => (await caller.ledger("GET /asset/receipt", { query: { receiptId } })).body.status;
  expect(await status()).toBe("PENDING");
  await caller.control("POST /clock", { advance: "9m" });
  expect(await status()).toBe("PENDING");
  await caller.control("POST /clock", { advance: "2m" });
  expect(await status()).toBe("COMMITTED");
  expect(
    (await caller.control("GET /commits")).body.commits.map((each: { body: { data: { id: string } } }) => each.body.data.id),
  ).toEqual(["P2", "P1"]);
});

test("the fault `receipt-failed` ends a transaction as FAILED with its message, and commits nothing", async () => {
  const caller = await struckBy({ "receipt-failed": "endorsement failure" }, { times: 2 });
  const { receiptId } = JSON.parse(((await create(caller, "P1", "?async=true")) as Seen).text);
  expect(await create(caller, "P2")).toMatchObject({ status: 500, text: expect.stringContaining("endorsement failure") });
  expect((await caller.ledger("GET /asset/receipt", { query: { receiptId } })).body).toMatchObject({
    status: "FAILED",
    message: "endorsement failure (a fault of the plan)",
  });
  expect((await caller.control("GET /commits")).body.commits).toEqual([]);
  expect(await exists(caller, "P1")).toBe(false);
});

test("an asynchronous write that breaks a rule is accepted, and its receipt says why it failed", async () => {
  const caller = await sandboxForTest();
  await create(caller, "P1");
  expect(await create(caller, "P1")).toMatchObject({ status: 409 });
  const { status, text } = (await create(caller, "P1", "?async=true")) as Seen;
  const { receiptId } = JSON.parse(text);
  expect(status).toBe(201);
  const receipt = async (): Promise<unknown> => (await caller.ledger("GET /asset/receipt", { query: { receiptId } })).body;
  await expect.poll(receipt).toMatchObject({ status: "FAILED", message: expect.stringMatching(/^asset already exists: /) });
  const malformed = { query: { async: "true" }, body: { assetType: "Property", data: 7 } };
  expect(await caller.ledger("POST /asset", malformed)).toMatchObject({ status: 400, body: { condition: "invalid parameters" } });
});

test("each rule of a plan counts the calls that it matches, and the first rule that is due acts", async () => {
  const caller = await sandboxForTest({
    faults: [
      { operation: "ledger.asset.*", nth: 2, fault: { status: 503 } },
      { operation: "*.create", nth: 2, times: 2, fault: { status: 500 } },
      { operation: "ledger.token.mint", fault: "drop-before" },
    ],
  });
  const statuses = [];
  for (const id of ["P1", "P2", "P3", "P4", "P5"]) statuses.push((await caller.ledger("POST /asset", asset(id))).status);
  expect(statuses).toEqual([201, 503, 500, 500, 201]);
  expect((await caller.control("GET /faults")).body).toEqual({
    faults: [
      { operation: "ledger.asset.*", nth: 2, fault: { status: 503 }, matched: 5, fired: 1 },
      { operation: "*.create", nth: 2, times: 2, fault: { status: 500 }, matched: 5, fired: 2 },
      { operation: "ledger.token.mint", fault: "drop-before", matched: 0, fired: 0 },
    ],
  });
});

test("the plan can be replaced at run time, also for the investor interface", async () => {
  const caller = await sandboxForTest();
  const sale = () => caller.investor("GET /token-sales/saleActive1");
  expect((await caller.control("POST /faults", [{ operation: "investor.*", fault: { status: 503 } }])).status).toBe(200);
  expect(await sale()).toMatchObject({ status: 503, body: { status: 0 } });
  expect(await caller.control("POST /faults", [{ fault: "explode" }])).toMatchObject({ status: 400 });
  expect((await sale()).status).toBe(503);
  expect((await caller.control("POST /faults", [])).body).toEqual({ faults: [] });
  expect((await sale()).status).toBe(200);
});

test.each([
  ['[{"fault": "explode"}]', "[0].fault"],
  ['[{"fault": {"delay": "soon"}}]', "[0].fault.delay"],
  ['[{"fault": {"delay": true}}]', "[0].fault.delay: must be a duration, such as 500ms, 30s, 5m, 2h or 1d"],
  ['[{"fault": {"delay": 3}}]', "2h or 1d; try 3s"],
  ['[{"fault": "dropafter"}]', 'did you mean "drop-after"?'],
  ['[{"nth": "first", "fault": "html"}]', "[0].nth: must be a whole number"],
  ['[{"fault": {"status": 200}}]', "[0].fault.status: must be 429 or 500 to 599"],
  ['[{"fault": {"delay": "1s", "status": 500}}]', "[0].fault: must name exactly one fault"],
  ['[{"fault": {"retryAfter": "1s"}}]', "[0].fault: must name exactly one fault"],
  ['[{"fault": {"status": 503, "body": "text"}}]', "[0].fault: `body` belongs to gateway or gateway-after"],
  ['[{"fault": {"delay": "1s", "retryAfter": "1s"}}]', "[0].fault: `retryAfter` belongs to status, gateway or gateway-after"],
  ['[{"fault": {"gateway": 200}}]', "[0].fault.gateway: must be at least 400"],
  [
    '[{"fault": "html"}, {"operation": "ledger.token.mnt", "fault": "html"}]',
    "[1].operation: there is no operation ledger.token.mnt; did you mean ledger.token.mint?",
  ],
  ['[{"operation": "ledger.token.get", "fault": "receipt-failed"}]', "[0].operation: ledger.token.get is no ledger write"],
  ['[{"nth": 0, "fault": "html"}]', "[0].nth"],
  ['[{"fault": "html", "often": 2}]', '[0]: unknown field "often"; known fields: operation, nth, times, fault'],
  ["{}", "the fault plan is wrong: must be a list"],
])("a wrong plan is refused with the place of the mistake: %s", (text, where) => {
  expect(() => readFaults(parseJson(text))).toThrow(where);
  expect(() => readFaults(parseJson(text))).toThrow(Failure);
});

test("a plan is read with exact numbers", () => {
  expect(readFaults(parseJson('[{"nth": 2, "times": 3, "fault": {"status": 503, "retryAfter": "1s"}}]'))).toEqual([
    { nth: 2, times: 3, fault: { status: 503, retryAfter: "1s" } },
  ]);
});

test("the examples of the schema are valid plans", () => {
  const { examples } = JSON.parse(readFileSync("schemas/faults.schema.json", "utf8")) as { examples: unknown[] };
  for (const example of examples) expect(readFaults(example)).toEqual(example);
});

test("a sandbox does not start with a wrong plan or seed", async () => {
  const path = fileForTest();
  await expect(startSandbox({ path, faults: [{ fault: { delay: "soon" } }] })).rejects.toThrow("[0].fault.delay");
  await expect(startSandbox({ path, seed: { orgId: "" } })).rejects.toThrow("orgId");
});

test("the fault `stale` makes reads show earlier moments in any order, and does not affect writes", async () => {
  const stale = (nth: number, ago: string): FaultRule => ({ operation: "ledger.asset.*", nth, fault: { stale: ago } });
  const caller = await sandboxForTest({ commitDelayMs: 0, faults: [stale(1, "5s"), stale(2, "15s"), stale(3, "15s")] });
  const { ledger, control } = caller;
  expect((await ledger("POST /asset", asset("P1"))).status).toBe(201);
  await control("POST /clock", { advance: "10s" });
  await ledger("PATCH /asset", { body: { assetType: "Property", data: { id: "P1", rooms: 2 } } });
  const query = { assetType: "Property", id: "P1" };
  const first = await ledger("GET /asset", { query });
  expect(first.status).toBe(200);
  expect(first.body.data).toEqual({ id: "P1" });
  expect((await ledger("GET /asset", { query })).status).toBe(404);
  expect((await ledger("GET /asset/history", { query })).status).toBe(404);
  expect((await ledger("GET /asset", { query })).body.data).toEqual({ id: "P1", rooms: 2 });
  expect((await ledger("DELETE /asset", { body: query })).status).toBe(200);
  await control("POST /faults", [{ operation: "ledger.asset.get", fault: { stale: "1h" } }]);
  // The sandbox keeps no state from before the plan.
  expect((await ledger("GET /asset", { query })).status).toBe(404);
  expect(() => readFaults([{ operation: "ledger.asset.create", fault: { stale: "1s" } }])).toThrow(Failure);
  expect((await control("GET /commits")).body.commits).toHaveLength(3);
});
