// While a write is lost, somebody else does something that looks like the write, or hides it. That is no evidence for the write.
import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Exchanged, Outgoing } from "../../src/transport/exchange.ts";
import { type Caller, sandboxForTest, user } from "../sandbox/caller.ts";
import { runnerForTest } from "../unit/engine/server.ts";
import { targetOf } from "./sandbox-target.ts";

const LOST: Exchanged = { kind: "no-answer", why: "other side closed" };
const REFUSED: Exchanged = {
  kind: "answered",
  status: 403,
  headers: { "content-type": "application/json" },
  text: '{"status":"Error","message":"no"}',
};
const [ALICE, BOB] = [user("alice"), user("bob")];
const HEAD = `playbook: 1
actors: { alice: { ledger: "userId:alice" }, bob: { ledger: "userId:bob" } }
defaults: { as: alice }
steps:
`;
const GRANT = `  - { id: lost, uses: ledger.token.setPermissions, with: { id: T1, permissions: [{ entity: "\${{ actors.bob }}", roles: [minter] }] } }\n`;
const REVOKE = `  - { id: revoke, uses: ledger.token.setPermissions, with: { id: T1, permissions: [] } }\n`;
const AT = `assetType: Property, id: A1`;

async function token({ ledger }: Caller): Promise<void> {
  await ledger("POST /token", { as: "userId:alice", body: [{ id: "T1", name: "T", symbol: "T" }] });
  await ledger("PATCH /token/owners", { as: "userId:alice", body: [{ id: "T1", owners: [ALICE, BOB] }] });
}

async function flats({ ledger }: Caller): Promise<void> {
  const [classification, roles] = [{ type: "nonfungible" }, ["minter", "burner"]];
  const tokenPermissions = [ALICE, BOB].map((entity) => ({ entity, roles }));
  const deeds = { id: "F1", name: "F", symbol: "F", classification, behaviour: { burnable: true }, tokenPermissions };
  await ledger("POST /token", { as: "userId:alice", body: [deeds] });
  await ledger("POST /token/mint", { as: "userId:alice", body: [{ id: "F1", to: BOB, nftData: { id: "U1" } }] });
}

async function vault({ ledger }: Caller): Promise<void> {
  const data = [{ id: "A1", ledgerMetadata: { owners: [ALICE, BOB] } }];
  const share = { id: "S1", name: "S", symbol: "S", classification: { unit: "fractional", supply: "capped-variable" } };
  const vaultToken = [{ ...share, behaviour: { decimal: 2, transferable: true, burnable: true } }];
  await ledger("POST /asset", { as: "userId:alice", body: { assetType: "Property", data } });
  await ledger("POST /token/vault", {
    as: "userId:alice",
    body: [{ id: "V1", name: "V", custodians: [ALICE, BOB], vaultToken }],
  });
}

const permit = ({ ledger }: Caller, permissions: readonly object[]): Promise<unknown> =>
  ledger("PATCH /token/permissions", { as: "userId:bob", body: [{ id: "T1", permissions }] });
const deposit = ({ ledger }: Caller): Promise<unknown> => {
  const shares = [{ tokenId: "S1", quantity: 50, receiver: BOB }];
  const assets = [{ assetType: "Property", id: "A1", data: {}, shares }];
  return ledger("POST /token/vault/deposit", { as: "userId:bob", body: [{ vaultId: "V1", assets }] });
};

const withdraw = ({ ledger }: Caller): Promise<unknown> => {
  const assets = [{ assetType: "Property", id: "A1", shares: [{ tokenId: "S1", payer: BOB }] }];
  return ledger("POST /token/vault/withdraw", { as: "userId:bob", body: [{ vaultId: "V1", assets }] });
};
const DEPOSIT = (receiver: string): string =>
  `  - { id: lost, uses: ledger.vault.deposit, with: { vaultId: V1, assets: [{ ${AT}, data: {}, shares: [{ tokenId: S1, quantity: 50, receiver: "\${{ actors.${receiver} }}" }] }] } }\n`;

