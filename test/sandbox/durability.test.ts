import { fileURLToPath } from "node:url";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { startSandbox, type Sandbox } from "../../src/sandbox/sandbox.ts";
import { Database } from "../../src/sqlite/database.ts";
import { SANDBOX } from "../../src/sandbox/store/tables.ts";
import { callerOf, fileForTest, sandboxForTest, user, type Caller } from "./caller.ts";

interface Served extends Caller {
  readonly process: ChildProcess;
}

async function serve(path: string, commitDelayMs = 20): Promise<Served> {
  const child = spawn(process.execPath, [fileURLToPath(new URL("serve.ts", import.meta.url)), path, String(commitDelayMs)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  return { ...callerOf(JSON.parse(String(line)) as Sandbox), process: child };
}

const createAsset = (caller: Caller, id: string) =>
  caller.ledger("POST /asset", { body: { assetType: "Property", data: { id } } });
const mint = (caller: Caller) => caller.ledger("POST /token/mint", { body: [{ id: "T1", to: user("bob"), value: 1 }] });

test("a killed sandbox loses nothing that it acknowledged", async () => {
  const path = fileForTest();
  const first = await serve(path);
  const acknowledged: string[] = [];
  const buying = first.investor("POST /token-sales/buy", {
    body: { tokenSaleId: "saleActive1", userAddress: "0x1", amount: 3, currencyContract: "0x2", timezone: "UTC" },
  });
  const writing = (async () => {
    for (let at = 0; ; at++) {
      await createAsset(first, `P${at}`);
      acknowledged.push(`P${at}`);
      if (at === 5) void buying.then(() => setTimeout(() => first.process.kill("SIGKILL"), 10));
    }
  })();
  const bought = await buying;
  await expect(writing).rejects.toThrow();
  expect(bought.status).toBe(201);
  expect(acknowledged.length).toBeGreaterThan(5);

  const second = await serve(path);
  const kept = (await second.ledger("GET /asset/all", { query: { pageSize: "1000" } })).body.records.map(
    ({ id }: { id: string }) => id,
  );
  expect(kept).toEqual(expect.arrayContaining(acknowledged));
  expect((await second.investor("GET /investments/user/transactions")).body.pagination.totalItems).toBe(1);
  const { commits } = (await second.control("GET /commits")).body;
  expect(commits.filter(({ operation }: { operation: string }) => operation === "ledger.asset.create")).toHaveLength(kept.length);
});

test("a write that was pending when the sandbox was killed is committed once, later", async () => {
  const path = fileForTest();
  const first = await serve(path, 400);
  const { receiptId } = (
    await first.ledger("POST /asset", { query: { async: "true" }, body: { assetType: "Property", data: { id: "P1" } } })
  ).body;
  first.process.kill("SIGKILL");
  await once(first.process, "exit");

  const second = await serve(path);
  await second.control("POST /clock", { advance: "1s" });
  expect((await second.ledger("GET /asset/receipt", { query: { receiptId } })).body.status).toBe("COMMITTED");
  expect((await second.ledger("GET /asset/history", { query: { assetType: "Property", id: "P1" } })).body.count).toBe(1);
});

test("two processes serve one file as one service", async () => {
  const path = fileForTest();
  const [one, two] = [await serve(path), await sandboxForTest({ path })];
  await one.ledger("POST /token", { body: [{ id: "T1" }] });
  const minted = await Promise.all(Array.from({ length: 40 }, (_, at) => mint(at % 2 === 0 ? one : two)));
  expect(minted.map(({ status }) => status)).toEqual(Array(40).fill(200));
  for (const caller of [one, two]) {
    expect((await caller.ledger("POST /token/erc1155/balanceOf", { body: { id: "T1", owner: user("bob") } })).body.balance).toBe(
      40,
    );
    expect((await caller.control("GET /commits")).body.commits).toHaveLength(41);
  }
  await one.control("POST /clock", { advance: "1h" });
  const [here, there] = await Promise.all(
    [one, two].map(async (caller) => Date.parse((await caller.control("GET /health")).body.now)),
  );
  expect(Math.abs(Number(here) - Number(there))).toBeLessThan(5_000);
});

test("hundreds of parallel clients all get an answer", async () => {
  const caller = await sandboxForTest({ path: fileForTest() });
  await caller.ledger("POST /token", { body: [{ id: "T1" }] });
  const answers = await Promise.all(Array.from({ length: 300 }, () => mint(caller)));
  expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
  expect((await caller.ledger("GET /token", { query: { id: "T1" } })).body.totalSupply).toBe(300);
});

test("a file of the first version is upgraded, and keeps its data", async () => {
  const path = fileForTest();
  const before = await startSandbox({ path, commitDelayMs: 60_000 });
  const { receiptId } = (
    await callerOf(before).ledger("POST /asset", {
      query: { async: "true" },
      body: { assetType: "Property", data: { id: "P1" } },
    })
  ).body;
  await before.close();
  const file = Database.open(path, SANDBOX);
  file.exec(`DROP INDEX resources_in_order; PRAGMA user_version = 1;
    ALTER TABLE ledger_transactions DROP COLUMN held; ALTER TABLE ledger_transactions DROP COLUMN doom;
    UPDATE settings SET value = json_remove(value, '$.references') WHERE name = 'service'`);
  file.close();

  const { ledger, control } = await sandboxForTest({ path });
  await control("POST /clock", { advance: "2m" });
  expect((await ledger("GET /asset/receipt", { query: { receiptId } })).body.status).toBe("COMMITTED");
  expect((await ledger("GET /asset", { query: { assetType: "Property", id: "P1", depth: "3" } })).status).toBe(200);
});

test("the clock refuses an advance past the last valid timestamp", async () => {
  const { ledger, control } = await sandboxForTest();
  expect(await control("POST /clock", { advance: "99999999d" })).toMatchObject({
    status: 400,
    body: { condition: "invalid parameters" },
  });
  expect((await control("POST /clock", { advance: "2900000d" })).body.now).toMatch(/^99\d\d-/);
  expect((await ledger("POST /asset", { body: { assetType: "Property", data: { id: "P1" } } })).status).toBe(201);
});
