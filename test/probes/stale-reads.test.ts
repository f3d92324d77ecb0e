// A replica that lags behind answers a read. An effect that it does not show, or does not show yet, may still exist.
import { expect, test } from "vitest";
import type { RunEvent } from "../../src/protocol/record.ts";
import type { Exchanged } from "../../src/transport/exchange.ts";
import { sandboxForTest } from "../sandbox/caller.ts";
import { runnerForTest } from "../unit/engine/server.ts";
import { targetOf } from "./sandbox-target.ts";

const LOST: Exchanged = { kind: "no-answer", why: "other side closed" };
const KEEP_THE_PAST = [{ operation: "ledger.status", nth: 1_000, fault: { stale: "1s" } }];

test("a stale reading from before a deposit does not prove a lost withdrawal", async () => {
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

// Another program mints an amount, and then the run loses a mint of the same amount by the same entity. A cache has kept the reading before the
// run's mint since before the other program's mint. `cache` says whether the cache answers with it, or asks the service.
async function lostBehind(cache: "answers" | "asks the service", arrives: boolean): Promise<readonly string[]> {
  const { sandbox, ledger, control } = await sandboxForTest({ commitDelayMs: 0 });
  const alice = { orgId: sandbox.orgId, userId: "alice" };
  const behaviour = { decimal: 0, transferable: true, burnable: true };
  await ledger("POST /token", { as: "userId:alice", body: [{ id: "Gold", name: "Gold", behaviour }] });
  await ledger("POST /token/mint", { as: "userId:alice", body: [{ id: "Gold", to: alice, value: 5 }] });
  await control("POST /clock", { advance: "10s" });
  const playbook = `playbook: 1
actors: { issuer: { ledger: "userId:alice" } }
steps:
  - { id: mint, as: issuer, uses: ledger.token.mint, with: { id: Gold, to: "\${{ actors.issuer }}", value: 5 } }
`;
  const ended: string[] = [];
  let isSent = false;
  const { outcome } = await runnerForTest()(playbook, targetOf(sandbox), {
    observe: (event) => {
      if (event.kind === "attempt.settled") ended.push(event.verdict);
    },
    exchange: async (outgoing, send) => {
      if (outgoing.fresh) {
        isSent = true;
        if (arrives) await send(outgoing);
        return LOST;
      }
      const answer = await send(outgoing);
      const isKept = cache === "answers" || outgoing.headers["cache-control"] !== "no-cache";
      if (isSent || !isKept || outgoing.path.endsWith("/status") || answer.kind !== "answered") return answer;
      const date = new Date(Date.parse(answer.headers["date"] ?? "") - 60_000).toUTCString();
      return { ...answer, headers: { ...answer.headers, date, age: "60" } };
    },
  });
  return [...ended, outcome];
}

test("a cached reading from before a lost mint does not make an earlier mint its proof", async () => {
  expect(await lostBehind("answers", false)).toEqual(["unknown"]);
  expect(await lostBehind("answers", true)).toEqual(["unknown"]);
  expect(await lostBehind("asks the service", true)).toEqual(["applied", "passed"]);
});

test.for([
  ["is not there", "A2"],
  ["is there", "A1"],
])("a step fails and sends nothing if the effect of its `ensure` %s in an answer from a cache", async ([, id]) => {
  const { sandbox, ledger } = await sandboxForTest({ commitDelayMs: 0 });
  await ledger("POST /asset", { as: "userId:alice", body: { assetType: "Property", data: { id: "A1" } } });
  const playbook = `playbook: 1
actors: { owner: { ledger: "userId:alice" } }
steps:
  - id: made
    as: owner
    uses: ledger.asset.create
    with: { assetType: Property, data: { id: ${id} } }
    ensure: { read: ledger.asset.get, with: { assetType: Property, id: ${id} }, that: response.id == "${id}" }
`;
  let writes = 0;
  const { outcome, stopped } = await runnerForTest()(playbook, targetOf(sandbox), {
    exchange: async (outgoing, send) => {
      if (outgoing.fresh) writes += 1;
      const answer = await send(outgoing);
      const isKept = answer.kind === "answered" && !outgoing.path.includes("/status");
      return isKept ? { ...answer, headers: { ...answer.headers, age: "60" } } : answer;
    },
  });
  expect({ outcome, code: stopped?.problem.code, writes }).toEqual({
    outcome: "failed",
    code: "service.cached",
    writes: 0,
  });
});
