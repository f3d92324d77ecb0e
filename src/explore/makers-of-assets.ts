import { Decimal } from "../base/numbers/decimal.ts";
import type { JsonObject } from "../base/json/json.ts";
import { type Draft, type DraftAsset, type DraftRequest, entityOf, given, type Maker } from "./draft.ts";
import { ACTORS, type LedgerOperation, RUN_KEY } from "./step.ts";

type OfAssets = Extract<LedgerOperation, `ledger.${"asset" | "transfer" | "approval"}.${string}`>;

const PAGE_SIZES = [1, 2, 3].map((size) => Decimal.of(size));
const PENDING_ONLY = "pendingOnly";

/** Generates calls of the operations in sections B.1, B.2 and B.3. */
export const MAKERS_OF_ASSETS: Readonly<Record<OfAssets, Maker>> = {
  "ledger.asset.create": (draft) => {
    const { dice } = draft;
    if (dice.chance(0.15))
      return onAsset(draft, (asset) => draft.add("ledger.asset.create", draft.anybody(), withData(asset, dataOf(draft, asset))));
    const by = draft.anybody();
    const type = dice.pick(draft.assetTypes);
    const made = Array.from({ length: dice.pick([1, 1, 1, 2, 3]) }, (_, at): DraftAsset => {
      return { id: `${draft.nextId("ledger.asset.create")}n${at + 1}${RUN_KEY}`.replaceAll("_", ""), type, by };
    });
    const data = made.map((asset) => dataOf(draft, asset));
    draft.add("ledger.asset.create", by, { assetType: type.name, data: data.length === 1 ? (data[0] ?? {}) : data });
    draft.assets.push(...made);
  },
  "ledger.asset.put": (draft) =>
    onAsset(draft, (asset) => draft.add("ledger.asset.put", draft.mostly(asset.by), withData(asset, dataOf(draft, asset)))),
  "ledger.asset.update": (draft) =>
    onAsset(draft, (asset) => {
      const change = { [asset.type.primaryKey]: asset.id, rooms: draft.amount(undefined) };
      draft.add("ledger.asset.update", draft.mostly(asset.by), withData(asset, change));
    }),
  "ledger.asset.delete": (draft) =>
    onAsset(draft, ({ id, type, by }) => draft.add("ledger.asset.delete", draft.mostly(by), { assetType: type.name, id })),
  "ledger.asset.setOwners": (draft) =>
    onAsset(draft, ({ id, type, by }) =>
      draft.add("ledger.asset.setOwners", draft.mostly(by), { assetType: type.name, id, owners: draft.some().map(entityOf) }),
    ),
  "ledger.asset.get": (draft) =>
    onAsset(draft, ({ id, type }) => draft.add("ledger.asset.get", draft.anybody(), { assetType: type.name, id })),
  "ledger.asset.history": (draft) =>
    onAsset(draft, ({ id, type }) => draft.add("ledger.asset.history", draft.anybody(), { assetType: type.name, id })),
  "ledger.asset.list": (draft) =>
    onAsset(draft, ({ type }) => draft.add("ledger.asset.list", draft.anybody(), { assetType: type.name })),
  "ledger.asset.stats": "it counts what everybody has made",
  "ledger.transfer.request": (draft) =>
    onAsset(draft, (asset) => {
      const approvers = draft.some();
      const by = draft.mostly(asset.by);
      const id = draft.nextId("ledger.transfer.request");
      draft.add("ledger.transfer.request", by, {
        assetType: asset.type.name,
        id: [asset.id],
        approvers: approvers.map(entityOf),
        numRequired: Decimal.of(requiredOf(draft, approvers.length)),
        newOwner: entityOf(draft.anybody()),
        ...(draft.dice.chance(0.2) ? { additionalOwners: [entityOf(draft.anybody())] } : {}),
      });
      draft.transfers.push({ id: given(id), by, approvers, about: asset.id });
    }),
  "ledger.transfer.approve": (draft) =>
    onRequest(draft, draft.transfers, (request) => voteOnTransfer(draft, "ledger.transfer.approve", request)),
  "ledger.transfer.reject": (draft) =>
    onRequest(draft, draft.transfers, (request) => voteOnTransfer(draft, "ledger.transfer.reject", request)),
  "ledger.transfer.get": (draft) =>
    onRequest(draft, draft.transfers, ({ id }) => draft.add("ledger.transfer.get", draft.anybody(), { id })),
  "ledger.transfer.mine": (draft) =>
    onRequest(draft, draft.transfers, ({ by }) => draft.add("ledger.transfer.mine", draft.mostly(by), pageOf(draft))),
  "ledger.transfer.queue": (draft) =>
    draft.add("ledger.transfer.queue", draft.anybody(), { ...pageOf(draft), [PENDING_ONLY]: draft.dice.chance(0.5) }),
  "ledger.transfer.byAsset": (draft) =>
    onRequest(draft, draft.transfers, ({ about }) =>
      draft.add("ledger.transfer.byAsset", draft.anybody(), {
        assetId: about,
        ...pageOf(draft),
        [PENDING_ONLY]: draft.dice.chance(0.5),
      }),
    ),
  "ledger.transfer.history": (draft) =>
    onRequest(draft, draft.transfers, ({ id }) => draft.add("ledger.transfer.history", draft.anybody(), { id })),
  "ledger.approval.create": (draft) => {
    const approvers = draft.some();
    const by = draft.anybody();
    const about = draft.dice.pick([`budget${RUN_KEY}`, `budget${RUN_KEY}`, `holiday${RUN_KEY}`]);
    const id = draft.nextId("ledger.approval.create");
    draft.add("ledger.approval.create", by, {
      approvalType: about,
      approvers: approvers.map(entityOf),
      numRequired: Decimal.of(requiredOf(draft, approvers.length)),
      ...(draft.dice.chance(0.2) ? { timeout: Decimal.of(draft.dice.pick([0, 60])) } : {}),
      data: { amount: draft.amount(undefined) },
    });
    draft.approvals.push({ id: given(id), by, approvers, about });
  },
  "ledger.approval.accept": (draft) =>
    onRequest(draft, draft.approvals, (request) => decide(draft, "ledger.approval.accept", request)),
  "ledger.approval.reject": (draft) =>
    onRequest(draft, draft.approvals, (request) => decide(draft, "ledger.approval.reject", request)),
  "ledger.approval.cancel": (draft) =>
    onRequest(draft, draft.approvals, (request) => decide(draft, "ledger.approval.cancel", request)),
  "ledger.approval.get": (draft) =>
    onRequest(draft, draft.approvals, ({ id, about }) =>
      draft.add("ledger.approval.get", draft.anybody(), { approvalType: about, id }),
    ),
  "ledger.approval.mine": (draft) =>
    onRequest(draft, draft.approvals, ({ by, about }) =>
      draft.add("ledger.approval.mine", draft.mostly(by), { approvalType: about, ...pageOf(draft) }),
    ),
  "ledger.approval.queue": (draft) =>
    onRequest(draft, draft.approvals, ({ about }) =>
      draft.add("ledger.approval.queue", draft.anybody(), {
        approvalType: about,
        ...pageOf(draft),
        [PENDING_ONLY]: draft.dice.chance(0.5),
      }),
    ),
  "ledger.approval.history": (draft) =>
    onRequest(draft, draft.approvals, ({ id, about }) =>
      draft.add("ledger.approval.history", draft.anybody(), { approvalType: about, id }),
    ),
};

