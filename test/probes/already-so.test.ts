// The write is lost, and its values were already there. The run records the write as unchanged and does not send it again.
import { expect, test } from "vitest";
import type { Target } from "../../src/environment/target.ts";
import type { RunEvent } from "../../src/protocol/record.ts";
import type { Exchanged, Outgoing } from "../../src/transport/exchange.ts";
import { sandboxForTest } from "../sandbox/caller.ts";
import { type Ran, runnerForTest } from "../unit/engine/server.ts";
import { targetOf } from "./sandbox-target.ts";

const LOST: Exchanged = { kind: "no-answer", why: "other side closed" };

const HEAD = `playbook: 1
actors:
  owner: { ledger: "userId:carol" }
  bob: { ledger: "userId:bob" }
defaults: { as: owner }
steps:
`;
const TOKEN = `  - { id: token, uses: ledger.token.create, with: { name: T, description: Same, classification: { type: fungible, unit: whole, valueType: reference }, tokenPermissions: [{ entity: "\${{ actors.owner }}", roles: [minter, burner] }] } }\n`;
const VAULT = `${TOKEN}  - { id: vault, uses: ledger.vault.create, with: { name: V, description: Same } }
  - { id: house, uses: ledger.asset.create, with: { assetType: Property, data: { id: "H\${{ run.key }}", rooms: 3 } } }\n`;
const ADDED = `${VAULT}  - { id: added, uses: ledger.vault.addExistingToken, with: { id: "\${{ steps.vault.id }}", tokenId: ["\${{ steps.token.id }}"] } }\n`;
const IN_VAULT = `assets: [{ assetType: Property, id: "\${{ steps.house.id }}", data: { value: 5 } }]`;
const DEPOSITED = `${VAULT}  - { id: deposit, uses: ledger.vault.deposit, with: { vaultId: "\${{ steps.vault.id }}", ${IN_VAULT} } }\n`;
const HOUSE = `  - { id: house, uses: ledger.asset.create, with: { assetType: Property, data: { id: "H\${{ run.key }}", rooms: 3 } } }\n`;
const ofToken = `id: "\${{ steps.token.id }}"`;

const SETTINGS = [
  ["ledger.erc1155.setApprovalForAll", "", `{ approved: false, operator: "\${{ actors.bob }}" }`],
  ["ledger.token.update", TOKEN, `{ ${ofToken}, description: Same }`],
  [
    "ledger.token.setPermissions",
    TOKEN,
    `{ ${ofToken}, permissions: [{ entity: "\${{ actors.owner }}", roles: [minter, burner] }] }`,
  ],
  ["ledger.token.setOwners", TOKEN, `{ ${ofToken}, owners: ["\${{ actors.owner }}"] }`],
  [
    "ledger.token.setApproval",
    TOKEN,
    `{ tokenIds: ["\${{ steps.token.id }}"], operators: ["\${{ actors.bob }}"], approved: false }`,
  ],
  ["ledger.vault.update", VAULT, `{ id: "\${{ steps.vault.id }}", description: Same }`],
  ["ledger.vault.setCustodians", VAULT, `{ vaultId: "\${{ steps.vault.id }}", custodians: ["\${{ actors.owner }}"] }`],
  ["ledger.vault.addExistingToken", ADDED, `{ id: "\${{ steps.vault.id }}", tokenId: ["\${{ steps.token.id }}"] }`],
  ["ledger.vault.updateAssets", DEPOSITED, `{ vaultId: "\${{ steps.vault.id }}", ${IN_VAULT} }`],
  ["ledger.asset.put", HOUSE, `{ assetType: Property, data: { id: "\${{ steps.house.id }}", rooms: 3 } }`],
  ["ledger.asset.update", HOUSE, `{ assetType: Property, data: { id: "\${{ steps.house.id }}", rooms: 3 } }`],
  ["ledger.asset.setOwners", HOUSE, `{ assetType: Property, id: "\${{ steps.house.id }}", owners: ["\${{ actors.owner }}"] }`],
] as const;

