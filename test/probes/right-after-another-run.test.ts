// A run that begins in the second in which another one ended, or beside another one: what the other one leaves is as new as what the run
// itself would leave.
import { expect, test } from "vitest";
import type { Exchanged } from "../../src/transport/exchange.ts";
import { sandboxForTest } from "../sandbox/caller.ts";
import { runnerForTest } from "../unit/engine/server.ts";
import { targetOf } from "./sandbox-target.ts";

const LOST: Exchanged = { kind: "no-answer", why: "other side closed" };
const MINT = `playbook: 1
actors: { issuer: { ledger: "userId:alice" } }
steps:
  - { id: mint, as: issuer, uses: ledger.token.mint, with: { id: Gold, to: "\${{ actors.issuer }}", value: 5 } }
`;

// All that the service says happened in one second, and the transactions of tokens have ids of their own.
function inOneSecond(answer: Exchanged): Exchanged {
  if (answer.kind !== "answered") return answer;
  const text = answer.text
    .replaceAll(/"(createdAt|updatedAt)":"[^"]*"/g, '"$1":"2026-11-26T12:00:00.500Z"')
    .replaceAll(/"timestampUnix":\d+/g, '"timestampUnix":1795694400')
    .replaceAll(/"docType":"tkntx","id":"/g, '"docType":"tkntx","id":"tkntx-');
  return { ...answer, text, headers: { ...answer.headers, date: "Thu, 26 Nov 2026 12:00:00 GMT" } };
}

test("the same mint twice, and the second one never arrives: the record of the first one does not prove it", async () => {
  const { sandbox, ledger } = await sandboxForTest({ commitDelayMs: 0 });
  const behaviour = { decimal: 0, transferable: true, burnable: true };
  await ledger("POST /token", { as: "userId:alice", body: [{ id: "Gold", name: "Gold", behaviour }] });
  const run = runnerForTest();
  const settled: string[] = [];
  const ran = async (isLost: boolean): Promise<string> => {
    const { outcome } = await run(MINT, targetOf(sandbox), {
      observe: (event) => {
        if (event.kind === "attempt.settled") settled.push(event.verdict);
      },
      exchange: async (outgoing, send) => (outgoing.fresh && isLost ? LOST : inOneSecond(await send(outgoing))),
    });
    return outcome;
  };
  expect(await ran(false)).toBe("passed");
  expect(await ran(true)).toBe("unknown");
  expect(settled).toEqual([]);
});

test("a run that mints while another one looks for its lost update stamps the token, and does not prove the update", async () => {
  const { sandbox, ledger } = await sandboxForTest({ commitDelayMs: 0 });
  const behaviour = { decimal: 0, transferable: true, burnable: true };
  await ledger("POST /token", { as: "userId:alice", body: [{ id: "Gold", name: "Gold", description: "Old", behaviour }] });
  const run = runnerForTest();
  const settled: string[] = [];
  const rename = MINT.replace(
    /- \{ id: mint.*/,
    "- { id: rename, as: issuer, uses: ledger.token.update, with: { id: Gold, description: Old } }",
  );
  const { outcome } = await run(rename, targetOf(sandbox), {
    observe: (event) => {
      if (event.kind === "attempt.settled") settled.push(event.verdict);
    },
    exchange: async (outgoing, send) => {
      if (!outgoing.fresh) return send(outgoing);
      // It stamps the token after the readings before the update, and before the look.
      expect((await run(MINT, targetOf(sandbox))).outcome).toBe("passed");
      return LOST;
    },
  });
  expect(outcome).not.toBe("passed");
  expect(settled).not.toContain("applied");
});
