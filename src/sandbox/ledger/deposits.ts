import { sum } from "../../base/numbers/decimal.ts";
import type { JsonObject } from "../../base/json/json.ts";
import { demand, found, type Condition } from "../refusal.ts";
import type { Deposit, StoredEntity, Issue, BalanceMovement, StoredVault } from "../store/ledger-resources.ts";
import { assetKey, handOver, theAsset } from "./assets.ts";
import { textParam } from "../params.ts";
import type { LedgerCall, Commit } from "./call.ts";
import { demandNamed, sameEntity, VAULT_ATTRIBUTE } from "./entity.ts";
import { destroy, issue, recordTransaction } from "./movements.ts";
import { demandAmount, theToken } from "./tokens.ts";
import { custodiedVault, isAccessible, theVault } from "./vaults.ts";

interface AssetName {
  readonly assetType: string;
  readonly id: string;
}

interface Depositing extends AssetName {
  readonly data?: JsonObject;
  readonly shares?: readonly Issue[];
}

interface Payment {
  readonly tokenId: string;
  readonly payer: StoredEntity;
}

interface Withdrawing extends AssetName {
  readonly shares?: readonly Payment[];
}

type OfVault<T> = { readonly vaultId: string; readonly assets: readonly T[] };

/** POST /token/vault/deposit: the vault becomes the owner of the asset, and each receiver gets newly minted shares. */
export function depositAssets(commit: Commit<readonly OfVault<Depositing>[]>): void {
  const minted = commit.body.flatMap(({ vaultId, assets }) => {
    const vault = custodiedVault(commit, vaultId);
    return assets.flatMap((asset) => deposit(commit, vault, asset));
  });
  recordTransaction(commit, "MINT", minted);
}

function deposit(
  commit: Commit<unknown>,
  vault: StoredVault,
  { assetType, id, data = {}, shares = [] }: Depositing,
): readonly BalanceMovement[] {
  const asset = theAsset(commit, assetType, id);
  const present = commit.world.get("deposit", assetKey(assetType, id));
  const isFree = present === undefined || (present.vaultId === vault.id && commit.dialect.accepts.includes("second deposit"));
  demand(isFree, "asset already deposited in another vault", `the asset lies in the vault ${present?.vaultId}`);
  for (const share of shares) demandShare(commit, vault, share);
  const { issues: before = [], originalOwners = asset.owners } = present ?? {};
  const record = { vaultId: vault.id, assetType, id, data, issues: [...before, ...shares], originalOwners };
  saveDeposit(commit, record);
  handOver(commit, asset, [{ orgId: commit.settings.orgId, [VAULT_ATTRIBUTE]: vault.id }]);
  return shares.map(({ tokenId, quantity, receiver }) => issue(commit, { tokenId, entity: receiver }, { amount: quantity }));
}

function demandShare(commit: Commit<unknown>, vault: StoredVault, { tokenId, quantity, receiver }: Issue): void {
  demand(vault.vaultTokenId.includes(tokenId), "invalid parameters", `${tokenId} is no share token of the vault ${vault.id}`);
  demandAmount(theToken(commit, tokenId), quantity);
  demandNamed([receiver]);
}

/** POST /token/vault/withdraw: all shares that were issued against the asset are burnt, and its original owners get it back. */
export function withdrawAssets(commit: Commit<readonly OfVault<Withdrawing>[]>): void {
  const burnt = commit.body.flatMap(({ vaultId, assets }) => {
    const vault = custodiedVault(commit, vaultId);
    return assets.flatMap((asset) => withdraw(commit, vault, asset));
  });
  recordTransaction(commit, "BURN", burnt);
}

function withdraw(
  commit: Commit<unknown>,
  vault: StoredVault,
  { assetType, id, shares = [] }: Withdrawing,
): readonly BalanceMovement[] {
  const lying = theDeposit(commit, vault, { assetType, id }, "invalid parameters");
  const issued = new Set(lying.issues.map(({ tokenId }) => tokenId));
  const known = shares.every(({ tokenId }) => issued.has(tokenId));
  demand(known, "invalid parameters", `a share token was not issued against ${id}`);
  const burnt = [...issued].flatMap((tokenId) => burnShares(commit, lying, { tokenId, shares }));
  commit.world.delete("deposit", assetKey(assetType, id));
  handOver(commit, theAsset(commit, assetType, id), lying.originalOwners);
  return burnt;
}

// The body names no quantity. A single payer returns all issued shares. If there are several, each returns the shares that were issued to it.
function burnShares(
  commit: Commit<unknown>,
  { issues, id }: Deposit,
  { tokenId, shares }: { readonly tokenId: string; readonly shares: readonly Payment[] },
): readonly BalanceMovement[] {
  const ofToken = issues.filter((each) => each.tokenId === tokenId);
  const payers = shares.filter((each) => each.tokenId === tokenId).map(({ payer }) => payer);
  const partOf = (payer: StoredEntity): readonly Issue[] =>
    payers.length === 1 ? ofToken : ofToken.filter(({ receiver }) => sameEntity(receiver, payer));
  const paid = payers.flatMap(partOf);
  const exactly = paid.length === ofToken.length && new Set(paid).size === ofToken.length;
  demand(exactly, "invalid parameters", `the payers do not match what was issued of ${tokenId} against ${id}`);
  return payers.map((payer) => {
    const amount = sum(partOf(payer).map(({ quantity }) => quantity));
    return destroy(commit, { tokenId, entity: payer }, { amount });
  });
}

/** GET /token/vault/assets */
export function listVaultAssets(call: LedgerCall): object {
  const vault = theVault(call, textParam(call, "id"));
  demand(isAccessible(vault, call.actor), "access denied for the caller", `the vault ${vault.id} is not the caller's`);
  const deposits = call.world.list("deposit", vault.id);
  return { count: deposits.length, assets: deposits.map(shown) };
}

function shown({ assetType, id, data, issues, originalOwners }: Deposit): object {
  const tokenIds = [...new Set(issues.map(({ tokenId }) => tokenId))];
  const shares = tokenIds.map((tokenId) => ({
    tokenId,
    quantity: sum(issues.filter((each) => each.tokenId === tokenId).map(({ quantity }) => quantity)),
  }));
  return { identifier: { docType: "asset", docDefId: assetType, id }, shares, originalOwners, data };
}

/** PATCH /token/vault/assets: replaces the data. */
export function updateVaultAssets(commit: Commit<readonly OfVault<AssetName & { readonly data?: JsonObject }>[]>): void {
  for (const { vaultId, assets } of commit.body) {
    const vault = custodiedVault(commit, vaultId, "access denied for the caller");
    for (const { data, ...name } of assets) {
      const lying = theDeposit(commit, vault, name);
      saveDeposit(commit, { ...lying, data: data ?? lying.data });
    }
  }
}

function saveDeposit(commit: Commit<unknown>, record: Deposit): void {
  commit.world.put("deposit", { id: assetKey(record.assetType, record.id), scope: record.vaultId }, record);
}

// The description lists "asset not found" neither for a withdrawal nor for an update. For a withdrawal, it lists another condition that fits.
function theDeposit(
  call: LedgerCall<unknown>,
  vault: StoredVault,
  { assetType, id }: AssetName,
  condition: Condition = "asset not found",
): Deposit {
  const lying = call.world.get("deposit", assetKey(assetType, id));
  return found(lying?.vaultId === vault.id ? lying : undefined, condition, `the vault ${vault.id} holds no ${assetType} ${id}`);
}
