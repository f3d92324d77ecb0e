// A step is complete, but its write may still take effect. The run must not mistake that write for the next step's write.
import { expect, test } from "vitest";
import type { Exchanged, Outgoing } from "../../src/transport/exchange.ts";
import { sandboxForTest } from "../sandbox/caller.ts";
import { runnerForTest } from "../unit/engine/server.ts";
import { targetOf } from "./sandbox-target.ts";

const LOST: Exchanged = { kind: "no-answer", why: "other side closed" };
const HEAD = `playbook: 1
actors: { op: { ledger: "userId:alice" } }
defaults: { as: op }
steps:
`;

test("a late mint of an earlier step does not prove the same mint of a later step", async () => {
  const { sandbox, control } = await sandboxForTest({ commitDelayMs: 0 });
  let [late, requests]: [Outgoing | undefined, number] = [undefined, 0];
  const { completed, stopped } = await runnerForTest()(
    `${HEAD}  - { id: token, uses: ledger.token.create, with: { name: Open, behaviour: { decimal: 0 } } }
  - { id: first, uses: ledger.token.mint, with: { id: "\${{ steps.token.id }}", to: "\${{ actors.op }}", value: 10 }, wait: none }
  - { id: second, uses: ledger.token.mint, with: { id: "\${{ steps.token.id }}", to: "\${{ actors.op }}", value: 10 } }
`,
    targetOf(sandbox),
    {
      exchange: async (outgoing, send) => {
        if (!outgoing.path.includes("/token/mint")) return send(outgoing);
        if (requests++ === 0) {
          late = outgoing;
          const text = '{"receiptId":"r1"}';
          return { kind: "answered", status: 200, headers: { "content-type": "application/json" }, text };
        }
        if (late === undefined) return LOST;
        await control("POST /clock", { advance: "10s" });
        await send(late);
        return LOST;
      },
    },
  );
  expect(completed.map(({ step }) => step)).toEqual(["token", "first"]);
  expect(stopped).toMatchObject({ step: "second", outcome: "unknown" });
});

test("a late attempt of an earlier step, which stamps a token, does not prove an update of that token", async () => {
  const { sandbox, ledger, control } = await sandboxForTest({ commitDelayMs: 0 });
  await ledger("POST /token", { as: "userId:alice", body: [{ id: "TOK1", name: "T", symbol: "T", description: "X" }] });
  await control("POST /clock", { advance: "10s" });
  let late: Outgoing | undefined;
  const requests = new Map<string, number>();
  const { stopped } = await runnerForTest()(
    `${HEAD}  - { id: rights, uses: ledger.token.setPermissions, with: { id: TOK1, permissions: [] } }
  - { id: describe, uses: ledger.token.update, with: { id: TOK1, description: X } }
  - { id: describe2, uses: ledger.token.update, with: { id: TOK1, description: Y } }
`,
    targetOf(sandbox),
    {
      exchange: async (outgoing, send) => {
        const nth = requests.get(outgoing.path) ?? 0;
        if (outgoing.fresh) requests.set(outgoing.path, nth + 1);
        if (!outgoing.fresh || nth > 0) return send(outgoing);
        if (outgoing.path.includes("/token/permissions")) late = outgoing;
        else if (late !== undefined) {
          await control("POST /clock", { advance: "10s" });
          await send(late);
        }
        return LOST;
      },
    },
  );
  expect(stopped).toMatchObject({ step: "describe", outcome: "unknown" });
});
