import { expect, test } from "vitest";
import { reconcile } from "./comparison.ts";
import { KEYS, newProject, type Project, servedSandbox, type Service, tokenWith } from "./world.ts";

// Runs each bundled playbook on a ledger without errors, and on a ledger with an error.

const HOLDER = { orgId: "org1", userId: "buyer" };
const SECOND = { orgId: "org1", userId: "secondBuyer" };
const ALICE = "userId:alice";

const LEDGER = `playbook: 1
name: A ledger
actors: { issuer: { ledger: "${ALICE}" }, board: [{ ledger: "userId:bob" }] }
defaults: { as: issuer }
steps:
  - { id: token, uses: ledger.token.create, with: ${tokenWith("Harbour", 0)} }
  - { id: first, uses: ledger.token.mint, with: { id: Harbour, to: { orgId: org1, userId: buyer }, value: 30 } }
  - { id: second, uses: ledger.token.mint, with: { id: Harbour, to: { orgId: org1, userId: secondBuyer }, value: 20 } }
  - { id: house, uses: ledger.asset.create, with: { assetType: Property, data: { id: House1 } } }
  - id: request
    uses: ledger.transfer.request
    with: { assetType: Property, id: [House1], approvers: "\${{ actors.board }}", numRequired: 1, newOwner: { orgId: org1, userId: carol } }
`;

async function business(): Promise<{ project: Project; world: Service }> {
  const world = await servedSandbox();
  const project = newProject({ ...KEYS, REVOKED_KEY: "sandbox-revoked-key" });
  project.serviceAt(world.url);
  project.write(
    "tokenbook.yaml",
    project.read("tokenbook.yaml").replace("        BUYER_KEY:", "        REVOKED_KEY: env:REVOKED_KEY\n        BUYER_KEY:"),
  );
  project.write("ledger.yaml", LEDGER);
  const laid = await project.run("run", "ledger.yaml");
  expect(laid.code, laid.transcript).toBe(0);
  return { project, world };
}

const reader = { orgId: "org1", userId: "auditor" };
const tokens = [{ ledger: "Harbour", investor: "tokenHarbour" }];
const holders = [
  { holder: "buyer", credential: "BUYER_KEY" },
  { holder: "secondBuyer", credential: "SECOND_BUYER_KEY" },
];

test("reconcile-holdings compares each investor's portfolio with the ledger", async () => {
  const { project, world } = await business();
  await buy(project, "BUYER_KEY", 30);
  await buy(project, "SECOND_BUYER_KEY", 20);
  const well = await reconcile(project, "reconcile-holdings", "holdings", { tokens, holders, reader });
  expect(well.drifts, well.transcript).toEqual([]);
  expect(well.code, well.transcript).toBe(0);
  expect(well.found.left).toMatchObject({ name: "portfolios", rows: 2, sum: "50", requests: 2 });
  await world.call("POST /token/mint", ALICE, [{ id: "Harbour", to: SECOND, value: 1 }]);
  const ill = await reconcile(project, "reconcile-holdings", "holdings", { tokens, holders, reader });
  expect(ill.code, ill.transcript).toBe(3);
  expect(ill.drifts).toEqual(["differs secondBuyer Harbour 20 | 21"]);
  // The refusal of one credential is reported, and does not hide the holdings of the other.
  const refused = holders.map((holder) => (holder.holder === "buyer" ? { ...holder, credential: "REVOKED_KEY" } : holder));
  const partly = await reconcile(project, "reconcile-holdings", "holdings", { tokens, holders: refused, reader });
  expect(partly.code, partly.transcript).toBe(3);
  expect(partly.drifts).toEqual(["differs secondBuyer Harbour 20 | 21"]);
  expect(partly.found.gaps).toMatchObject([
    { of: "investor.portfolio.tokens of buyer", message: expect.stringContaining("401") },
  ]);
  expect(partly.found.counts.notCompared).toBe(1);
  const unknown = await reconcile(project, "reconcile-holdings", "holdings", {
    tokens,
    holders: [{ holder: "buyer", credential: "BUYER_KYE" }, ...holders.slice(1)],
    reader,
  });
  expect(unknown.found.gaps).toMatchObject([{ message: expect.stringContaining('did you mean "BUYER_KEY"?') }]);
});