const STORIES = [
  {
    what: "a grant that was done and is revoked",
    before: token,
    arrives: true,
    other: (by: Caller) => permit(by, []),
    steps: GRANT,
  },
  {
    what: "a grant before a later step revokes it",
    before: token,
    other: (by: Caller) => permit(by, [{ entity: BOB, roles: ["minter"] }]),
    steps: GRANT + REVOKE,
  },
  {
    what: "a deposit",
    before: vault,
    other: deposit,
    steps: DEPOSIT("alice"),
  },
  {
    what: "a withdrawal",
    before: async (by: Caller) => {
      await vault(by);
      await deposit(by);
    },
    other: withdraw,
    steps: `  - { id: lost, uses: ledger.vault.withdraw, with: { vaultId: V1, assets: [{ ${AT}, shares: [{ tokenId: S1, payer: "\${{ actors.alice }}" }] }] } }\n`,
  },
  {
    what: "a mint of a unit",
    before: flats,
    other: ({ ledger }: Caller) =>
      ledger("POST /token/mint", { as: "userId:bob", body: [{ id: "F1", to: BOB, nftData: { id: "U2" } }] }),
    steps: `  - { id: lost, uses: ledger.token.mint, with: { id: F1, to: "\${{ actors.bob }}", nftData: { id: U2 } } }\n`,
  },
  {
    what: "a burn of a unit",
    before: flats,
    other: ({ ledger }: Caller) =>
      ledger("POST /token/burn", { as: "userId:bob", body: [{ id: "F1", from: BOB, assetId: "U1" }] }),
    steps: `  - { id: lost, uses: ledger.token.burn, with: { id: F1, from: "\${{ actors.bob }}", assetId: U1 } }\n`,
  },
  {
    what: "a new token of that id",
    before: () => Promise.resolve(),
    other: ({ ledger }: Caller) => ledger("POST /token", { as: "userId:bob", body: [{ id: "T1", name: "T", symbol: "T" }] }),
    steps: `  - { id: lost, uses: ledger.token.create, with: { id: T1, name: T, symbol: T } }\n`,
    ends: "conflict",
  },
] as const;

test.for(STORIES)("$what by somebody else does not prove the lost write, which is not sent again", async (story) => {
  const { before, other, steps, arrives = false, ends = "unknown" } = { arrives: undefined, ends: undefined, ...story };
  const caller = await sandboxForTest({ commitDelayMs: 0 });
  await before(caller);
  // The run compares times in whole seconds, so the earlier changes must not fall into the second in which it begins.
  await setTimeout(1_100);
  let [isNext, sent] = [false, 0];
  let others: unknown;
  const ran = await runnerForTest()(
    HEAD + steps,
    { ...targetOf(caller.sandbox), readLagMs: 0 },
    {
      observe: (event) => {
        if (event.kind === "attempt.intended" && event.step === "lost") [isNext, sent] = [event.attempt === 0, sent + 1];
      },
      exchange: async (outgoing: Outgoing, send) => {
        if (!isNext || !outgoing.fresh) return send(outgoing);
        isNext = false;
        if (arrives) await send(outgoing);
        others = await other(caller);
        return LOST;
      },
    },
  );
  expect({ outcome: ran.outcome, step: ran.stopped?.step, sent }, JSON.stringify([ran.stopped, others])).toEqual({
    outcome: ends,
    step: "lost",
    sent: 1,
  });
});

test("a deposit does not count as absent if the service refuses to show its records", async () => {
  const caller = await sandboxForTest({ commitDelayMs: 0 });
  await vault(caller);
  let [isNext, sent, isRefused] = [false, 0, false];
  const declared = { readLagMs: 0, settleWithinMs: 1_000 };
  const ran = await runnerForTest()(
    HEAD + DEPOSIT("bob"),
    { ...targetOf(caller.sandbox), ...declared },
    {
      observe: (event) => {
        if (event.kind === "attempt.intended") [isNext, sent] = [event.attempt === 0, sent + 1];
      },
      exchange: async (outgoing: Outgoing, send) => {
        if (isRefused && /history|transaction/.test(outgoing.path)) return REFUSED;
        if (!isNext || !outgoing.fresh) return send(outgoing);
        [isNext, isRefused] = [false, true];
        await send(outgoing);
        await withdraw(caller);
        return LOST;
      },
    },
  );
  expect({ outcome: ran.outcome, sent }, JSON.stringify(ran.stopped)).toEqual({ outcome: "unknown", sent: 1 });
  expect(ran.stopped?.problem.why).toContain("the service refused a part of what would show one");
});
