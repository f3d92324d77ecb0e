import { Decimal } from "../../base/numbers/decimal.ts";
import { Bug } from "../../base/failure.ts";
import type { JsonObject } from "../../base/json/json.ts";
import { present } from "../../base/present.ts";
import { USUAL_DIALECT } from "../dialect.ts";
import { newTransactionId } from "../ids.ts";
import { createAssets } from "../ledger/assets.ts";
import type { Commit } from "../ledger/call.ts";
import { depositAssets } from "../ledger/deposits.ts";
import { mintTo } from "../ledger/minting.ts";
import { assertConserved, recordTransaction } from "../ledger/movements.ts";
import { changeToken, createToken, theToken, type RequestedToken } from "../ledger/tokens.ts";
import { addExistingTokens, createVaults } from "../ledger/vaults.ts";
import { ServiceRefusal } from "../refusal.ts";
import type { DocumentPath } from "../shape.ts";
import type { StoredEntity } from "../store/ledger-resources.ts";
import { exact, exactFields } from "./amount.ts";
import { wrong } from "./read.ts";
import type {
  SeedAccount,
  SeedAsset,
  SeedDeposit,
  SeedEntity,
  SeedLedger,
  SeedLedgerToken,
  SeedTokenDefinition,
  SeedVault,
} from "./seed.ts";

/** The ledger to fill. */
type SeededLedger = Pick<Commit<unknown>, "world" | "profile" | "settings" | "now">;

/** Fills the ledger under the same rules as its writes, and asserts that the totals of every token are consistent. */
export function plantLedger({ assets = [], tokens = [], vaults = [] }: SeedLedger, ground: SeededLedger): void {
  each("assets", assets, (asset) => plantAsset(ground, asset));
  each("tokens", tokens, (token) => plantToken(ground, token));
  each("vaults", vaults, (vault) => plantVault(ground, vault));
  each("tokens", tokens, (token, path) => settleTotals(ground, token, path));
}

function each<T>(name: string, items: readonly T[], work: (item: T, path: DocumentPath) => void): void {
  for (const [at, item] of items.entries()) {
    const path = ["ledger", name, at];
    try {
      work(item, path);
    } catch (error) {
      throw error instanceof ServiceRefusal || error instanceof Bug ? wrong(path, error.message) : error;
    }
  }
}

function plantAsset(ground: SeededLedger, { assetType, data, owners = [] }: SeedAsset): void {
  const ledgerMetadata = { owners: owners.map((owner) => entityOf(ground, owner)) };
  createAssets(commitOf(ground, { assetType, data: { ...data, ledgerMetadata } }));
}

function plantToken(ground: SeededLedger, seed: SeedLedgerToken): void {
  const { owners = [], accounts = [], nftFields } = seed;
  const commit = commitOf(ground, undefined);
  const token = createToken(commit, { ...definitionOf(ground, seed), ...present({ nftFields }) });
  if (owners.length > 0) changeToken(commit, token, { owners: owners.map((owner) => ({ entity: entityOf(ground, owner) })) });
  const mints = accounts.flatMap((account) => mintsOf(ground, account));
  const minted = mints.map((mint) => mintTo(commit, theToken(commit, token.id), mint));
  recordTransaction(commit, "MINT", minted);
}

function mintsOf(ground: SeededLedger, { entity, balance, nfts = [] }: SeedAccount): readonly Parameters<typeof mintTo>[2][] {
  const to = entityOf(ground, entity);
  const value = balance === undefined ? undefined : exact(balance);
  const units = nfts.map((data) => ({ to, nftData: data as JsonObject }));
  return value === undefined || value.isZero() ? units : [{ to, value }, ...units];
}

