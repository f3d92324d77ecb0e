// A run makes two writes at the same time. The answer of the first is lost, and then the second undoes the effect of the first. The run must
// not conclude from the missing effect that the first write never happened, and send it again.
import { expect, test } from "vitest";
import type { Exchanged, Outgoing } from "../../src/transport/exchange.ts";
import type { Json } from "../../src/base/json/json.ts";
import { DEFAULT_PROFILE } from "../../src/contract/profile.ts";
import { approvalVoted } from "../../src/services/ledger/probes/requests.ts";
import { sandboxForTest, user } from "../sandbox/caller.ts";
import { runnerForTest } from "../unit/engine/server.ts";
import { targetOf } from "./sandbox-target.ts";

const HEAD = `playbook: 1
actors: { op: { ledger: "userId:alice" }, bob: { ledger: "userId:bob" } }
defaults: { as: op }
steps:
`;
const COUPLE = "{ round: [lost, later], key: round, parallel: 2 }";
const either = (lost: string, later: string): string =>
  `  - id: both
    foreach: ${COUPLE}
    block:
      - { id: lost, if: round == 'lost', ${lost} }
      - { id: later, if: round == 'later', ${later} }
`;
const HOUSE = `  - { id: house, uses: ledger.asset.create, with: { assetType: Property, data: { id: H1 } } }
`;
const VAULT = `${HOUSE}  - { id: vault, uses: ledger.vault.create, with: { name: V, vaultToken: [{ id: SH1, name: S, classification: { unit: whole, supply: capped-variable }, behaviour: { decimal: 0, transferable: true, burnable: true } }] } }
`;
const PUT = `uses: ledger.vault.deposit, with: { vaultId: "\${{ steps.vault.id }}", assets: [{ assetType: Property, id: H1, shares: [{ tokenId: SH1, quantity: 50, receiver: "\${{ actors.op }}" }] }] }`;
const TAKE = `uses: ledger.vault.withdraw, with: { vaultId: "\${{ steps.vault.id }}", assets: [{ assetType: Property, id: H1, shares: [{ tokenId: SH1, payer: "\${{ actors.op }}" }] }] }`;

test.for([
  [
    "a value, which the second one replaces",
    `  - { id: token, uses: ledger.token.create, with: { name: Open, behaviour: { decimal: 0 } } }
  - id: both
    foreach: ${COUPLE}
    uses: ledger.token.setPermissions
    with: { id: "\${{ steps.token.id }}", permissions: [{ entity: { userId: "\${{ round }}" }, roles: [minter] }] }
`,
  ],
  [
    "a deletion, whose asset the second one makes again",
    `${HOUSE}${either(
      "uses: ledger.asset.delete, with: { assetType: Property, id: H1 }",
      "uses: ledger.asset.create, with: { assetType: Property, data: { id: H1 } }",
    )}`,
  ],
  ["a deposit, which the second one takes out", `${VAULT}${either(PUT, TAKE)}`],
  ["a withdrawal, which the second one puts in", `${VAULT}  - { id: put, ${PUT} }\n${either(TAKE, PUT)}`],
] as const)("a lost write that a parallel write undoes is unknown, and not sent again: %s", async ([, steps]) => {
  const { sandbox } = await sandboxForTest({ commitDelayMs: 0 });
  const intended: string[] = [];
  const [areIntended, isDone, isUndone] = [
    Promise.withResolvers<void>(),
    Promise.withResolvers<void>(),
    Promise.withResolvers<void>(),
  ];
  let sent = 0;
  const exchange = async (outgoing: Outgoing, send: (outgoing: Outgoing) => Promise<Exchanged>): Promise<Exchanged> => {
    if (!outgoing.fresh || intended.length === 0) return send(outgoing);
    const isLater = intended[sent++]?.includes("[later]") === true;
    await areIntended.promise;
    if (isLater) await isDone.promise;
    const answer = await send(outgoing);
    (isLater ? isUndone : isDone).resolve();
    await isUndone.promise;
    return isLater ? answer : { kind: "no-answer", why: "other side closed" };
  };
  const { completed, stopped } = await runnerForTest()(
    `${HEAD}${steps}`,
    { ...targetOf(sandbox), settleWithinMs: 1_000, readLagMs: 0 },
    {
      exchange,
      observe: (event) => {
        if (event.kind === "attempt.intended" && event.step.includes("[")) intended.push(event.step);
        if (intended.length === 2) areIntended.resolve();
      },
    },
  );
  expect(
    completed.filter(({ step }) => step.includes("[later]")).map(({ outcome }) => outcome),
    JSON.stringify(stopped),
  ).toContain("changed");
  expect(stopped, JSON.stringify(intended)).toMatchObject({ outcome: "unknown" });
  expect(sent, JSON.stringify(intended)).toBe(2);
});

// The sandbox accepts one vote from each approver. The description does not say whether a service accepts a second vote.
test.for([
  ["of the same approver", user("bob"), "unclear"],
  ["of another approver", user("alice"), "nothing"],
] as const)("a missing vote beside a vote %s is %s", ([, other, seen]) => {
  const entries = (status: string): Json => [
    { ...user("bob"), status },
    { ...user("alice"), status: "PENDING" },
  ];
  const { judge } = approvalVoted("approved");
  const sight = judge({
    input: { approvalType: "invoice", id: "A1" },
    actor: user("bob"),
    names: { id: () => "", mark: "" },
    profile: DEFAULT_PROFILE,
    before: { "request.0": { words: ["PENDING"], shared: [] } },
    since: 0,
    now: { "request.0": { approvers: entries("REJECTED") }, "history.0": null },
    rivals: [],
    bystanders: [{ operation: "ledger.approval.reject", input: { id: "A1" }, actor: other, transactions: [] }],
    earlier: [],
    isSpent: () => false,
  });
  expect(sight.seen).toBe(seen);
});
