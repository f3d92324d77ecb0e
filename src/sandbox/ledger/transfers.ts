import type { Decimal } from "../../base/numbers/decimal.ts";
import { isObject, type Json, type JsonObject } from "../../base/json/json.ts";
import { field } from "../../base/json/parts.ts";
import { present } from "../../base/present.ts";
import { demand, found, type Condition } from "../refusal.ts";
import type { StoredAsset, StoredEntity, StoredTransferRequest } from "../store/ledger-resources.ts";
import { handOver, theAsset } from "./assets.ts";
import { textParam } from "../params.ts";
import { historyOf, remember, type LedgerCall, type Commit } from "./call.ts";
import { demandEntities, distinctEntities, isAmong, isVault, sameEntity } from "./entity.ts";
import { pageOf, type ListPage } from "./paging.ts";
import { awaits, entityOf, newRequest, pendingOnly, withVote } from "./requests.ts";
import { meant, shown, shownHistory, shownPage } from "./words.ts";

interface Proposed {
  readonly id: readonly string[];
  readonly approvers?: readonly StoredEntity[];
  readonly numRequired?: Decimal;
  readonly additionalOwners?: readonly StoredEntity[];
  readonly data?: JsonObject & { readonly metadata?: JsonObject };
}

/** POST /asset/ownershipTransfer/request: the owners of the assets must approve if no approver is named. */
export function requestTransfers(commit: Commit<{ readonly assetType: string; readonly approvals: readonly Proposed[] }>): void {
  for (const proposed of commit.body.approvals) requestTransfer(commit, commit.body.assetType, proposed);
}

function requestTransfer(commit: Commit<unknown>, assetType: string, proposed: Proposed): void {
  const { id: ids, additionalOwners = [], data = {}, numRequired } = proposed;
  const assets = ids.map((id) => theAsset(commit, assetType, id));
  const approvers = proposed.approvers ?? distinctEntities(assets.flatMap(({ owners }) => owners));
  const newOwner = namedOwner(proposed, commit.profile.newOwner) ?? additionalOwners[0] ?? commit.actor;
  demandEntities([newOwner, ...additionalOwners], commit.settings.orgId);
  const metadata = { ...data.metadata, assetType, id: ids, newOwner };
  const proposal = { approvers, data: { ...data, metadata }, ...present({ numRequired }) };
  const request = newRequest(commit, proposal) as StoredTransferRequest;
  for (const asset of assets) demandOwnerTakesPart(request, asset);
  commit.world.put("transferPlan", { id: request.id }, { additionalOwners });
  save(commit, "CREATED", request);
}

function namedOwner({ data }: Proposed, where: string): StoredEntity | undefined {
  const [root, ...keys] = where.split(".");
  if (root !== "data") return undefined;
  const named = keys.reduce<Json | undefined>(field, data);
  demand(named === undefined || isObject(named), "invalid parameters", `${where} must be an entity`);
  return named as StoredEntity | undefined;
}

/**
 * POST /asset/ownershipTransfer/approve: the last required approval gives the assets to their new owners. For approvers, a missing request is reported as a
 * missing asset.
 */
export function approveTransfers(commit: Commit<{ readonly id: readonly string[] }>): void {
  for (const id of commit.body.id) {
    const request = withVote(commit, theRequest(commit, id, "asset not found"), true) as StoredTransferRequest;
    save(commit, "UPDATED", request);
    if (meant(commit, request.status) === "approved") transfer(commit, request);
  }
}

/** POST /asset/ownershipTransfer/reject */
export function rejectTransfers(commit: Commit<{ readonly id: readonly string[] }>): void {
  for (const id of commit.body.id) {
    const request = withVote(commit, theRequest(commit, id, "asset not found"), false);
    save(commit, "UPDATED", request as StoredTransferRequest);
  }
}

/** GET /asset/ownershipTransfer/request */
export function getTransfer(call: LedgerCall): StoredTransferRequest {
  return shown(call, theRequest(call, textParam(call, "id")));
}

/** Returns requests that the actor has submitted. */
export function myTransfers(call: LedgerCall): ListPage<StoredTransferRequest> {
  return shownPage(call, pageOf(call, "transfer", { where: ({ createdBy }) => sameEntity(createdBy, call.actor) }));
}

/** Returns requests that wait for the actor's approval. */
export function transferQueue(call: LedgerCall): ListPage<StoredTransferRequest> {
  return shownPage(call, pageOf(call, "transfer", { where: (request) => awaits(call, request, pendingOnly(call)) }));
}

/** Returns requests about an asset id, whatever its type. */
export function transfersOfAsset(call: LedgerCall): ListPage<StoredTransferRequest> {
  const assetId = textParam(call, "assetId");
  const where = ({ data, status }: StoredTransferRequest): boolean =>
    data.metadata.id.includes(assetId) && (!pendingOnly(call) || meant(call, status) === "pending");
  return shownPage(call, pageOf(call, "transfer", { where }));
}

/** GET /asset/ownershipTransfer/request/history */
export function transferHistory(call: LedgerCall): object {
  const { id } = getTransfer(call);
  return shownHistory(call, historyOf(call, "transfer", { key: id, id }));
}

function transfer(commit: Commit<unknown>, request: StoredTransferRequest): void {
  const { assetType, id: ids, newOwner } = request.data.metadata;
  const { additionalOwners = [] } = commit.world.get("transferPlan", request.id) ?? {};
  for (const id of ids) {
    const asset = theAsset(commit, assetType, id);
    demandOwnerTakesPart(request, asset);
    handOver(commit, asset, distinctEntities([newOwner, ...additionalOwners]));
  }
}

// Otherwise anybody could name friendly approvers and take other people's assets. This is checked again when the assets move.
function demandOwnerTakesPart(request: StoredTransferRequest, asset: StoredAsset): void {
  const parties = [request.createdBy, ...request.approvers.map(entityOf)];
  demand(
    parties.some((party) => !isVault(party) && isAmong(asset.owners, party)),
    "unauthorized caller",
    `no owner of the ${asset.assetType} ${asset.id} requests or approves the transfer`,
  );
}

function theRequest(call: LedgerCall<unknown>, id: string, condition: Condition = "request not found"): StoredTransferRequest {
  return found(call.world.get("transfer", id), condition, `there is no transfer request ${id}`);
}

function save(commit: Commit<unknown>, type: "CREATED" | "UPDATED", request: StoredTransferRequest): void {
  commit.world.put("transfer", { id: request.id }, request);
  remember(commit, "transfer", { key: request.id, type, value: request });
}
