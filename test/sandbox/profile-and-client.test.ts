// Client and sandbox use the same profile, over TCP. Both must read each setting, unless no client needs it.
import { expect, test } from "vitest";
import { Failure } from "../../src/base/failure.ts";
import { Secret } from "../../src/base/secret.ts";
import { DEFAULT_PROFILE, type Profile } from "../../src/contract/profile.ts";
import type { Target } from "../../src/environment/target.ts";
import { targetAt } from "../engine-parts.ts";
import { type Ran, runnerForTest } from "../unit/engine/server.ts";
import { sandboxForTest } from "./caller.ts";
import { OTHER_PROFILE, otherBut, settingOf, settings } from "./other-profile.ts";

const PLAYBOOK = `playbook: 1
name: All that the description leaves open
actors:
  issuer: { ledger: "userId:alice" }
  board: [{ ledger: "userId:bob" }, { ledger: "userId:dora" }]
  custodian: { ledger: "userId:carol" }
  buyer: { investor: BUYER_KEY }
defaults: { as: issuer }
steps:
  - { id: first, uses: ledger.asset.create, with: { assetType: Bond, data: { KEY: "A\${{ run.key }}" } }, expect: [steps.first.id == "A" + run.key] }
  - { id: second, uses: ledger.asset.create, with: { assetType: Bond, data: { KEY: "B\${{ run.key }}" } } }
  - { id: third, uses: ledger.asset.put, with: { assetType: Bond, data: { KEY: "C\${{ run.key }}" } } }
  - id: bonds
    uses: ledger.asset.list
    with: { assetType: Bond }
    expect: ['response.exists(b, b.id == "A" + run.key)', 'response.exists(b, b.id == "C" + run.key)']
  - { id: sized, uses: ledger.asset.list, with: { assetType: Bond, pageSize: 1 }, pages: 3, expect: [size(response) == 3] }
  - { id: again, uses: ledger.asset.create, with: { assetType: Bond, data: { KEY: "A\${{ run.key }}" } }, fails: { condition: asset already exists } }
  - id: request
    uses: ledger.transfer.request
    with: { assetType: Bond, id: ["\${{ steps.first.id }}"], approvers: "\${{ actors.board }}", numRequired: 2, newOwner: "\${{ actors.custodian }}" }
  - id: waiting
    as: "\${{ actors.board[0] }}"
    uses: ledger.transfer.queue
    with: { pendingOnly: true }
    expect: ["response.exists(r, r.id == steps.request.id)"]
  - id: approvals
    foreach: { member: "\${{ actors.board }}", key: member.userId }
    as: "\${{ member }}"
    uses: ledger.transfer.approve
    with: { id: ["\${{ steps.request.id }}"] }
  - { id: decided, uses: ledger.transfer.get, with: { id: "\${{ steps.request.id }}" }, expect: ['response.status == "APPROVED"'] }
  - { id: late, as: "\${{ actors.board[0] }}", uses: ledger.transfer.approve, with: { id: ["\${{ steps.request.id }}"] }, fails: { condition: request already decided } }
  - id: owned
    uses: ledger.asset.get
    with: { assetType: Bond, id: "\${{ steps.first.id }}" }
    expect: ["response.owners.exists(o, o == actors.custodian)"]
  - { id: vault, uses: ledger.vault.create, with: { name: Bonds, vaultToken: [{ name: Share, symbol: SHR, behaviour: { transferable: true } }] } }
  - { id: share, uses: ledger.token.get, with: { id: "\${{ steps.vault.tokenIds[0] }}" }, expect: [response.behaviour.transferable] }
  - { id: twin, uses: ledger.vault.create, with: { id: "\${{ steps.vault.id }}", name: Twin }, fails: { condition: vault already exists } }
  - { id: named, uses: ledger.vault.update, with: { id: "\${{ steps.vault.id }}", name: Better, description: Held, data: { region: PT } } }
  - id: seen
    uses: ledger.vault.get
    with: { id: "\${{ steps.vault.id }}" }
    expect: [response.name == "Better", response.description == "Held", response.data.region == "PT"]
  - id: deposit
    uses: ledger.vault.deposit
    with:
      vaultId: "\${{ steps.vault.id }}"
      assets: [{ assetType: Bond, id: "B\${{ run.key }}", shares: [{ tokenId: "\${{ steps.vault.tokenIds[0] }}", quantity: 5, receiver: "\${{ actors.issuer }}" }] }]
  - id: valued
    uses: ledger.vault.updateAssets
    with: { vaultId: "\${{ steps.vault.id }}", assets: [{ assetType: Bond, id: "B\${{ run.key }}", data: { value: 9 } }] }
  - { id: held, uses: ledger.vault.assets, with: { id: "\${{ steps.vault.id }}" }, expect: ["response.assets[0].data.value == 9"] }
  - { id: doomed, uses: ledger.asset.delete, with: { assetType: Bond, id: "C\${{ run.key }}" }, fails: { condition: asset not found } }
  - { id: none, as: buyer, uses: investor.sales.get, with: { tokenSaleId: none }, fails: { condition: sale not found } }
  - { id: sales, as: buyer, uses: investor.sales.list, expect: [size(response.sales) == 5] }
  - { id: some, as: buyer, uses: investor.sales.list, pages: 2, with: { limit: 1 }, expect: [size(response.sales) == 2] }
  - id: debt
    as: buyer
    uses: investor.sales.list
    with: { term: solar, investment: 2, status: 1, sort: "price|l-h" }
    expect: ['response.sales.exists(s, s.id == "saleDebt1")', size(response.sales) == 1]
  - id: payouts
    as: buyer
    uses: investor.payouts.tokenSchedule
    with: { storeId: store1, tokenId: tokenSolar, quantity: 2, purchaseDate: "2020-01-01", timezone: Asia/Tokyo }
    expect: [response.totalPrincipal == 200]
  - id: bought
    as: buyer
    uses: investor.sales.buy
    with: { tokenSaleId: saleActive1, userAddress: "0xabc", amount: 1, currencyContract: "0xdef", timezone: UTC }
`;

