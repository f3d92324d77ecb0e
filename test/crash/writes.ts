// One playbook for every write operation, and the sandbox that has everything they need.
import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { invariant } from "../../src/base/failure.ts";
import { begin, fillOrigin, type SandboxTemplate, openIsland } from "../../src/cli/crash/island.ts";
import type { Shell } from "../../src/cli/shell.ts";
import { DEFAULT_PROFILE } from "../../src/contract/profile.ts";
import { NO_SECRETS } from "../../src/playbook/settings/open-secrets.ts";
import { Database } from "../../src/sqlite/database.ts";
import { SANDBOX } from "../../src/sandbox/store/tables.ts";
import { subjectOf } from "./ground.ts";

const PREPARED = fileURLToPath(new URL("prepared.yaml", import.meta.url));

/** A write during which the run is killed. */
export interface Write {
  /** The operation, and what is special about this use. */
  readonly name: string;
  readonly uses: string;
  readonly as: "alice" | "bob" | "carol" | "buyer";
  readonly with: object;
}

/** The outputs of `prepared.yaml`: ids that the service made. */
export type Prepared = Readonly<Record<"sold" | "kept" | "roof" | "pool" | "party" | "share", string>>;

const [ALICE, BOB, CAROL] = ["alice", "bob", "carol"].map((userId) => ({ orgId: "org1", userId }));
const PURCHASE = {
  tokenSaleId: "saleDebt1",
  userAddress: "0x00000000000000000000000000000000000000b1",
  amount: "0.25",
  currencyContract: "0x00000000000000000000000000000000000000c1",
  timezone: "Europe/Lisbon",
};
const SHARES = {
  classification: { unit: "whole", supply: "capped-variable" },
  behaviour: { decimal: 0, transferable: true, burnable: true },
};

/** Returns one write of each kind. The amounts are those of an earlier write in `prepared.yaml`. */
export function writesOn({ sold, kept, roof, pool, party, share }: Prepared): readonly Write[] {
  const asset = { assetType: "Document", id: "Deed" };
  const houses = (id: string, shares: object): object => ({
    vaultId: "VAULT",
    assets: [{ assetType: "Property", id, ...shares }],
  });
  const sends = { from: ALICE, to: BOB };
  const rows: readonly (readonly [name: string, as: Write["as"], input: object])[] = [
    ["ledger.asset.create", "alice", { assetType: "Document", data: { id: "Annex", pages: 1 } }],
    ["ledger.asset.put", "alice", { assetType: "Document", data: { id: "Deed", title: "Deed of gift" } }],
    ["ledger.asset.update", "alice", { assetType: "Document", data: { id: "Deed", pages: 13 } }],
    ["ledger.asset.delete", "alice", asset],
    ["ledger.asset.setOwners", "alice", { ...asset, owners: [ALICE, BOB] }],
    [
      "ledger.transfer.request",
      "alice",
      { assetType: "Property", id: ["HouseAsked"], approvers: [BOB], numRequired: 1, newOwner: CAROL },
    ],
    ["ledger.transfer.approve", "bob", { id: [sold] }],
    ["ledger.transfer.reject", "bob", { id: [kept] }],
    ["ledger.approval.create", "alice", { approvalType: "budget", approvers: [BOB], numRequired: 1, data: { purpose: "roof" } }],
    ["ledger.approval.accept", "bob", { approvalType: "budget", id: roof, comment: "A roof is a roof." }],
    ["ledger.approval.reject", "bob", { approvalType: "budget", id: pool }],
    ["ledger.approval.cancel", "alice", { approvalType: "budget", id: party }],
    [
      "ledger.token.create",
      "alice",
      { name: "Note", symbol: "NOT", classification: { type: "fungible" }, behaviour: { decimal: 2 } },
    ],
    ["ledger.token.update", "alice", { id: "COIN", description: "Withdrawn" }],
    ["ledger.token.setPermissions", "alice", { id: "COIN", permissions: [{ entity: BOB, roles: ["burner"] }] }],
    ["ledger.token.setApproval", "alice", { tokenIds: ["COIN"], operators: [CAROL], approved: true }],
    ["ledger.token.setOwners", "alice", { id: "COIN", owners: [CAROL] }],
    ["ledger.token.mint", "alice", { id: "COIN", to: ALICE, value: "10.00" }],
    ["ledger.token.mint (a unit)", "alice", { id: "ART", to: BOB, nftData: { title: "Dusk" } }],
    ["ledger.token.burn", "alice", { id: "COIN", from: ALICE, value: "1.25" }],
    ["ledger.token.burn (a unit)", "alice", { id: "ART", from: ALICE, assetId: "Harbour" }],
    ["ledger.erc1155.setApprovalForAll", "alice", { approved: true, operator: CAROL }],
    ["ledger.erc1155.safeTransferFrom", "alice", { ...sends, id: "COIN", value: "0.50" }],
    ["ledger.erc1155.safeTransferFrom (a unit)", "alice", { ...sends, id: "ART", value: 1, data: { assetId: "Harbour" } }],
    [
      "ledger.erc1155.safeBatchTransferFrom",
      "alice",
      { ...sends, ids: ["COIN", "ART"], values: ["0.50", 1], data: { assetIds: ["Harbour"] } },
    ],
    ["ledger.vault.create", "carol", { name: "Second vault" }],
    ["ledger.vault.update", "carol", { id: "VAULT", description: "Houses of the river bank" }],
    ["ledger.vault.addToken", "carol", { id: "VAULT", vaultToken: [{ name: "Preferred", symbol: "PRF", ...SHARES }] }],
    ["ledger.vault.addExistingToken", "carol", { id: "VAULT", tokenId: ["FOUNDERS"] }],
    ["ledger.vault.setCustodians", "carol", { vaultId: "VAULT", custodians: [BOB] }],
    ["ledger.vault.deposit", "carol", houses("HouseIn", { shares: [{ tokenId: share, quantity: "10.00", receiver: ALICE }] })],
    ["ledger.vault.withdraw", "carol", houses("HouseOut", { shares: [{ tokenId: share, payer: ALICE }] })],
    ["ledger.vault.updateAssets", "carol", houses("HouseOut", { data: { value: 512000 } })],
    ["investor.sales.buy", "buyer", PURCHASE],
    ["investor.identity.updateKyc", "buyer", { countryCode: 840 }],
  ];
  return rows.map(([name, as, input]) => ({ name, as, uses: name.replace(/ .*/, ""), with: input }));
}