function onAsset(draft: Draft, add: (asset: DraftAsset) => void): void {
  if (draft.assets.length > 0) add(draft.dice.pick(draft.assets));
}

function onRequest(draft: Draft, requests: readonly DraftRequest[], add: (request: DraftRequest) => void): void {
  if (requests.length > 0) add(draft.dice.pick(requests));
}

function withData({ type }: DraftAsset, data: JsonObject): JsonObject {
  return { assetType: type.name, data };
}

function dataOf(draft: Draft, { id, type }: DraftAsset): JsonObject {
  const owners = draft.dice.chance(0.3) ? { ledgerMetadata: { owners: draft.some().map(entityOf) } } : {};
  return { [type.primaryKey]: id, city: draft.dice.pick(["Lisbon", "Porto"]), ...owners };
}

// Usually returns a number that can be reached.
function requiredOf({ dice }: Draft, approvers: number): number {
  return dice.chance(0.1) ? approvers + 1 : 1 + dice.below(approvers);
}

function pageOf({ dice }: Draft): JsonObject {
  return dice.chance(0.6) ? { pageSize: dice.pick(PAGE_SIZES) } : {};
}

function voteOnTransfer(
  draft: Draft,
  uses: "ledger.transfer.approve" | "ledger.transfer.reject",
  { id, approvers }: DraftRequest,
): void {
  draft.add(uses, draft.mostly(draft.dice.pick(approvers)), { id: [id] });
}

type DecidesApproval = `ledger.approval.${"accept" | "reject" | "cancel"}`;

function decide(draft: Draft, uses: DecidesApproval, { id, about, by, approvers }: DraftRequest): void {
  const voter = uses === "ledger.approval.cancel" ? by : draft.dice.pick([...approvers, ...approvers, ...ACTORS]);
  draft.add(uses, draft.mostly(voter), { approvalType: about, id });
}
