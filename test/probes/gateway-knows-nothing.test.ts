// A gateway loses a write, and then knows no path of the service. What such a gateway does not show still exists.
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
const LOST: Exchanged = { kind: "no-answer", why: "other side closed" };
const NOT_FOUND: Exchanged = { kind: "answered", status: 404, headers: {}, text: "default backend - 404" };
const BURN = ["ledger.token.burn", `{ id: "\${{ steps.deed.id }}", from: "\${{ actors.issuer }}", assetId: D1 }`] as const;
const WITHDRAW = [
  "ledger.vault.withdraw",
  `{ vaultId: "\${{ steps.vault.id }}", assets: [{ assetType: Property, id: P1 }] }`,
] as const;
const CLEAR = ["ledger.token.setPermissions", `{ id: "\${{ steps.deed.id }}", permissions: [] }`] as const;
const DELETE = ["ledger.asset.delete", `{ assetType: Property, id: P2 }`] as const;
const ASK = [
  "ledger.approval.create",
  `{ approvalType: pay, approvers: [{ orgId: org1, userId: bob }], numRequired: 1 }`,
] as const;
const CREATE = ["ledger.token.create", `{ name: Other }`] as const;

/** Returns how a write ends that is lost behind a gateway. Until the write is sent again, the gateway finds only what `knows` names. */
async function ends([operation, input]: readonly [string, string], knows: string): Promise<readonly string[]> {
  const { sandbox } = await sandboxForTest({ commitDelayMs: 0 });
  let [attempt, isLost] = [-1, false];
  const ended: string[] = [];
  const target = { ...targetOf(sandbox), settleWithinMs: 1_000, readLagMs: 0 };
  await runnerForTest()(`${PREPARED}  - { id: lost, uses: ${operation}, with: ${input} }\n`, target, {
    observe: (event) => {
      if (!("step" in event) || event.step !== "lost") return;
      if (event.kind === "attempt.intended") [attempt, isLost] = [event.attempt, false];
      if (event.kind === "attempt.settled") ended.push(event.verdict);
      if (event.kind === "step.completed" || event.kind === "step.stopped") ended.push(event.outcome);
    },
    exchange: async (outgoing, send) => {
      if (attempt === 0 && outgoing.fresh) {
        isLost = true;
        return LOST;
      }
      return isLost && !outgoing.path.endsWith(knows) ? NOT_FOUND : send(outgoing);
    },
  });
  return ended;
}

test.for([BURN, WITHDRAW, CLEAR, DELETE, CREATE])("%s is unknown if a gateway answers 404 to everything", async (write) =>
  expect(await ends(write, "no path")).toEqual(["unknown"]),
);

test.for([
  [BURN, ["unknown"]],
  [WITHDRAW, ["unknown"]],
  [CLEAR, ["unknown"]],
  [ASK, ["unknown"]],
] as const)("%s is unknown if only /status reaches the service", async ([write, ended]) =>
  expect(await ends(write, "/status")).toEqual(ended),
);