const NARROW = `[{ entity: "\${{ actors.owner }}", roles: [minter] }]`;
const OPEN = TOKEN.replace("description: Same", "properties: { site: a, more: b }").replace(
  /tokenPermissions: .*?\}\]/,
  `tokenPermissions: ${NARROW}`,
);
const ORG = `[{ orgId: "\${{ actors.owner.orgId }}" }]`;
const ROOMS = `  - { id: house, uses: ledger.asset.create, with: { assetType: Property, data: { id: "H\${{ run.key }}", at: { city: Lisbon, zip: "1000" }, rooms: [{ n: kitchen, old: true }] } } }\n`;
const ofHouse = `assetType: Property, data: { id: "\${{ steps.house.id }}"`;

/** The write sends only a part of what is already there, so it would remove the rest. */
const NARROWER = [
  ["ledger.token.update", OPEN, `{ ${ofToken}, properties: { site: a } }`],
  [
    "ledger.token.setPermissions",
    OPEN,
    `{ ${ofToken}, permissions: [{ entity: { orgId: "\${{ actors.owner.orgId }}" }, roles: [minter] }] }`,
  ],
  ["ledger.token.setOwners", TOKEN, `{ ${ofToken}, owners: ${ORG} }`],
  ["ledger.vault.setCustodians", VAULT, `{ vaultId: "\${{ steps.vault.id }}", custodians: ${ORG} }`],
  ["ledger.asset.put", HOUSE, `{ ${ofHouse}, rooms: 3, ledgerMetadata: { owners: ["\${{ actors.bob }}"] } } }`],
  ["ledger.asset.setOwners", HOUSE, `{ assetType: Property, id: "\${{ steps.house.id }}", owners: ${ORG} }`],
  ["ledger.asset.update", ROOMS, `{ ${ofHouse}, at: { city: Lisbon } } }`],
  ["ledger.asset.update", ROOMS, `{ ${ofHouse}, rooms: [{ n: kitchen }] } }`],
] as const;

interface Lost {
  readonly ran: Ran;
  readonly sent: number;
  readonly settled: readonly unknown[];
}

async function lose(steps: string, { arrives, declared = {} }: { arrives: boolean; declared?: Partial<Target> }): Promise<Lost> {
  const { sandbox } = await sandboxForTest({ commitDelayMs: 0 });
  let [isNext, sent] = [false, 0];
  const settled: unknown[] = [];
  const observe = (event: RunEvent): void => {
    if (event.kind === "attempt.settled") settled.push(event.verdict);
    if (event.kind === "attempt.intended" && event.step === "lost") [isNext, sent] = [event.attempt === 0, sent + 1];
  };
  const ran = await runnerForTest()(
    HEAD + steps,
    { ...targetOf(sandbox), readLagMs: 0, ...declared },
    {
      observe,
      exchange: async (outgoing: Outgoing, send) => {
        if (!isNext || !outgoing.fresh) return send(outgoing);
        isNext = false;
        if (arrives) await send(outgoing);
        return LOST;
      },
    },
  );
  return { ran, sent, settled };
}

const outcomeOf = ({ completed }: Ran): unknown => completed.find(({ step }) => step === "lost")?.outcome;

test.for(SETTINGS)(
  "%s of a value that is already set is unchanged, if the request never arrives",
  async ([uses, before, input]) => {
    const lost = `  - { id: lost, uses: ${uses}, with: ${input} }\n  - { id: after, uses: ledger.status, if: steps.lost.outcome == "unchanged" }\n`;
    const { ran, sent, settled } = await lose(before + lost, { arrives: false });
    expect({ outcome: ran.outcome, sent, settled }, JSON.stringify(ran.stopped)).toEqual({
      outcome: "passed",
      sent: 1,
      settled: ["unchanged"],
    });
    expect(outcomeOf(ran)).toBe("unchanged");
    expect(ran.completed.at(-1)).toMatchObject({ step: "after", outcome: "ok" });
  },
);