async function buy(project: Project, credential: string, amount: number): Promise<void> {
  project.write(
    "buy.yaml",
    `playbook: 1
steps:
  - uses: investor.sales.buy
    as: { investor: ${credential} }
    with: { tokenSaleId: saleActive1, userAddress: "0x3000000000000000000000000000000000000001", amount: ${amount}, currencyContract: "0x4000000000000000000000000000000000000001", timezone: Europe/Lisbon }
`,
  );
  const bought = await project.run("run", "buy.yaml");
  expect(bought.code, bought.transcript).toBe(0);
}

test("reconcile-sales compares what was sold with the purchases of all investors", async () => {
  const { project } = await business();
  await buy(project, "BUYER_KEY", 3);
  await buy(project, "SECOND_BUYER_KEY", 4);
  const soldOtherwise = Object.entries({
    saleActive1: 12_500,
    saleDebt1: 2_500,
    saleEnded1: 10_000,
    saleNearlySoldOut1: 995,
  }).map(([sale, sold]) => ({ sale, sold }));
  const everybody = { credentials: ["BUYER_KEY", "SECOND_BUYER_KEY"], soldOtherwise };
  const before = await reconcile(project, "reconcile-sales", "sales", everybody);
  expect(before.drifts, before.transcript).toEqual([]);
  const without = await reconcile(project, "reconcile-sales", "sales", { ...everybody, credentials: ["BUYER_KEY"] });
  expect(without.code, without.transcript).toBe(3);
  expect(without.drifts).toEqual(["differs saleActive1 7 | 3"]);
});

test("reconcile-supply compares the supply of each token with its accounts, mints and burns", async () => {
  const { project, world } = await business();
  const well = await reconcile(project, "reconcile-supply", "supply", { tokens: ["Harbour"], reader });
  expect(well.code, well.transcript).toBe(0);
  expect(well.found.counts).toMatchObject({ compared: 3, new: 0 });
  await world.call("POST /token/burn", ALICE, [{ id: "Harbour", from: HOLDER, value: 5 }]);
  const burnt = await reconcile(project, "reconcile-supply", "supply", { tokens: ["Harbour"], reader });
  expect(burnt.code, burnt.transcript).toBe(0);
  // Accounts and transactions are two keys, so their sum would be twice the supply.
  expect(burnt.found.totals).toEqual([]);
  await world.call("POST /token", ALICE, [{ id: "Second", name: "Second", symbol: "SND" }]);
  const tooFew = await reconcile(project, "reconcile-supply", "tokens", { tokens: ["Harbour"], reader });
  expect(tooFew.code, tooFew.transcript).toBe(3);
  expect(tooFew.drifts).toEqual(["differs number of tokens 1 | 2"]);
  const some = { tokens: ["Harbour"], complete: false, reader };
  expect((await reconcile(project, "reconcile-supply", "tokens", some)).code).toBe(0);
});

test("reconcile-expected compares the ledger with a file", async () => {
  const { project } = await business();
  project.write("expected.csv", "holder,token,balance\nbuyer,Harbour,30.00\nsecondBuyer,Harbour,20\n");
  const given = { expected: "expected.csv", tokens: ["Harbour"], reader };
  expect((await reconcile(project, "reconcile-expected", "accounts", given)).code).toBe(0);
  project.write("expected.csv", "holder,token,balance\nbuyer,Harbour,30.01\n");
  expect((await reconcile(project, "reconcile-expected", "accounts", given)).drifts).toEqual([
    "differs buyer Harbour 30.01 | 30",
    "missing-left secondBuyer Harbour - | 20",
  ]);
});

