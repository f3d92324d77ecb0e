import { expect, test } from "vitest";
import type { Outgoing } from "../../src/transport/exchange.ts";
import { sandboxForTest } from "../sandbox/caller.ts";
import { folderForTest, runnerForTest } from "../unit/engine/server.ts";
import { targetOf } from "./sandbox-target.ts";

const PLAYBOOK = `playbook: 1
actors: { issuer: { ledger: "userId:alice" } }
defaults: { as: issuer }
steps:
  - { id: token, uses: ledger.token.create, with: { name: Token, behaviour: { decimal: 0 } } }
  - { id: mint, uses: ledger.token.mint, with: { id: "\${{ steps.token.id }}", to: "\${{ actors.issuer }}", value: 10 } }
  - { id: after, uses: ledger.token.get, with: { id: "\${{ steps.token.id }}" }, expect: [response.totalSupply == 10] }
`;

test("a mint that arrives during the last look does not count as absent", async () => {
  const { sandbox } = await sandboxForTest({ commitDelayMs: 0 });
  let at = 0;
  const clock = {
    now: () => 1_780_000_000_000 + at,
    elapsed: () => at,
    uptime: () => undefined,
    sleep: async (ms: number) => void (at += Math.ceil(ms)),
  };
  const target = { ...targetOf(sandbox), settleWithinMs: 1_000, readLagMs: 0 };
  let [sentAt, underway, requests]: [number, Outgoing | undefined, number] = [0, undefined, 0];
  const run = runnerForTest(folderForTest(), clock);
  const ran = await run(PLAYBOOK, target, {
    exchange: async (outgoing, send) => {
      if (outgoing.path.includes("/token/mint") && requests++ === 0) {
        [sentAt, underway] = [at, outgoing];
        return { kind: "no-answer", why: "other side closed" };
      }
      const answer = await send(outgoing);
      if (underway === undefined || at - sentAt < 500) return answer;
      // The run has read the total. The mint arrives before the run reads the transactions, and meanwhile the time runs out.
      const late = underway;
      underway = undefined;
      await send(late);
      at += 600;
      return answer;
    },
  });
  expect(ran.outcome, JSON.stringify(ran.stopped)).toBe("passed");
  expect(requests).toBe(1);
});
