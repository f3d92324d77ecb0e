// Batches with several items of one token, whose answer is lost. The run settles a batch as a whole, or not at all.
import { expect, test } from "vitest";
import type { RunEvent } from "../../src/protocol/record.ts";
import type { Exchanged, Outgoing } from "../../src/transport/exchange.ts";
import { sandboxForTest } from "../sandbox/caller.ts";
import { type Ran, runnerForTest } from "../unit/engine/server.ts";
import { targetOf } from "./sandbox-target.ts";

const LOST: Exchanged = { kind: "no-answer", why: "other side closed" };

const HEAD = `playbook: 1
actors:
  issuer: { ledger: "userId:alice" }
  bob: { ledger: "userId:bob" }
  carol: { ledger: "userId:carol" }
defaults: { as: issuer }
steps:
  - { id: gold, uses: ledger.token.create, with: { name: Gold, classification: { type: fungible, unit: whole }, behaviour: { decimal: 0, transferable: true, burnable: true } } }
  - { id: tin, uses: ledger.token.create, with: { name: Tin, classification: { type: fungible, unit: whole }, behaviour: { decimal: 0, transferable: true, burnable: true } } }
`;
const STOCK = `  - { id: stock, uses: ledger.token.mint, with: { id: "\${{ steps.gold.id }}", to: "\${{ actors.issuer }}", value: 100 } }
  - { id: other, uses: ledger.token.mint, with: { id: "\${{ steps.tin.id }}", to: "\${{ actors.issuer }}", value: 100 } }
`;

const item = (token: string, who: "to" | "from", actor: string, value: number): string =>
  `{ id: "\${{ steps.${token}.id }}", ${who}: "\${{ actors.${actor} }}", value: ${value} }`;

const BATCHES = [
  [
    "a mint of two items",
    `uses: ledger.token.mint, with: { items: [${item("gold", "to", "bob", 3)}, ${item("gold", "to", "carol", 4)}] }`,
  ],
  [
    "a mint of two items that look the same",
    `uses: ledger.token.mint, with: { items: [${item("gold", "to", "bob", 5)}, ${item("gold", "to", "bob", 5)}] }`,
  ],
  [
    "a mint of two tokens, one of them twice",
    `uses: ledger.token.mint, with: { items: [${item("gold", "to", "bob", 3)}, ${item("tin", "to", "bob", 3)}, ${item("gold", "to", "carol", 3)}] }`,
  ],
  [
    "a burn of two items",
    `uses: ledger.token.burn, with: { items: [${item("gold", "from", "issuer", 3)}, ${item("gold", "from", "issuer", 4)}] }`,
  ],
  [
    "a transfer of one token twice",
    `uses: ledger.erc1155.safeBatchTransferFrom, with: { from: "\${{ actors.issuer }}", to: "\${{ actors.bob }}", ids: ["\${{ steps.gold.id }}", "\${{ steps.gold.id }}"], values: [3, 4] }`,
  ],
] as const;

interface Lost {
  readonly ran: Ran;
  readonly sent: number;
  readonly settled: Extract<RunEvent, { kind: "attempt.settled" }> | undefined;
}

async function lose(call: string, arrives: boolean): Promise<Lost> {
  const { sandbox } = await sandboxForTest({ commitDelayMs: 0 });
  let [isNext, sent, settled]: [boolean, number, Lost["settled"]] = [false, 0, undefined];
  const ran = await runnerForTest()(`${HEAD}${STOCK}  - { id: lost, ${call} }\n`, targetOf(sandbox), {
    observe: (event) => {
      if (event.kind === "attempt.settled") settled = event;
      if (event.kind === "attempt.intended" && event.step === "lost") [isNext, sent] = [event.attempt === 0, sent + 1];
    },
    exchange: async (outgoing: Outgoing, send) => {
      if (!isNext || !outgoing.fresh) return send(outgoing);
      isNext = false;
      if (arrives) await send(outgoing);
      return LOST;
    },
  });
  return { ran, sent, settled };
}

test.for(BATCHES)("%s whose answer is lost is settled as a whole, by its one transaction", async ([, call]) => {
  const { ran, sent, settled } = await lose(call, true);
  expect({ outcome: ran.outcome, sent }, JSON.stringify(ran.stopped)).toEqual({ outcome: "passed", sent: 1 });
  expect(settled).toMatchObject({ verdict: "applied", spends: expect.stringMatching(/^[0-9a-f]{64}$/) });
});

test.for(BATCHES)("%s that never arrives is not sent again", async ([, call]) => {
  const { ran, sent } = await lose(call, false);
  expect({ outcome: ran.outcome, sent }, JSON.stringify(ran.stopped)).toEqual({ outcome: "unknown", sent: 1 });
  expect(ran.stopped?.problem.why).toContain("no trace of it is visible");
});
