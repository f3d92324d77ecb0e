import { expect, test } from "vitest";
import { sandboxForTest, user } from "../sandbox/caller.ts";
import { runnerForTest } from "../unit/engine/server.ts";
import { targetOf } from "./sandbox-target.ts";

const PLAYBOOK = `playbook: 1
actors: { owner: { ledger: "userId:alice" } }
defaults: { as: owner }
steps: [{ id: delete, uses: ledger.asset.delete, with: { assetType: Property, id: P1 } }]
`;
const lost = { kind: "no-answer", why: "other side closed" } as const;
const bob = "userId:bob";
const delay = { commitDelayMs: 0 };

test.for([
  ["applied", { method: "PATCH", body: { assetType: "Property", data: { id: "P1", price: 5 } } }, "changed"],
  ["of unknown origin", { method: "DELETE", body: { assetType: "Property", id: "P1" } }, "unknown"],
] as const)("a deletion whose answer is lost, after another owner's change: %s", async ([, others, ended]) => {
  const { sandbox, ledger, control } = await sandboxForTest(delay);
  const data = { id: "P1", ledgerMetadata: { owners: [user("alice"), user("bob")] } };
  await ledger("POST /asset", { body: { assetType: "Property", data } });
  const { outcome, completed, stopped } = await runnerForTest()(PLAYBOOK, targetOf(sandbox), {
    exchange: async (outgoing, send) => {
      if (!outgoing.fresh) return send(outgoing);
      await ledger(`${others.method} /asset`, { as: bob, body: others.body });
      await send(outgoing);
      return lost;
    },
  });
  expect(stopped?.outcome ?? completed[0]?.outcome, `${outcome} ${JSON.stringify(stopped)}`).toBe(ended);
  const { commits } = (await control("GET /commits")).body;
  if (ended === "changed") expect(completed[0]?.value).toMatchObject({ transactionId: commits.at(-1).transactionId });
});
