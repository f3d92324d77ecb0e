import { expect, test } from "vitest";
import { answerInstead, proxyTo } from "./proxy.ts";
import { MINT_ONCE, newProject, operationsOf, reached, runIn, servedSandbox, stepIn } from "./world.ts";

const BUSY = answerInstead({
  status: 429,
  headers: { "content-type": "application/json", "retry-after": "1" },
  body: '{"status":"Error","message":"too many requests","condition":"too many requests"}',
});
const LATER = answerInstead({
  status: 429,
  headers: { "content-type": "application/json", "retry-after": "3600" },
  body: '{"status":"Error","message":"too many requests","condition":"too many requests"}',
});
const DOWN = answerInstead({
  status: 503,
  headers: { "content-type": "application/json", "retry-after": "0" },
  body: '{"status":"Error","message":"maintenance","condition":"maintenance"}',
});

test("a service that is too busy is asked again when it says, and each write commits once", async () => {
  const world = await servedSandbox();
  const proxy = await proxyTo(world.url);
  const project = newProject();
  project.serviceAt(proxy.url);
  project.write("mint.yaml", MINT_ONCE);
  void proxy.next("POST /token", DOWN);
  void proxy.next("POST /token/mint", BUSY);
  // The first read is the baseline before the mint. tokenbook reads it again before it sends the mint again.
  void proxy.next("GET /token", BUSY, 2);
  const ended = await project.run("run", "mint.yaml");
  expect(ended.code, ended.transcript).toBe(0);
  expect(ended.stdout, ended.transcript).toMatch(/^✓ changed {2}token .* sent 2 times {2}/m);
  expect(ended.stdout, ended.transcript).toMatch(/^✓ changed {2}mint .* sent 2 times {2}/m);
  expect(ended.stdout, ended.transcript).toMatch(/^✓ ok {7}after /m);
  expect(operationsOf(await world.commits()), ended.transcript).toEqual(["ledger.token.create", "ledger.token.mint"]);
  expect(proxy.seen.filter((name) => name === "GET /token")).toHaveLength(4);

  // The run waited as long as the service asked, once for the write and once for the read.
  const { data } = await project.json("runs", "show", runIn(ended));
  expect(stepIn(data, "mint").attempts.map(({ meaning, status }) => [meaning, status])).toEqual([
    ["refused-later", 429],
    ["acknowledged", 200],
  ]);
  expect(data.reports[0]?.run.durationMs, ended.transcript).toBeGreaterThan(1_900);
});

test("a process that is to end does not live on for a service that asked for patience", async () => {
  const world = await servedSandbox();
  const proxy = await proxyTo(world.url);
  const project = newProject();
  project.serviceAt(proxy.url);
  project.write("tokenbook.yaml", `${project.read("tokenbook.yaml")}    pacing: { atOnce: 2 }\n`);
  project.write("mint.yaml", MINT_ONCE);
  const asked = proxy.next("GET /status", LATER);
  const running = project.start("run", "mint.yaml");
  await reached(running, asked);
  await running.signal("SIGTERM");
  const ended = await running.ended;
  expect(ended.code, ended.transcript).toBe(143);
  expect(proxy.seen.filter((name) => name.startsWith("POST"))).toEqual([]);
});

const BUY = `playbook: 1
actors: { buyer: { investor: BUYER_KEY } }
defaults: { as: buyer }
steps:
  - id: buy
    uses: investor.sales.buy
    with: { tokenSaleId: saleActive1, userAddress: "0xb1", amount: 5, currencyContract: "0xc1", timezone: UTC }
`;

test("a fault of the sandbox that says not now delays a write, and one that follows the write sends nothing twice", async () => {
  const notNow = (operation: string, status: number) => ({ operation, nth: 1, fault: { status, retryAfter: "0s" } });
  const faults = [
    notNow("ledger.token.create", 503),
    notNow("ledger.token.mint", 429),
    { operation: "investor.sales.buy", nth: 1, fault: { "status-after": 429 } },
  ];
  const world = await servedSandbox({ faults });
  const project = newProject();
  project.serviceAt(world.url);
  project.write("mint.yaml", MINT_ONCE);
  const minted = await project.run("run", "mint.yaml");
  expect(minted.code, minted.transcript).toBe(0);
  expect(minted.stdout).toMatch(/^✓ changed {2}mint .* sent 2 times {2}/m);
  project.write("buy.yaml", BUY);
  const bought = await project.run("run", "buy.yaml");
  expect(bought.code, bought.transcript).toBe(0);
  expect(operationsOf(await world.commits()), bought.transcript).toEqual([
    "ledger.token.create",
    "ledger.token.mint",
    "investor.sales.buy",
  ]);
});