test("reconcile-stale reports requests that wait too long, except the known ones", async () => {
  const { project, world } = await business();
  const bob = { orgId: "org1", userId: "bob" };
  const waiting = { approvers: [bob], olderThan: "0h" };
  const young = await reconcile(project, "reconcile-stale", "transfers", { approvers: [bob] });
  expect(young.code, young.transcript).toBe(0);
  const stale = await reconcile(project, "reconcile-stale", "transfers", waiting);
  expect(stale.code, stale.transcript).toBe(3);
  const id = stale.found.drifts[0]?.key["request"];
  expect(stale.found.drifts).toMatchObject([{ kind: "missing-right", left: null, right: null }]);
  const known = await reconcile(project, "reconcile-stale", "transfers", { ...waiting, knownTransfers: [id] });
  expect(known.code, known.transcript).toBe(0);
  await world.call("POST /asset/ownershipTransfer/approve", "userId:bob", { id: [id] });
  const over = await reconcile(project, "reconcile-stale", "transfers", { ...waiting, knownTransfers: [id] });
  expect(over.found.drifts, over.transcript).toMatchObject([{ kind: "missing-left" }]);
});

test("reconcile-vaults compares the supply of share tokens with what was issued for the assets", async () => {
  const world = await servedSandbox();
  const project = newProject();
  project.serviceAt(world.url);
  project.write(
    "vault.yaml",
    `playbook: 1
actors: { custodian: { ledger: "${ALICE}" } }
defaults: { as: custodian }
steps:
  - { id: house, uses: ledger.asset.create, with: { assetType: Property, data: { id: House1 } } }
  - id: vault
    uses: ledger.vault.create
    with:
      id: Vault1
      name: Vault
      custodians: ["\${{ actors.custodian }}"]
      vaultToken:
        - { id: Share1, name: Shares, symbol: SHR, classification: { unit: fractional, supply: infinite }, behaviour: { decimal: 2, maxMintQuantity: 0, transferable: true, burnable: true }, tokenPermissions: [{ entity: "\${{ actors.custodian }}", roles: [minter, burner] }] }
  - id: deposit
    uses: ledger.vault.deposit
    with: { vaultId: Vault1, assets: [{ assetType: Property, id: House1, shares: [{ tokenId: Share1, quantity: 100, receiver: "\${{ actors.custodian }}" }] }] }
`,
  );
  const laid = await project.run("run", "vault.yaml");
  expect(laid.code, laid.transcript).toBe(0);
  const vaults = { vaults: ["Vault1"], reader: { orgId: "org1", userId: "alice" } };
  const well = await reconcile(project, "reconcile-vaults", "vaults", vaults);
  expect(well.code, well.transcript).toBe(0);
  expect(well.found.counts.compared).toBe(1);
  await world.call("POST /token/mint", ALICE, [{ id: "Share1", to: { orgId: "org1", userId: "alice" }, value: 1 }]);
  const ill = await reconcile(project, "reconcile-vaults", "vaults", vaults);
  expect(ill.code, ill.transcript).toBe(3);
  expect(ill.drifts).toEqual(["differs Vault1 Share1 101 | 100"]);
});

test("a reconciliation with nothing to compare does not pass", async () => {
  const { project } = await business();
  const run = async (name: string, inputs: Readonly<Record<string, unknown>>): Promise<readonly [number | null, string]> => {
    project.write("inputs.json", JSON.stringify(inputs));
    const { code, transcript } = await project.run("run", `tokenbook/${name}.yaml`, "--inputs", "inputs.json");
    return [code, transcript];
  };
  expect(await run("reconcile-holdings", { tokens: [], holders: [], reader })).toEqual([2, expect.stringContaining("tokens")]);
  const none = { tokens: [], complete: false, reader };
  expect(await run("reconcile-supply", none)).toEqual([2, expect.stringContaining("tokens")]);
  expect(await run("reconcile-stale", {})).toEqual([1, expect.stringContaining("some queue is checked")]);
  expect(await run("reconcile-vaults", { vaults: [], reader })).toEqual([2, expect.stringContaining("vaults")]);
  expect(await run("reconcile-vaults", { vaults: ["Vault1"], reader })).toEqual([3, expect.stringContaining("Vault1")]);
});