/** Writes the playbook of a write into a folder, and returns its path. */
export function playbookOf({ name, uses, as, with: input }: Write, folder: string): string {
  const file = join(folder, `${name.replaceAll(/[^\w.]/g, "-")}.yaml`);
  const actor = as === "buyer" ? { investor: "BUYER_KEY" } : { ledger: `userId:${as}` };
  writeFileSync(file, JSON.stringify({ playbook: 1, name, steps: [{ id: "write", as: actor, uses, with: input }] }));
  return file;
}

/** Makes a sandbox in a folder, runs `prepared.yaml` on it, and returns the sandbox and the outputs. */
export async function prepareIn(
  folder: string,
  shell: Shell,
): Promise<{ readonly origin: SandboxTemplate; readonly prepared: Prepared }> {
  const origin = await fillOrigin(folder, { profile: DEFAULT_PROFILE });
  const subject = subjectOf(shell, PREPARED, { runId: "20261121T093000-prepared", runKey: "prepared" });
  const island = await openIsland(shell, join(folder, "prepared"), { origin, secrets: NO_SECRETS });
  await begin(island.session, subject);
  const closed = island.session.store.read(subject.name.runId).find((record) => record.kind === "run.closed");
  await island[Symbol.asyncDispose]();
  invariant(closed?.outcome === "passed", `prepared.yaml: ${JSON.stringify(closed)}`);
  copyFileSync(join(island.folder, "sandbox.db"), origin.file);
  forgetCommits(origin.file);
  return { origin, prepared: closed.outputs as unknown as Prepared };
}

// The writes of the preparation must not count as writes of the later runs.
function forgetCommits(file: string): void {
  const sandbox = Database.open(file, SANDBOX);
  sandbox.run("DELETE FROM commits");
  sandbox.close();
}
