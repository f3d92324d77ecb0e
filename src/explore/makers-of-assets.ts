import { Decimal } from "../base/numbers/decimal.ts";
import type { JsonObject } from "../base/json/json.ts";
import { type Draft, type DraftAsset, type DraftCall, entityOf, given, type Maker } from "./draft.ts";
import { ACTORS, type LedgerOperation, RUN_KEY } from "./step.ts";

type OfAssets = Extract<LedgerOperation, `ledger.${"asset" | "transfer" | "approval"}.${string}`>;

const PAGE_SIZES = [1, 2, 3].map((size) => Decimal.of(size));

/** Generates calls of the operations in sections B.1, B.2 and B.3. */
export const MAKERS_OF_ASSETS: Readonly<Record<OfAssets, Maker>> = {
  "ledger.asset.create": (draft, step) => {
    const { dice } = draft;
    if (dice.chance(0.15))
      return draft.forOne(draft.assets, (asset) => ({ as: draft.anybody(), with: withData(asset, dataOf(draft, asset)) }));
    const by = draft.anybody();
    const type = dice.pick(draft.assetTypes);
    const made = Array.from({ length: dice.pick([1, 1, 1, 2, 3]) }, (_, at): DraftAsset => {
      return { id: `${step}n${at + 1}${RUN_KEY}`.replaceAll("_", ""), type, by };
    });
    const data = made.map((asset) => dataOf(draft, asset));
    draft.assets.push(...made);
    return { as: by, with: { assetType: type.name, data: data.length === 1 ? (data[0] ?? {}) : data } };
  },
  "ledger.asset.put": (draft) =>
    draft.forOne(draft.assets, (asset) => ({ as: draft.mostly(asset.by), with: withData(asset, dataOf(draft, asset)) })),
  "ledger.asset.update": (draft) =>
    draft.forOne(draft.assets, (asset) => {
      const change = { [asset.type.primaryKey]: asset.id, rooms: draft.amount(undefined) };
      return { as: draft.mostly(asset.by), with: withData(asset, change) };
    }),
  "ledger.asset.delete": (draft) =>
    draft.forOne(draft.assets, ({ id, type, by }) => ({ as: draft.mostly(by), with: { assetType: type.name, id } })),
  "ledger.asset.setOwners": (draft) =>
    draft.forOne(draft.assets, ({ id, type, by }) => ({
      as: draft.mostly(by),
      with: { assetType: type.name, id, owners: draft.some().map(entityOf) },
    })),
  "ledger.asset.get": (draft) =>
    draft.forOne(draft.assets, ({ id, type }) => ({ as: draft.anybody(), with: { assetType: type.name, id } })),
  "ledger.asset.history": (draft) =>
    draft.forOne(draft.assets, ({ id, type }) => ({ as: draft.anybody(), with: { assetType: type.name, id } })),
  "ledger.asset.list": (draft) =>
    draft.forOne(draft.assets, ({ type }) => ({ as: draft.anybody(), with: { assetType: type.name } })),
  "ledger.asset.stats": "it counts what everybody has made",
  "ledger.transfer.request": (draft, step) =>
    draft.forOne(draft.assets, (asset) => {
      const approvers = draft.some();
      const by = draft.mostly(asset.by);
      draft.transfers.push({ id: given(step), by, approvers, about: asset.id });
      return {
        as: by,
        with: {
          assetType: asset.type.name,
          id: [asset.id],
          approvers: approvers.map(entityOf),
          numRequired: Decimal.of(requiredOf(draft, approvers.length)),
          newOwner: entityOf(draft.anybody()),
          ...(draft.dice.chance(0.2) ? { additionalOwners: [entityOf(draft.anybody())] } : {}),
        },
      };
    }),
  "ledger.transfer.approve": voteOnTransfer,
  "ledger.transfer.reject": voteOnTransfer,
  "ledger.transfer.get": (draft) => draft.forOne(draft.transfers, ({ id }) => ({ as: draft.anybody(), with: { id } })),
  "ledger.transfer.mine": (draft) => draft.forOne(draft.transfers, ({ by }) => ({ as: draft.mostly(by), with: pageOf(draft) })),
  "ledger.transfer.queue": (draft) => ({ as: draft.anybody(), with: queuePageOf(draft) }),
  "ledger.transfer.byAsset": (draft) =>
    draft.forOne(draft.transfers, ({ about }) => ({ as: draft.anybody(), with: { assetId: about, ...queuePageOf(draft) } })),
  "ledger.transfer.history": (draft) => draft.forOne(draft.transfers, ({ id }) => ({ as: draft.anybody(), with: { id } })),
  "ledger.approval.create": (draft, step) => {
    const approvers = draft.some();
    const by = draft.anybody();
    const about = draft.dice.pick([`budget${RUN_KEY}`, `budget${RUN_KEY}`, `holiday${RUN_KEY}`]);
    draft.approvals.push({ id: given(step), by, approvers, about });
    return {
      as: by,
      with: {
        approvalType: about,
        approvers: approvers.map(entityOf),
        numRequired: Decimal.of(requiredOf(draft, approvers.length)),
        ...(draft.dice.chance(0.2) ? { timeout: Decimal.of(draft.dice.pick([0, 60])) } : {}),
        data: { amount: draft.amount(undefined) },
      },
    };
  },
  "ledger.approval.accept": voteOnApproval,
  "ledger.approval.reject": voteOnApproval,
  "ledger.approval.cancel": (draft) =>
    draft.forOne(draft.approvals, ({ id, about, by }) => ({ as: draft.mostly(by), with: { approvalType: about, id } })),
  "ledger.approval.get": (draft) =>
    draft.forOne(draft.approvals, ({ id, about }) => ({ as: draft.anybody(), with: { approvalType: about, id } })),
  "ledger.approval.mine": (draft) =>
    draft.forOne(draft.approvals, ({ by, about }) => ({ as: draft.mostly(by), with: { approvalType: about, ...pageOf(draft) } })),
  "ledger.approval.queue": (draft) =>
    draft.forOne(draft.approvals, ({ about }) => ({
      as: draft.anybody(),
      with: { approvalType: about, ...queuePageOf(draft) },
    })),
  "ledger.approval.history": (draft) =>
    draft.forOne(draft.approvals, ({ id, about }) => ({ as: draft.anybody(), with: { approvalType: about, id } })),
};

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

function queuePageOf(draft: Draft): JsonObject {
  return { ...pageOf(draft), pendingOnly: draft.dice.chance(0.5) };
}

function voteOnTransfer(draft: Draft): DraftCall | undefined {
  return draft.forOne(draft.transfers, ({ id, approvers }) => ({
    as: draft.mostly(draft.dice.pick(approvers)),
    with: { id: [id] },
  }));
}

function voteOnApproval(draft: Draft): DraftCall | undefined {
  return draft.forOne(draft.approvals, ({ id, about, approvers }) => ({
    as: draft.mostly(draft.dice.pick([...approvers, ...approvers, ...ACTORS])),
    with: { approvalType: about, id },
  }));
}