function plantVault(ground: SeededLedger, seed: SeedVault): void {
  const { id, name, description, data, vaultToken = [], tokenId = [], assets = [] } = seed;
  const custodians = seed.custodians?.map((custodian) => entityOf(ground, custodian)) ?? [ground.settings.ledgerEntity];
  const vault = {
    id,
    ...present({ name, description }),
    ...(data === undefined ? {} : { data: data as JsonObject }),
    custodians,
    vaultToken: vaultToken.map((definition) => definitionOf(ground, definition)),
  };
  const [actor] = custodians;
  createVaults(commitOf(ground, [vault], actor));
  if (tokenId.length > 0) addExistingTokens(commitOf(ground, [{ id, tokenId }], actor));
  for (const asset of assets) {
    depositAssets(commitOf(ground, [{ vaultId: id, assets: [depositOf(ground, asset)] }], actor));
  }
}

function depositOf(
  ground: SeededLedger,
  { data, shares = [], ...name }: SeedDeposit,
): Parameters<typeof depositAssets>[0]["body"][number]["assets"][number] {
  const issued = shares.map(({ tokenId, quantity, receiver }) => ({
    tokenId,
    quantity: exact(quantity),
    receiver: entityOf(ground, receiver),
  }));
  return { ...name, ...(data === undefined ? {} : { data: data as JsonObject }), shares: issued };
}

// If a seed states totals, they must match the accounts. What was minted and is in no account was burnt.
function settleTotals(ground: SeededLedger, seed: SeedLedgerToken, path: DocumentPath): void {
  const commit = commitOf(ground, undefined);
  const token = theToken(commit, seed.id);
  const { totalSupply: supply, totalMintedAmount: minted = token.totalSupply } = exactFields(seed, [
    "totalSupply",
    "totalMintedAmount",
  ]);
  if (supply !== undefined && !supply.equals(token.totalSupply)) {
    throw wrong([...path, "totalSupply"], `the accounts hold ${token.totalSupply}, not ${supply}`);
  }
  const burntAmount = minted.minus(token.totalSupply);
  const cap = token.behaviour.maxMintQuantity;
  const isWithinCap = cap === undefined || cap.isZero() || minted.compare(cap) <= 0;
  if (burntAmount.isNegative())
    throw wrong([...path, "totalMintedAmount"], `the accounts hold ${token.totalSupply}, more than was minted`);
  if (!isWithinCap) throw wrong([...path, "totalMintedAmount"], `${minted} is more than the cap of ${cap}`);
  changeToken(commit, token, { totalMintedAmount: minted, burntAmount });
  if (burntAmount.isZero()) return assertConserved(ground.world, token.id);
  const burnt = { tokenId: token.id, amount: burntAmount, timestampUnix: Decimal.of(Math.floor(ground.now / 1_000)) };
  recordTransaction(commit, "MINT", [{ ...burnt, to: commit.actor }]);
  recordTransaction(commitOf(ground, undefined), "BURN", [burnt]);
}

function definitionOf(ground: SeededLedger, seed: SeedTokenDefinition): RequestedToken {
  const { id, name, description, symbol, classification, behaviour, properties, tokenPermissions } = seed;
  const { decimal: _decimal, maxMintQuantity: _cap, ...rules } = behaviour ?? {};
  return {
    id,
    ...(present({ name, description, symbol, classification, properties }) as Partial<RequestedToken>),
    behaviour: { ...rules, ...exactFields(behaviour ?? {}, ["decimal", "maxMintQuantity"]) },
    tokenPermissions: (tokenPermissions ?? []).map(({ entity, roles }) => ({ entity: entityOf(ground, entity), roles })),
  };
}

function entityOf({ settings }: SeededLedger, attributes: SeedEntity): StoredEntity {
  return { orgId: settings.orgId, ...attributes };
}

function commitOf<Body>(
  { world, profile, settings, now }: SeededLedger,
  body: Body,
  actor: StoredEntity = settings.ledgerEntity,
): Commit<Body> {
  const [transactionId, dialect] = [newTransactionId(), USUAL_DIALECT];
  return { world, profile, settings, actor, now, params: {}, body, transactionId, dialect };
}
