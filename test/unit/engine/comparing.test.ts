import { expect, test } from "vitest";
import type { Comparison } from "../../../src/protocol/comparison.ts";
import { clockWithoutWaiting, folderForTest, type Ran, runnerForTest, serve, targetAt } from "./server.ts";

const HOUR_MS = 3_600_000;

function comparisonIn({ completed, stopped }: Ran): Comparison {
  const { comparison } = completed.at(-1) ?? stopped ?? {};
  return comparison ?? expect.fail("nothing was compared");
}

test("a row that says it changed in the future is not waited for until then", async () => {
  const { url } = await serve(() => ({ body: '[{"balance":5,"updatedAt":"2099-01-01T00:00:00Z"}]' }));
  const clock = clockWithoutWaiting();
  const ran = await runnerForTest(folderForTest(), clock)(
    `playbook: 1
mode: read-only
reconcile:
  - id: balances
    left: { rows: "[{'holder': 'alice', 'balance': 1}]", key: row.holder, value: row.balance }
    right: { read: ledger.account.list, with: { tokenId: T }, key: "'alice'", value: row.balance, at: row.updatedAt }
    settle: 10m
`,
    targetAt(url),
  );
  expect(ran.outcome, JSON.stringify(ran)).toBe("drift");
  expect(comparisonIn(ran).looks).toBe(2);
  expect(clock.elapsed()).toBeLessThan(HOUR_MS);
});
