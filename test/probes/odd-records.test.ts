// A service whose records of token transactions say less than the sandbox's, or use other words. If a record may belong to a write whose
// answer was lost, the run must not conclude that the write had no effect, however long ago it was sent.
import { expect, test } from "vitest";
import type { Exchanged, Outgoing } from "../../src/transport/exchange.ts";
import { sandboxForTest } from "../sandbox/caller.ts";
import { runnerForTest } from "../unit/engine/server.ts";
import { targetOf } from "./sandbox-target.ts";

const LOST: Exchanged = { kind: "no-answer", why: "other side closed" };

const HEAD = `playbook: 1
actors: { op: { ledger: "userId:alice" }, bob: { ledger: "userId:bob" } }
defaults: { as: op }
steps:
`;
const FUNDS = `  - { id: token, uses: ledger.token.create, with: { name: Open, behaviour: { decimal: 0, transferable: true, burnable: true } } }
  - { id: stock, uses: ledger.token.mint, with: { id: "\${{ steps.token.id }}", to: "\${{ actors.op }}", value: 100 } }
`;
const UNIT = `  - { id: token, uses: ledger.token.create, with: { name: Flats, classification: { type: nonfungible }, behaviour: { transferable: true, burnable: true } } }
  - { id: stock, uses: ledger.token.mint, with: { id: "\${{ steps.token.id }}", to: "\${{ actors.op }}", nftData: { id: U1 } } }
`;
const TOKEN = `id: "\${{ steps.token.id }}"`;
const MINT = `${FUNDS}  - { id: lost, uses: ledger.token.mint, with: { ${TOKEN}, to: "\${{ actors.op }}", value: 10 } }\n`;
const BURN = `${FUNDS}  - { id: lost, uses: ledger.token.burn, with: { ${TOKEN}, from: "\${{ actors.op }}", value: 10 } }\n`;
const MOVE = `from: "\${{ actors.op }}", to: "\${{ actors.bob }}"`;
const TRANSFER = `${FUNDS}  - { id: lost, uses: ledger.erc1155.safeTransferFrom, with: { ${TOKEN}, ${MOVE}, value: 10 } }\n`;
const UNIT_MOVED = `${UNIT}  - { id: lost, uses: ledger.erc1155.safeTransferFrom, with: { ${TOKEN}, ${MOVE}, value: 1, data: { assetId: U1 } } }\n`;

const NO_AUTHOR = (text: string): string => text.replaceAll(/"createdBy":\{[^}]*\},?/g, "");
const ONLY_ORGANIZATION = (text: string): string => text.replaceAll(/("createdBy":\{"orgId":"\w+")[^}]*/g, "$1");
const OTHER_WORD = (text: string): string => text.replaceAll(/"type":"(\w+)"/g, '"type":"$1_SINGLE"');
const NO_DETAILS = (text: string): string => text.replaceAll('"transactionDetails"', '"details"');
const AMOUNT_AS_TEXT = (text: string): string => text.replaceAll(/"amount":(\d+)/g, '"amount":"$1"');

test.for([
  ["a mint without an author", MINT, NO_AUTHOR],
  ["a mint by an organization", MINT, ONLY_ORGANIZATION],
  ["a mint that says nothing of what it moved", MINT, NO_DETAILS],
  ["a mint whose amount is a text", MINT, AMOUNT_AS_TEXT],
  ["a burn by another word", BURN, OTHER_WORD],
  ["a transfer by another word", TRANSFER, OTHER_WORD],
  ["a transfer without an author", TRANSFER, NO_AUTHOR],
  ["a unit that went by another word, and came back", UNIT_MOVED, OTHER_WORD],
] as const)("%s is not sent again", async ([, steps, change]) => {
  const { sandbox, ledger } = await sandboxForTest({ commitDelayMs: 0 });
  let [isNext, sent] = [false, 0];
  const ran = await runnerForTest()(
    `${HEAD}${steps}`,
    { ...targetOf(sandbox), settleWithinMs: 1_000, readLagMs: 0 },
    {
      observe: (event) => {
        if (event.kind === "attempt.intended" && event.step === "lost") [isNext, sent] = [event.attempt === 0, sent + 1];
      },
      // Without the sieve, the text of the answer is the whole list, so that the test can change it.
      exchange: async (asked: Outgoing, send) => {
        const { sieve: _sieve, ...outgoing } = asked;
        const answer = await send(outgoing);
        if (!outgoing.fresh || !isNext) {
          const isList = answer.kind === "answered" && outgoing.path.includes("/token/transaction/all");
          return isList ? { ...answer, text: change(answer.text) } : answer;
        }
        isNext = false;
        if (steps === UNIT_MOVED) await comeBack(JSON.parse(String(outgoing.body)) as Record<string, unknown>, ledger);
        return LOST;
      },
    },
  );
  expect({ outcome: ran.outcome, sent }, JSON.stringify(ran.stopped)).toEqual({ outcome: "unknown", sent: 1 });
});