test.for(SETTINGS)(
  "%s of a value that is already set is not sent again, if the answer is lost",
  async ([uses, before, input]) => {
    const { ran, sent } = await lose(`${before}  - { id: lost, uses: ${uses}, with: ${input} }\n`, { arrives: true });
    expect({ outcome: ran.outcome, sent }, JSON.stringify(ran.stopped)).toEqual({ outcome: "passed", sent: 1 });
    expect(["changed", "unchanged"]).toContain(outcomeOf(ran));
  },
);

test.for(NARROWER)(
  "%s that would remove something is sent again, if the request never arrives",
  async ([uses, before, input]) => {
    const { ran, sent, settled } = await lose(`${before}  - { id: lost, uses: ${uses}, with: ${input} }\n`, { arrives: false });
    expect({ outcome: ran.outcome, sent, settled }, JSON.stringify(ran.stopped)).toEqual({
      outcome: "passed",
      sent: 2,
      settled: ["superseded"],
    });
    expect(outcomeOf(ran)).toBe("changed");
  },
);

const [[, , FOR_ALL]] = SETTINGS;
const REVOKE = `  - { id: lost, uses: ledger.erc1155.setApprovalForAll, with: ${FOR_ALL} }\n`;

test("a value that was already set is sent again if reads may be out of date, which does no harm", async () => {
  const { ran, sent, settled } = await lose(REVOKE, { arrives: false, declared: { readLagMs: undefined } });
  expect({ outcome: ran.outcome, sent, settled }).toEqual({ outcome: "passed", sent: 2, settled: ["superseded"] });
  expect(outcomeOf(ran)).toBe("changed");
});

test("the `readLag` at the time of the probe decides whether a reading before the write counts", async () => {
  const lost = `${TOKEN}  - { id: lost, uses: ledger.token.update, with: { ${ofToken}, description: Same } }\n`;
  for (const [before, after, settled] of [
    [0, 5_000, "superseded"],
    [undefined, 0, "unchanged"],
  ] as const) {
    const { sandbox } = await sandboxForTest({ commitDelayMs: 0 });
    const target = targetOf(sandbox);
    const run = runnerForTest();
    let [isLost, isAway] = [false, false];
    const began = await run(
      HEAD + lost,
      { ...target, readLagMs: before },
      {
        observe: (event) => (isLost = event.kind === "attempt.intended" && event.step === "lost"),
        exchange: async (outgoing, send) => {
          isAway ||= isLost && outgoing.fresh;
          return isAway ? LOST : send(outgoing);
        },
      },
    );
    expect(began.outcome).toBe("unknown");
    const verdicts: unknown[] = [];
    const observe = (event: RunEvent): void => void (event.kind === "attempt.settled" && verdicts.push(event.verdict));
    await run(HEAD + lost, { ...target, readLagMs: after }, { resumes: began.runId, observe });
    expect(verdicts, `${before} → ${after}`).toEqual([settled]);
  }
});

test("a write of a value that was already set is unknown if a later step sets another value", async () => {
  const approve = REVOKE.replace("id: lost", "id: approve").replace("approved: false", "approved: true");
  const { ran, sent } = await lose(REVOKE + approve, { arrives: false });
  expect({ outcome: ran.outcome, sent }).toEqual({ outcome: "unknown", sent: 1 });
  expect(ran.stopped?.problem.why).toContain(
    "what it sets was already set before, and still is; but it may still arrive after a later step",
  );
});

test("the new part of a batch shows that it took effect, even if another part was already set", async () => {
  const items = `{ items: [{ ${ofToken}, description: Same }, { id: "\${{ steps.other.id }}", description: New }] }`;
  const other = TOKEN.replace("id: token", "id: other");
  const { ran, sent, settled } = await lose(`${TOKEN}${other}  - { id: lost, uses: ledger.token.update, with: ${items} }\n`, {
    arrives: true,
  });
  expect({ outcome: ran.outcome, sent, settled }, JSON.stringify(ran.stopped)).toEqual({
    outcome: "passed",
    sent: 1,
    settled: ["applied"],
  });
});