// The step at which a run ends if its client has the default of one setting, and its service has another value.
const ENDS_AT: Readonly<Record<string, string>> = {
  "ledger.errors": "twin", // no condition is listed for this error; a listed condition would be recognized in any form of error
  "ledger.onBehalfOf.in": "first",
  "ledger.onBehalfOf.name": "waiting",
  "ledger.parameters.pageSize": "bonds",
  "ledger.parameters.bookmark": "bonds",
  "ledger.parameters.pendingOnly": "request",
  "ledger.pageSize": "passed", // a list ends with its last bookmark, even if its pages are short
  "ledger.receipt.committed": "first",
  "ledger.receipt.failed": "again",
  "ledger.receipt.namesTransaction": "first",
  "ledger.newOwner": "owned",
  "ledger.fields.vaultUpdate.id": "named",
  "ledger.fields.vaultUpdate.name": "named",
  "ledger.fields.vaultUpdate.description": "named",
  "ledger.fields.vaultUpdate.data": "named",
  "ledger.fields.vaultAssets.vaultId": "valued",
  "ledger.fields.vaultAssets.assets": "valued",
  "ledger.fields.vaultAssets.assetType": "valued",
  "ledger.fields.vaultAssets.id": "valued",
  "ledger.fields.vaultAssets.data": "valued",
  "ledger.primaryKey": "first",
  "investor.errors": "none",
  "investor.parameters.page": "sales",
  "investor.parameters.limit": "preflight",
  "investor.parameters.term": "debt",
  "investor.parameters.investment": "debt",
  "investor.parameters.status": "debt",
  "investor.parameters.sort": "debt",
  "investor.parameters.quantity": "payouts",
  "investor.parameters.purchaseDate": "payouts",
  "investor.parameters.timezone": "payouts",
  "ledger.lastBookmark": "bonds",
  numbers: "preflight",
  booleans: "share",
  refusals: "twin",
  // No client needs these settings. It relies on some of them only when an answer was lost. The rest are a word for neither success nor
  // failure, words that decide nothing, the size of pages whose list says how many records there are, and the status codes that a
  // sandbox answers with, because a client accepts any code.
  "ledger.receipt.pending": "passed",
  "ledger.requestStatus.pending": "passed",
  "ledger.requestStatus.approved": "passed",
  "ledger.requestStatus.rejected": "passed",
  "ledger.requestStatus.cancelled": "passed",
  "ledger.capabilities.tokenIdUnique": "passed",
  "ledger.capabilities.vaultIdUnique": "passed",
  "ledger.capabilities.sameVaultDepositRefused": "passed",
  "ledger.capabilities.overMintRefused": "passed",
  "ledger.capabilities.batchIsOneTransaction": "passed",
  "investor.pageSize": "passed",
  conditionStatus: "passed",
  successStatus: "passed",
};

interface Pair {
  readonly run: (profile: Profile) => Promise<Ran>;
}

async function pairWith(served: Profile): Promise<Pair> {
  const { sandbox } = await sandboxForTest({
    profile: served,
    commitDelayMs: 0,
    faults: [{ operation: "ledger.asset.delete", fault: { "receipt-failed": "asset not found" } }],
  });
  const { primaryKey, requestStatus } = served.ledger;
  const playbook = PLAYBOOK.replaceAll("KEY:", `${primaryKey["Bond"] ?? "id"}:`).replace(
    '"APPROVED"',
    `"${requestStatus.approved}"`,
  );
  const target = (profile: Profile): Target => ({
    ...targetAt(sandbox.ledgerBaseUrl, profile),
    ledger: {
      baseUrl: sandbox.ledgerBaseUrl,
      settings: { appId: sandbox.appId, orgId: sandbox.orgId },
      apiKey: new Secret("LEDGER_KEY", sandbox.ledgerApiKey),
    },
    investor: {
      baseUrl: sandbox.investorBaseUrl,
      credentials: new Map(Object.entries(sandbox.credentials).map(([name, key]) => [name, new Secret(name, key)])),
    },
  });
  // Each run has its own journal, because a write that one run left unknown would keep the next run from starting.
  return { run: (profile) => runnerForTest()(playbook, target(profile)) };
}

test("the other profile differs from the default in every setting", () => {
  for (const path of settings())
    expect(settingOf(OTHER_PROFILE, path), path.join(".")).not.toEqual(settingOf(DEFAULT_PROFILE, path));
  expect(settings().length).toBeGreaterThan(30);
});

test.for([
  ["the default", DEFAULT_PROFILE],
  ["another", OTHER_PROFILE],
] as const)("client and sandbox work together with %s profile", async ([, profile]) => {
  const { run } = await pairWith(profile);
  const { outcome, stopped } = await run(profile);
  expect(outcome, JSON.stringify(stopped)).toBe("passed");
});

// Returns the step at which a run stopped, or `preflight` if the check of the interfaces before the first step failed.
async function cameTo(run: Pair["run"], profile: Profile): Promise<string> {
  try {
    const { outcome, stopped } = await run(profile);
    return outcome === "passed" ? "passed" : (stopped?.step ?? outcome);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return "preflight";
  }
}

test("a client with one wrong setting fails, unless no client needs the setting", async () => {
  const { run } = await pairWith(OTHER_PROFILE);
  const ends: Record<string, string> = {};
  for (const path of settings()) ends[path.join(".")] = await cameTo(run, otherBut(path));
  expect(ends).toEqual(ENDS_AT);
});
