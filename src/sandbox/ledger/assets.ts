import { primaryKeyOf } from "../../contract/profile.ts";
import type { JsonObject } from "../../base/json/json.ts";
import { compoundKey } from "../ids.ts";
import { demand, found, ServiceRefusal } from "../refusal.ts";
import type { StoredAsset, StoredEntity } from "../store/ledger-resources.ts";
import { textParam } from "../params.ts";
import { created, historyOf, remember, updated, type LedgerCall, type Commit } from "./call.ts";
import { demandEntities, isAmong } from "./entity.ts";
import { pageOf, type ListPage } from "./paging.ts";
import { withReferences } from "./references.ts";

type OneOrMany<T> = T | readonly T[];
type WithData = { readonly assetType: string; readonly data: OneOrMany<JsonObject> };

/** POST /asset: refuses an id that exists. */
export function createAssets(commit: Commit<WithData>): void {
  for (const item of itemsOf(commit)) {
    demand(find(commit, item) === undefined, "asset already exists", `the ${item.assetType} ${item.id} already exists`);
    insert(commit, item);
  }
}

/** PUT /asset: creates the asset or replaces its data. The owners stay unless they are given. */
export function putAssets(commit: Commit<WithData>): void {
  for (const item of itemsOf(commit)) {
    const existing = find(commit, item);
    if (existing === undefined) insert(commit, item);
    else change(commit, existing, { data: item.data, owners: item.owners ?? existing.owners });
  }
}

/** PATCH /asset: changes only the named fields. */
export function updateAssets(commit: Commit<WithData>): void {
  const namesOwners = [commit.body.data].flat().some((each) => "ledgerMetadata" in each);
  demand(!namesOwners, "invalid parameters", "PATCH /asset/owners is the call that changes owners");
  for (const item of itemsOf(commit)) {
    const existing = theAsset(commit, item.assetType, item.id);
    change(commit, existing, { data: { ...existing.data, ...item.data } });
  }
}

/** DELETE /asset: the history remains. */
export function deleteAssets(commit: Commit<{ readonly assetType: string; readonly id: OneOrMany<string> }>): void {
  const { assetType, id: ids } = commit.body;
  for (const id of [ids].flat()) {
    demand(id !== "", "invalid parameters", "an id is empty");
    const asset = theAsset(commit, assetType, id);
    demandOwner(commit, asset);
    const key = assetKey(assetType, id);
    commit.world.delete("asset", key);
    remember(commit, "asset", { key, type: "DELETED", value: { ...asset, ...updated(commit) } });
  }
}

/** PATCH /asset/owners: the array replaces the owners. */
export function setAssetOwners(
  commit: Commit<{
    readonly assetType: string;
    readonly data: readonly { readonly id: string; readonly owners: readonly StoredEntity[] }[];
  }>,
): void {
  for (const { id, owners } of commit.body.data) {
    demand(owners.length > 0, "invalid parameters", `the asset ${id} must keep an owner`);
    demandEntities(owners, commit.settings.orgId);
    change(commit, theAsset(commit, commit.body.assetType, id), { owners });
  }
}

/** GET /asset: resolves references up to `depth` levels. */
export function getAsset(call: LedgerCall): StoredAsset {
  return withReferences(call, theAsset(call, textParam(call, "assetType"), textParam(call, "id")));
}

/** GET /asset/history: also works for a deleted asset. References are resolved to the current assets. */
export function assetHistory(call: LedgerCall): object {
  const id = textParam(call, "id");
  const key = assetKey(textParam(call, "assetType"), id);
  demand(call.world.history("asset", key).length > 0, "asset not found", `there has been no such asset ${id}`);
  const history = historyOf(call, "asset", { key, id });
  return { ...history, records: history.records.map((record) => withReferences(call, record as unknown as StoredAsset)) };
}

/** GET /asset/all: lists assets of one type, or of all types if none is named. */
export function listAssets(call: LedgerCall): ListPage<StoredAsset> {
  const assetType = textParam(call, "assetType");
  if (assetType === "") return pageOf(call, "asset");
  demandAssetType(call, assetType);
  return pageOf(call, "asset", { scope: assetType });
}

/** GET /asset/stats: lists every type of the app, even types without assets. */
export function assetStats(call: LedgerCall): object {
  const countByType = call.settings.assetTypes.map((assetType) => ({ assetType, count: call.world.count("asset", assetType) }));
  return { totalCount: countByType.reduce((total, { count }) => total + count, 0), countByType };
}

/** Returns the key of an asset in the world. Ids are unique within a type. */
export function assetKey(assetType: string, id: string): string {
  return compoundKey(assetType, id);
}

/** Returns the asset, or refuses if there is none. */
export function theAsset(call: LedgerCall<unknown>, assetType: string, id: string): StoredAsset {
  return found(call.world.get("asset", assetKey(assetType, id)), "asset not found", `there is no ${assetType} with the id ${id}`);
}

function demandOwner(call: LedgerCall<unknown>, { assetType, id, owners }: StoredAsset): void {
  demand(isAmong(owners, call.actor), "unauthorized caller", `only an owner may change the ${assetType} ${id}`);
}

/** Gives an asset new owners, for a rule that was already checked. */
export function handOver(commit: Commit<unknown>, asset: StoredAsset, owners: readonly StoredEntity[]): void {
  save(commit, "UPDATED", { ...asset, owners, ...updated(commit) });
}

type AssetItem = Pick<StoredAsset, "assetType" | "id" | "data"> & Partial<Pick<StoredAsset, "owners">>;

function itemsOf(commit: Commit<WithData>): readonly AssetItem[] {
  const { assetType, data } = commit.body;
  demandAssetType(commit, assetType);
  return [data].flat().map((each) => readItem(commit, assetType, each));
}

function readItem(commit: Commit<unknown>, assetType: string, given: JsonObject): AssetItem {
  const { ledgerMetadata, ...data } = given;
  const primaryKey = primaryKeyOf(commit.profile, assetType);
  const id = data[primaryKey];
  if (typeof id !== "string" || id === "") {
    throw new ServiceRefusal("invalid parameters", `the data of a ${assetType} needs its id under ${primaryKey}`);
  }
  const { owners = [] } = (ledgerMetadata ?? {}) as { readonly owners?: readonly StoredEntity[] };
  demandEntities(owners, commit.settings.orgId);
  return owners.length === 0 ? { assetType, id, data } : { assetType, id, data, owners };
}

function demandAssetType(call: LedgerCall<unknown>, assetType: string): void {
  demand(call.settings.assetTypes.includes(assetType), "asset type not found", `the app defines no asset type ${assetType}`);
}

function find(call: LedgerCall<unknown>, item: AssetItem): StoredAsset | undefined {
  return call.world.get("asset", assetKey(item.assetType, item.id));
}

function insert(commit: Commit<unknown>, { assetType, id, data, owners = [commit.actor] }: AssetItem): void {
  save(commit, "CREATED", { id, assetType, data, owners, ...created(commit) });
}

function change(commit: Commit<unknown>, asset: StoredAsset, changes: Partial<Pick<StoredAsset, "data" | "owners">>): void {
  demandOwner(commit, asset);
  save(commit, "UPDATED", { ...asset, ...changes, ...updated(commit) });
}

function save(commit: Commit<unknown>, type: "CREATED" | "UPDATED", asset: StoredAsset): void {
  const key = assetKey(asset.assetType, asset.id);
  commit.world.put("asset", { id: key, scope: asset.assetType }, asset);
  remember(commit, "asset", { key, type, value: asset });
}
