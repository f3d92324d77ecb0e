// The service refuses a request with several items. Unless a batch is one transaction, it may still have done some of the items.
import { expect, test } from "vitest";
import { profileWith } from "../../src/contract/profile.ts";
import type { Target } from "../../src/environment/target.ts";
import type { RunEvent } from "../../src/protocol/record.ts";
import type { Sandbox } from "../../src/sandbox/sandbox.ts";
import { sandboxForTest } from "../sandbox/caller.ts";
import { type Otherwise, type Ran, runnerForTest } from "../unit/engine/server.ts";
import { targetOf } from "./sandbox-target.ts";

const HEAD = `playbook: 1
actors: { issuer: { ledger: "userId:alice" }, bob: { ledger: "userId:bob" } }
defaults: { as: issuer }
steps:
  - { id: gold, uses: ledger.token.create, with: { name: Gold, behaviour: { decimal: 0, transferable: true, burnable: true } } }
  - { id: tin, uses: ledger.token.create, with: { name: Tin, behaviour: { decimal: 0, maxMintQuantity: 5, transferable: true, burnable: true } } }
  - { id: stock, uses: ledger.token.mint, with: { id: "\${{ steps.tin.id }}", to: "\${{ actors.issuer }}", value: 3 } }
  - { id: bond, uses: ledger.asset.create, with: { assetType: Bond, data: { id: "A\${{ run.key }}" } } }
`;
const item = (token: string, value: number): string =>
  `{ id: "\${{ steps.${token}.id }}", to: "\${{ actors.bob }}", value: ${value} }`;
const CALLS = {
  mint: `uses: ledger.token.mint, with: { items: [${item("gold", 3)}, ${item("tin", 4)}] }`,
  one: `uses: ledger.token.mint, with: { items: [${item("tin", 4)}] }`,
  // The service answers this call at once, so that only the receipt reports the failure.
  create: `uses: ledger.asset.create, with: { assetType: Bond, data: [{ id: "B\${{ run.key }}" }, { id: "A\${{ run.key }}" }] }`,
  nowhere: `uses: ledger.token.mint, with: { items: [${item("gold", 3)}, { id: Nowhere, to: "\${{ actors.bob }}", value: 1 }] }`,
  burn: `uses: ledger.token.burn, with: { items: [{ id: "\${{ steps.tin.id }}", from: "\${{ actors.issuer }}", value: 1 }, { id: Nowhere, from: "\${{ actors.issuer }}", value: 1 }] }`,
  units: `uses: ledger.token.burn, with: { items: [{ id: Nowhere, from: "\${{ actors.issuer }}", assetId: U1 }, { id: Nowhere, from: "\${{ actors.issuer }}", assetId: U2 }] }`,
  vote: `uses: ledger.approval.accept, with: { approvalType: invoice, items: [{ id: "1" }, { id: "2" }] }`,
  withdraw: `uses: ledger.vault.withdraw, with: { vaultId: Nowhere, assets: [{ assetType: Bond, id: "A1", shares: [] }, { assetType: Bond, id: "A2", shares: [] }] }`,
} as const;
type CallName = keyof typeof CALLS;

const WHOLE = profileWith({ ledger: { capabilities: { batchIsOneTransaction: true } } });

interface Refused {
  /** Whether the service carries out the request as a whole, or each item by itself. */
  readonly pieces?: "the whole" | "each item";
  readonly says?: Partial<Target>;
  readonly fails?: string;
}

interface RefusedRun {
  readonly ended: readonly [string, string | undefined];
  readonly why: string;
  readonly settled: readonly string[];
}

async function serviceThatRefuses(): Promise<(name: CallName, how: Refused) => Promise<RefusedRun>> {
  const { sandbox } = await sandboxForTest({ commitDelayMs: 0 });
  return (name, how) => refusedBy(sandbox, name, how);
}

async function refusedBy(
  sandbox: Sandbox,
  name: CallName,
  { pieces = "the whole", says = {}, fails }: Refused,
): Promise<RefusedRun> {
  let isNext = false;
  const settled: string[] = [];
  const step = `  - { id: refused, ${CALLS[name]}${fails === undefined ? "" : `, fails: { condition: ${fails} }`} }\n`;
  const observe = (event: RunEvent): void => {
    if (event.kind === "attempt.intended") isNext = event.step === "refused";
    if (event.kind === "attempt.settled") settled.push(event.verdict);
  };
  const exchange: Otherwise["exchange"] = async (outgoing, send) => {
    if (!isNext || !outgoing.fresh || pieces === "the whole") return send(outgoing);
    const [first, ...more] = JSON.parse(outgoing.body ?? "[]") as readonly unknown[];
    await send({ ...outgoing, body: JSON.stringify([first]) });
    return send({ ...outgoing, body: JSON.stringify(more) });
  };
  const target = { ...targetOf(sandbox), ...says };
  const ran: Ran = await runnerForTest()(HEAD + step, target, { exchange, observe });
  const { problem } = ran.stopped ?? {};
  return { ended: [ran.outcome, problem?.code], why: problem?.why ?? "", settled };
}

test("a refusal of one item is final, and so is a refusal of several items if a batch is one transaction", async () => {
  const refused = await serviceThatRefuses();
  expect((await refused("one", {})).ended).toEqual(["failed", "service.refused"]);
  expect(await refused("mint", { says: { profile: WHOLE } })).toMatchObject({
    ended: ["failed", "service.refused"],
    settled: [],
  });
  expect(await refused("create", { says: { profile: WHOLE } })).toMatchObject({
    ended: ["failed", "receipt.failed"],
    settled: [],
  });
});

test.for<readonly [CallName, string]>([
  ["mint", "mint quantity exceeded"],
  ["create", "asset already exists"],
  ["nowhere", "invalid token id"],
  ["burn", "invalid token id"],
  ["units", "invalid token id"],
  ["vote", "asset not found"],
  ["withdraw", "vault not found"],
])("a refused batch (%s) counts as refused only if recent readings show nothing of it", async ([name, condition]) => {
  const refused = await serviceThatRefuses();
  const recent = { readLagMs: 0 };
  const old = await refused(name, {});
  expect(old.ended).toEqual(["unknown", "write.undecided"]);
  expect(old.why).toContain("it has several items, and the service may have carried out some of them");
  expect(old.why).toContain("no trace of it is visible, but the readings may be out of date");
  const code = name === "create" || name === "vote" ? "receipt.failed" : "service.refused";
  expect(await refused(name, { says: recent })).toMatchObject({ ended: ["failed", code], settled: ["absent"] });
  expect(await refused(name, { says: recent, fails: condition })).toMatchObject({ ended: ["passed", undefined] });
  expect((await refused(name, { fails: condition })).ended).toEqual(["unknown", "write.undecided"]);
});

test("a batch is a conflict if the service did one item and refused the other", async () => {
  const refused = await serviceThatRefuses();
  for (const fails of [undefined, "mint quantity exceeded"]) {
    const apart = { pieces: "each item", ...(fails === undefined ? {} : { fails }) } as const;
    const { ended, why } = await refused("mint", { ...apart, says: { readLagMs: 0 } });
    expect(ended).toEqual(["conflict", "write.conflict"]);
    expect(why).toContain("only 1 of its 2 parts can be seen");
    expect((await refused("mint", apart)).ended).toEqual(["unknown", "write.undecided"]);
  }
});
