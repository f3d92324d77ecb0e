import { Decimal } from "../../base/numbers/decimal.ts";
import type { JsonObject } from "../../base/json/json.ts";
import { listOf, placedAt } from "../../base/json/parts.ts";
import { carriesMark, markComment, markData } from "../marks.ts";
import { absolute, type MeaningsOf, READ, readAbout, type WriteMeaning, type Yield } from "../meaning.ts";
import type { Probe } from "../probe.ts";
import { ledgerSetters } from "./kinds.ts";
import { by, sets } from "../sets.ts";
import { assetIdIn, assetIds } from "./asset-ids.ts";
import { assetCreated, assetDeleted, assetOwnersSet, assetPut, assetUpdated } from "./probes/assets.ts";
import { approvalCancelled, approvalRequested, approvalVoted, transferRequested, transferVoted } from "./probes/requests.ts";

const { changes, makes, removes } = ledgerSetters;

const assetId: Yield = {
  type: "string",
  id: "asset",
  description: "the asset's id",
  from: ({ input, profile }) => assetIdIn(input, profile),
};

const IN_HISTORY = "`ledger.asset.history`: one record more, which shows what was sent";

// Assets are distinguished by their ids. The same id in two asset types is rare, and treating both as one asset does no harm.
const madeAsset = sets(makes("asset", assetIds));
const changedAsset = sets(changes("asset", assetIds));

/** B.1: assets. */
export const assets: MeaningsOf<"ledger.asset." | "ledger.receipt." | "ledger.status"> = {
  "ledger.asset.get": readAbout("id"),
  "ledger.asset.create": {
    effect: "unique",
    yields: { id: assetId },
    readBack: "`ledger.asset.get`, and `ledger.asset.history`, whose records carry the transaction id",
    probe: assetCreated,
    sets: madeAsset,
    namesOnce: "data.*.id",
  },
  "ledger.asset.put": { ...absolute(IN_HISTORY, assetPut, madeAsset), yields: { id: assetId } },
  "ledger.asset.update": { ...absolute(IN_HISTORY, assetUpdated, changedAsset), yields: { id: assetId } },
  "ledger.asset.delete": {
    ...absolute(
      "`ledger.asset.get`: the asset does not exist any more; `ledger.asset.history` names the deletion",
      assetDeleted,
      sets(removes("asset", assetIds)),
    ),
    namesOnce: "id.*",
  },
  "ledger.asset.setOwners": { ...absolute(IN_HISTORY, assetOwnersSet, changedAsset), wraps: "data" },
  "ledger.asset.history": READ,
  "ledger.asset.list": { ...readAbout("assetType"), single: { read: "ledger.asset.get", shares: ["assetType"] } },
  "ledger.asset.stats": READ,
  "ledger.receipt.get": READ,
  "ledger.status": READ,
};

/** B.2: asset ownership transfer. */
export const transfers: MeaningsOf<"ledger.transfer."> = {
  "ledger.transfer.get": readAbout("id"),
  "ledger.transfer.request": {
    effect: "marked",
    wraps: "approvals",
    inputs: {
      newOwner: { $ref: "contract#/$defs/Entity", description: "Who will own the assets once the request is approved." },
    },
    complete: (input, names, { ledger }) => markData(nameNewOwner(input, ledger.newOwner), names),
    fills: "`newOwner` goes where the profile's `ledger.newOwner` says; `data.tokenbook` gets the mark of the run and its step",
    example: {
      assetType: "building",
      id: ["BLD-001"],
      approvers: [{ orgId: "64f1c0ffee0123456789abcd", userId: "carol" }],
      numRequired: Decimal.of(1),
      newOwner: { orgId: "64f1c0ffee0123456789abcd", userId: "bob" },
      data: { reason: "sale" },
    },
    yields: {
      id: { type: "string", id: "transfer", description: "the id of the transfer request", from: ({ found }) => found?.["id"] },
    },
    discovery: {
      read: "ledger.transfer.byAsset",
      with: (input) => ({ assetId: listOf(input["id"])[0] ?? "", pendingOnly: false }),
      matches: carriesMark,
    },
    probe: transferRequested,
    sets: sets(makes("transfer request")),
    asksApprovers: true,
    readBack: "`ledger.transfer.byAsset` with `pendingOnly: false`, then `ledger.transfer.mine`, by the mark in `data`",
  },
  "ledger.transfer.approve": {
    effect: "transition",
    readBack: "`ledger.transfer.get`: the actor's entry among the approvers; `ledger.transfer.history` for when it turned",
    probe: transferVoted("approved"),
    // The step does not name the new owners, who receive the assets with the last approval.
    sets: sets(changes("transfer request", by("id")), changes("asset")),
    namesOnce: "id.*",
    votes: true,
  },
  "ledger.transfer.reject": {
    effect: "transition",
    readBack: "`ledger.transfer.get`: the actor's entry among the approvers; `ledger.transfer.history` for when it turned",
    probe: transferVoted("rejected"),
    sets: sets(changes("transfer request", by("id"))),
    namesOnce: "id.*",
    votes: true,
  },
  "ledger.transfer.mine": READ,
  "ledger.transfer.queue": READ,
  "ledger.transfer.byAsset": READ,
  "ledger.transfer.history": READ,
};

/** B.3: approvals. */
export const approvals: MeaningsOf<"ledger.approval."> = {
  "ledger.approval.get": readAbout("id"),
  "ledger.approval.create": {
    effect: "marked",
    wraps: "approvals",
    complete: markData,
    fills: "`data.tokenbook` gets the mark of the run and its step",
    yields: {
      id: { type: "string", id: "approval", description: "the id of the approval request", from: ({ found }) => found?.["id"] },
    },
    discovery: {
      read: "ledger.approval.mine",
      with: (input) => ({ approvalType: input["approvalType"] ?? "" }),
      matches: carriesMark,
    },
    readBack: "`ledger.approval.mine`, by the mark in `data`",
    probe: approvalRequested,
    sets: sets(makes("approval request")),
    asksApprovers: true,
  },
  "ledger.approval.accept": { ...decision(approvalVoted("approved")), votes: true },
  "ledger.approval.reject": { ...decision(approvalVoted("rejected")), votes: true },
  "ledger.approval.cancel": decision(approvalCancelled),
  "ledger.approval.mine": READ,
  "ledger.approval.queue": READ,
  "ledger.approval.history": READ,
};

function decision(probe: Probe): WriteMeaning {
  return {
    effect: "transition",
    wraps: "approvals",
    complete: markComment,
    fills: "`comment` ends with the mark of the run and its step",
    readBack:
      "`ledger.approval.get`: the actor's entry among the approvers, or the state of the request; `ledger.approval.history` for when it turned",
    probe,
    sets: sets(changes("approval request", by("id"))),
    namesOnce: "id",
  };
}

// The description shows the new owner in the answer (data.metadata.newOwner), but no field for it in the request.
function nameNewOwner(input: JsonObject, where: string): JsonObject {
  const { newOwner, ...rest } = input;
  if (newOwner === undefined) return input;
  if (where !== "additionalOwners") return placedAt(rest, where.split("."), newOwner);
  const { additionalOwners } = rest;
  return { ...rest, additionalOwners: [newOwner, ...listOf(additionalOwners)] };
}
