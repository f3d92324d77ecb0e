import { expect, test } from "vitest";
import type { Target } from "../../src/environment/target.ts";
import type { Sandbox } from "../../src/sandbox/sandbox.ts";
import { sandboxForTest } from "../sandbox/caller.ts";
import { runnerForTest } from "../unit/engine/server.ts";
import { targetOf } from "./sandbox-target.ts";

const PLAYBOOK = (approver: string, as: string) => `playbook: 1
actors: { asker: { ledger: "userId:alice" }, voter: { ledger: "userId:bob" } }
steps:
  - id: ask
    as: asker
    uses: ledger.approval.create
    with: { approvalType: invoice, approvers: [${approver}], numRequired: 1 }
  - { id: vote, ${as}uses: ledger.approval.accept, with: { approvalType: invoice, id: "\${{ steps.ask.id }}" } }
`;
function knowingTheKey(sandbox: Sandbox): Pick<Target, "ledger"> {
  const { ledger } = targetOf(sandbox);
  return { ledger: ledger && { ...ledger, keyEntity: sandbox.keyEntity ?? undefined } };
}

const BOB = "{ orgId: org1, userId: bob }";
const ANYBODY = "{ orgId: org1 }";
const KEY_OWNER = "{ orgId: org1, userId: admin }";

test.for([
  ["by its voter", BOB, "as: voter, ", "changed"],
  ["by anybody of the organization", ANYBODY, "as: voter, ", "unknown"],
  ["by whoever the key acts for", KEY_OWNER, "as: { ledger: key }, ", "unknown"],
  ["by the key, whose entity the environment names", KEY_OWNER, "as: { ledger: key }, ", "changed"],
] as const)("a lost vote that is given %s does not count as absent", async ([by, approver, as, ended]) => {
  const { sandbox } = await sandboxForTest({ commitDelayMs: 0 });
  let isNext = false;
  const { completed, stopped } = await runnerForTest()(
    PLAYBOOK(approver, as),
    { ...targetOf(sandbox), ...(by.startsWith("by the key") ? knowingTheKey(sandbox) : {}), settleWithinMs: 1_000, readLagMs: 0 },
    {
      observe: (event) => {
        if (event.kind === "attempt.intended") isNext = event.step === "vote";
      },
      exchange: async (outgoing, send) => {
        const answer = await send(outgoing);
        return isNext && outgoing.fresh ? { kind: "no-answer", why: "other side closed" } : answer;
      },
    },
  );
  expect(stopped?.outcome ?? completed.at(-1)?.outcome, JSON.stringify(stopped)).toBe(ended);
});

test.for([
  ["in a word that the profile does not know", (text: string) => text.replaceAll('"status":"APPROVED"', '"status":"Accepted"')],
  ["without the entries of the approvers", (text: string) => text.replaceAll('"approvers"', '"voters"')],
] as const)("a vote that the service shows %s does not count as absent, and is not sent again", async ([, change]) => {
  const { sandbox } = await sandboxForTest({ commitDelayMs: 0 });
  let [isNext, sent] = [false, 0];
  const { stopped } = await runnerForTest()(
    PLAYBOOK(BOB, "as: voter, "),
    { ...targetOf(sandbox), settleWithinMs: 1_000, readLagMs: 0 },
    {
      observe: (event) => {
        if (event.kind === "attempt.intended") [isNext, sent] = [event.step === "vote", sent + 1];
      },
      exchange: async (outgoing, send) => {
        const answer = await send(outgoing);
        if (isNext && outgoing.fresh) return { kind: "no-answer", why: "other side closed" };
        return answer.kind === "answered" ? { ...answer, text: change(answer.text) } : answer;
      },
    },
  );
  expect({ outcome: stopped?.outcome, sent }, JSON.stringify(stopped)).toEqual({ outcome: "unknown", sent: 2 });
});
