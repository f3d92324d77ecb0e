// A gateway that loses a write, and then knows no path of the service: what it does not show has not gone.
import { expect, test } from "vitest";
import type { Exchanged } from "../../src/transport/exchange.ts";
import { sandboxForTest } from "../sandbox/caller.ts";
import { runnerForTest } from "../unit/engine/server.ts";
import { targetOf } from "./sandbox-target.ts";

const PREPARED = `playbook: 1
actors: { issuer: { ledger: "userId:alice" } }
defaults: { as: issuer }
steps:
  - id: deed
    uses: ledger.token.create
    with:
      name: Deeds
      classification: { type: nonfungible }
      tokenPermissions: [{ entity: "\${{ actors.issuer }}", roles: [minter] }]
  - { uses: ledger.token.mint, with: { id: "\${{ steps.deed.id }}", to: "\${{ actors.issuer }}", nftData: { id: D1 } } }
  - { uses: ledger.asset.create, with: { assetType: Property, data: [{ id: P1 }, { id: P2 }] } }
  - { id: vault, uses: ledger.vault.create, with: { name: Vault } }
  - { uses: ledger.vault.deposit, with: { vaultId: "\${{ steps.vault.id }}", assets: [{ assetType: Property, id: P1 }] } }
`;
const UNKNOWN: Exchanged = { kind: "answered", status: 404, headers: {}, text: "default backend - 404" };

test.for([
  ["ledger.token.burn", `{ id: "\${{ steps.deed.id }}", from: "\${{ actors.issuer }}", assetId: D1 }`, "unknown"],
  ["ledger.asset.delete", `{ assetType: Property, id: P2 }`, "unknown"],
  ["ledger.vault.withdraw", `{ vaultId: "\${{ steps.vault.id }}", assets: [{ assetType: Property, id: P1 }] }`, "unknown"],
  // Sent again, for a second one sets the same.
  ["ledger.token.setPermissions", `{ id: "\${{ steps.deed.id }}", permissions: [] }`, "changed"],
] as const)("%s is not taken for done because nothing is found", async ([operation, input, ended]) => {
  const { sandbox } = await sandboxForTest({ commitDelayMs: 0 });
  let [isNext, isLost] = [false, false];
  const ends: unknown[] = [];
  await runnerForTest()(`${PREPARED}  - { id: lost, uses: ${operation}, with: ${input} }\n`, targetOf(sandbox), {
    observe: (event) => {
      if (!("step" in event) || event.step !== "lost") return;
      if (event.kind === "attempt.intended") [isNext, isLost] = [event.attempt === 0, isLost && event.attempt === 0];
      if (event.kind === "attempt.settled") ends.push(event.verdict);
      if (event.kind === "step.completed" || event.kind === "step.stopped") ends.push(event.outcome);
    },
    exchange: async (outgoing, send) => {
      if (isNext && outgoing.fresh) {
        [isNext, isLost] = [false, true];
        return { kind: "no-answer", why: "other side closed" };
      }
      return isLost ? UNKNOWN : send(outgoing);
    },
  });
  expect(ends).not.toContain("applied");
  expect(ends.at(-1)).toBe(ended);
});
