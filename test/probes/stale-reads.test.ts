// A replica that lags behind answers a read: what it does not show, or does not show yet, proves nothing.
import { expect, test } from "vitest";
import type { RunEvent } from "../../src/protocol/record.ts";
import type { Exchanged } from "../../src/transport/exchange.ts";
import { sandboxForTest } from "../sandbox/caller.ts";
import { runnerForTest } from "../unit/engine/server.ts";
import { targetOf } from "./sandbox-target.ts";

const LOST: Exchanged = { kind: "no-answer", why: "other side closed" };
const KEEP_THE_PAST = [{ operation: "ledger.status", nth: 1_000, fault: { stale: "1s" } }];

test("a withdrawal is lost, and the vault is read as it was before the deposit: nothing is called applied", async () => {
  const { sandbox, ledger, control } = await sandboxForTest({ commitDelayMs: 0, faults: KEEP_THE_PAST });
  await ledger("POST /asset", { as: "userId:alice", body: { assetType: "Property", data: { id: "P1" } } });
  const playbook = `playbook: 1
actors: { owner: { ledger: "userId:alice" } }
defaults: { as: owner }
steps:
  - { id: vault, uses: ledger.vault.create, with: { name: Vault } }
  - { id: deposit, uses: ledger.vault.deposit, with: { vaultId: "\${{ steps.vault.id }}", assets: [{ assetType: Property, id: P1 }] } }
  - { id: withdraw, uses: ledger.vault.withdraw, with: { vaultId: "\${{ steps.vault.id }}", assets: [{ assetType: Property, id: P1 }] } }
`;
  const ended: string[] = [];
  let next = "";
  const observe = (event: RunEvent): void => {
    if (event.kind === "attempt.intended") next = event.step;
    if (event.kind === "attempt.settled") ended.push(event.verdict);
    if ((event.kind === "step.completed" || event.kind === "step.stopped") && event.step === "withdraw")
      ended.push(event.outcome);
  };
  await runnerForTest()(playbook, targetOf(sandbox), {
    observe,
    exchange: async (outgoing, send) => {
      if (outgoing.fresh && next === "deposit") await control("POST /clock", { advance: "10s" });
      if (!outgoing.fresh || next !== "withdraw") return send(outgoing);
      await control("POST /faults", [{ operation: "ledger.vault.assets", fault: { stale: "5s" } }]);
      return LOST;
    },
  });
  expect(ended).toEqual(["unknown"]);
});