type Ledger = Awaited<ReturnType<typeof sandboxForTest>>["ledger"];

async function comeBack({ from, to, ...moved }: Record<string, unknown>, ledger: Ledger): Promise<void> {
  const { status, text } = await ledger("POST /token/erc1155/safeTransferFrom", {
    as: "userId:bob",
    body: { ...moved, from: to, to: from },
  });
  expect(status, text).toBe(200);
}

const REQUESTED = {
  approval: 'uses: ledger.approval.create, with: { approvalType: pay, approvers: ["${{ actors.bob }}"], numRequired: 1 }',
  transfer:
    'uses: ledger.transfer.request, with: { assetType: Bond, id: [B1], approvers: ["${{ actors.bob }}"], numRequired: 1 }',
} as const;

test.for(["approval", "transfer"] as const)(
  "a request (%s) is not sent again if the service does not keep our mark and adds an approver",
  async (what) => {
    const bond = "  - { uses: ledger.asset.create, with: { assetType: Bond, data: { id: B1 } } }\n";
    for (const isKept of [true, false]) {
      const { sandbox } = await sandboxForTest({ commitDelayMs: 0 });
      let [isNext, sent] = [false, 0];
      const { outcome } = await runnerForTest()(
        `${HEAD}${bond}  - { id: lost, ${REQUESTED[what]} }\n`,
        { ...targetOf(sandbox), settleWithinMs: 1_000, readLagMs: 0 },
        {
          observe: (event) => {
            if (event.kind === "attempt.intended") [isNext, sent] = [event.step === "lost", sent + 1];
          },
          exchange: async (outgoing, send) => {
            const answer = await send(outgoing);
            if (isNext && outgoing.fresh) return LOST;
            if (isKept || answer.kind !== "answered") return answer;
            const unmarked = answer.text.replaceAll(/"tokenbook":"[^"]*"/g, '"note":"none"');
            return { ...answer, text: unmarked.replaceAll('"approvers":[', `"approvers":[{"orgId":"more","status":"PENDING"},`) };
          },
        },
      );
      expect({ isKept, outcome, sent }).toEqual({ isKept, outcome: isKept ? "passed" : "unknown", sent: 2 });
    }
  },
);

test("a payout of the same sale does not prove a purchase", async () => {
  const { sandbox } = await sandboxForTest({ commitDelayMs: 0 });
  const payout = { id: "pay1", type: "PAYOUT", tokenSaleId: "saleDebt1", payoutId: "p1", amount: 10, tokenCount: 0 };
  let isSent = false;
  const { stopped } = await runnerForTest()(
    `playbook: 1
actors: { buyer: { investor: BUYER_KEY } }
defaults: { as: buyer }
steps:
  - { id: buy, uses: investor.sales.buy, with: { tokenSaleId: saleDebt1, userAddress: "0x00000000000000000000000000000000000000aa", amount: 10, currencyContract: "0xc", timezone: Europe/Lisbon } }
`,
    targetOf(sandbox),
    {
      exchange: async (asked: Outgoing, send) => {
        const { sieve: _sieve, ...outgoing } = asked;
        if (outgoing.fresh) isSent = true;
        if (outgoing.fresh) return LOST;
        const answer = await send(outgoing);
        const isList = answer.kind === "answered" && isSent && outgoing.path.includes("/user/transactions");
        return isList ? { ...answer, text: withPayout(answer.text, payout) } : answer;
      },
    },
  );
  expect(stopped).toMatchObject({ outcome: "unknown" });
});

function withPayout(text: string, payout: object): string {
  const answer = JSON.parse(text) as { response: { transactions: unknown[] }; pagination: { totalItems: number } };
  answer.response.transactions.unshift({ ...payout, txnDate: "2100-01-01T00:00:00.000Z" });
  answer.pagination.totalItems++;
  return JSON.stringify(answer);
}
