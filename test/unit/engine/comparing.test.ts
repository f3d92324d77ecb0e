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

test("a vault that does not name its share tokens is not read to its end, rather than without any", async () => {
  const { url } = await serve(({ path }) => ({
    body: path.endsWith("/assets") ? '{"count":0,"assets":[]}' : '{"id":"V","name":"Vault"}',
  }));
  const run = runnerForTest();
  const compared = await run("playbook: 1\nmode: read-only\nreconcile: [{ id: vault, conserve: { vault: V } }]\n", targetAt(url));
  expect(compared).toMatchObject({ outcome: "failed", stopped: { problem: { code: "reconcile.incomplete" } } });
  expect(comparisonIn(compared).gaps).toMatchObject([{ message: "page 1: vaultTokenId must be a list of texts, and is null" }]);
  const checked = await run(
    "playbook: 1\nsteps: [{ uses: ledger.vault.assets, with: { id: V } }]\nchecks: [{ conserve: { vault: V } }]\n",
    targetAt(url),
  );
  expect(checked).toMatchObject({ outcome: "failed", stopped: { problem: { code: "reconcile.row" } } });
});
