import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { LIMITS } from "../../../src/base/limits.ts";
import { thisProcess } from "../../../src/journal/holder.ts";
import { clockWithoutWaiting, targetAt } from "../../engine-parts.ts";
import { folderForTest, runnerForTest, serve } from "./server.ts";

const WRITE = `playbook: 1
name: Write
steps:
  - id: asset
    uses: ledger.asset.create
    as: { ledger: "userId:alice" }
    with: { assetType: Property, data: { id: P1 } }
    wait: none
`;

// Returns the parent process as a holder. It lives as long as this process does.
function anotherProcess(): string {
  const stat = readFileSync(`/proc/${process.ppid}/stat`, "utf8");
  const startedAt = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  return JSON.stringify({ ...thisProcess(), pid: process.ppid, startedAt });
}

test("a run waits for an entity only for a limited time, and its message names the holder", async () => {
  const { url, came } = await serve(() => ({ body: '{"transactionId":"tx1","receiptId":"r1"}' }));
  const folder = folderForTest();
  const clock = clockWithoutWaiting();
  const run = runnerForTest(folder, clock);
  expect((await run(WRITE, targetAt(url))).outcome).toBe("passed");
  const database = new DatabaseSync(join(folder, "journal.db"));
  database
    .prepare("INSERT INTO lease (kind, name, run_id, epoch, holder, since) VALUES ('entity', ?, 'other', 1, ?, 0)")
    .run(`userId:alice at ${url} (app1)`, anotherProcess());
  database.close();
  const before = came.length;
  const [began, message] = [clock.elapsed(), `another process acts as userId:alice at ${url} (app1), which the run other holds`];
  await expect(run(WRITE, targetAt(url))).rejects.toMatchObject({
    code: "lease.held",
    exit: 6,
    message: expect.stringContaining(message),
  });
  expect(clock.elapsed() - began).toBeGreaterThanOrEqual(LIMITS.entityWaitMs);
  expect(came).toHaveLength(before);
});

test("a run without groups and entities holds its own lease from its first record to its end", async () => {
  const { url } = await serve(() => ({ body: "{}" }));
  const folder = folderForTest();
  const read = "playbook: 1\nsteps:\n  - uses: ledger.status\n    as: { ledger: userId:alice }\n";
  expect((await runnerForTest(folder, clockWithoutWaiting())(read, targetAt(url))).outcome).toBe("passed");
  const database = new DatabaseSync(join(folder, "journal.db"));
  const leases = database.prepare("SELECT kind, epoch, holder FROM lease").all();
  database.close();
  expect(leases).toEqual([{ kind: "run", epoch: 1, holder: null }]);
});
