import { Decimal } from "../base/numbers/decimal.ts";
import { Dice } from "../base/numbers/dice.ts";
import { LIMITS } from "../base/limits.ts";
import { Draft, type DraftToken, type ExploredAssetType } from "./draft.ts";
import { MAKERS } from "./makers.ts";
import type { ExploredStep, LedgerOperation } from "./step.ts";

interface Topic {
  /** What the sequence begins with. */
  readonly begin: readonly LedgerOperation[];
  /** What may follow; the more often it is named, the likelier it is. */
  readonly follow: readonly LedgerOperation[];
}

const ON_ASSETS: readonly LedgerOperation[] = [
  "ledger.asset.create",
  "ledger.asset.put",
  "ledger.asset.update",
  "ledger.asset.update",
  "ledger.asset.delete",
  "ledger.asset.setOwners",
  "ledger.asset.setOwners",
  "ledger.asset.get",
  "ledger.asset.list",
];

const ON_TOKENS: readonly LedgerOperation[] = [
  "ledger.token.mint",
  "ledger.token.mint",
  "ledger.token.mint",
  "ledger.token.burn",
  "ledger.token.burn",
  "ledger.token.setPermissions",
  "ledger.token.setOwners",
  "ledger.token.update",
  "ledger.erc1155.safeTransferFrom",
  "ledger.erc1155.safeTransferFrom",
  "ledger.erc1155.safeBatchTransferFrom",
  "ledger.token.setApproval",
  "ledger.erc1155.setApprovalForAll",
  "ledger.token.get",
  "ledger.erc1155.balanceOf",
  "ledger.erc1155.balanceOfBatch",
  "ledger.erc1155.isApprovedForAll",
  "ledger.token.list",
];

const ON_VAULTS: readonly LedgerOperation[] = [
  "ledger.vault.deposit",
  "ledger.vault.withdraw",
  "ledger.vault.withdraw",
  "ledger.vault.updateAssets",
  "ledger.vault.update",
  "ledger.vault.setCustodians",
  "ledger.vault.addToken",
  "ledger.vault.addExistingToken",
  "ledger.token.create",
  "ledger.asset.create",
  "ledger.asset.delete",
  "ledger.vault.create",
  "ledger.vault.list",
  "ledger.erc1155.safeTransferFrom",
  "ledger.token.mint",
];

const TOPICS: readonly Topic[] = [
  { begin: ["ledger.token.create", "ledger.token.mint"], follow: ON_TOKENS },
  { begin: ["ledger.token.create", "ledger.token.create", "ledger.token.mint", "ledger.token.mint"], follow: ON_TOKENS },
  { begin: ["ledger.asset.create"], follow: ON_ASSETS },
  {
    begin: ["ledger.asset.create", "ledger.transfer.request"],
    follow: [
      "ledger.transfer.approve",
      "ledger.transfer.approve",
      "ledger.transfer.approve",
      "ledger.transfer.reject",
      "ledger.transfer.request",
      "ledger.transfer.queue",
      "ledger.transfer.mine",
      "ledger.transfer.byAsset",
      "ledger.asset.setOwners",
      "ledger.asset.get",
    ],
  },
  {
    begin: ["ledger.approval.create"],
    follow: [
      "ledger.approval.create",
      "ledger.approval.accept",
      "ledger.approval.accept",
      "ledger.approval.accept",
      "ledger.approval.reject",
      "ledger.approval.cancel",
      "ledger.approval.queue",
      "ledger.approval.mine",
    ],
  },
  { begin: ["ledger.asset.create", "ledger.vault.create", "ledger.vault.deposit"], follow: ON_VAULTS },
  {
    begin: ["ledger.asset.create", "ledger.vault.create", "ledger.vault.create", "ledger.vault.deposit", "ledger.vault.deposit"],
    follow: ON_VAULTS,
  },
];

const SMALL_PAGE = Decimal.of(1);
const LEAST_STEPS = 3;
const MORE_STEPS = 9;

/** Returns the sequence of a number: the same seed and number give the same one, on every machine. */
export function sequenceOf(seed: number, number: number, assetTypes: readonly ExploredAssetType[]): readonly ExploredStep[] {
  const dice = new Dice(Math.imul(seed, 1_000_003) + number);
  const draft = new Draft(dice, assetTypes);
  const topic = dice.pick(TOPICS.filter(({ begin }) => assetTypes.length > 0 || !begin.includes("ledger.asset.create")));
  for (const uses of topic.begin) make(draft, uses);
  for (let left = LEAST_STEPS + dice.below(MORE_STEPS); left > 0; left--) {
    const before = draft.steps.length;
    make(draft, dice.pick(topic.follow));
    if (draft.steps.length > before && dice.chance(0.2)) look(draft, dice);
  }
  look(draft);
  return draft.steps.slice(0, LIMITS.exploreSteps);
}

function make(draft: Draft, uses: LedgerOperation): void {
  const maker = MAKERS[uses];
  if (typeof maker !== "string") maker(draft);
}

// Whatever a write has done shows in one of these reads.
function look(draft: Draft, dice?: Dice): void {
  const looks = [
    ...draft.tokens.map((token) => () => lookAtToken(draft, token)),
    ...draft.assets.map(({ id, type, by }) => () => {
      draft.add("ledger.asset.get", by, { assetType: type.name, id });
      draft.add("ledger.asset.history", by, { assetType: type.name, id });
    }),
    ...draft.transfers.map(({ id, by, about }) => () => {
      draft.add("ledger.transfer.get", by, { id });
      draft.add("ledger.transfer.history", by, { id });
      draft.add("ledger.transfer.byAsset", by, { assetId: about, pendingOnly: false, pageSize: SMALL_PAGE });
    }),
    ...draft.approvals.map(({ id, by, about }) => () => {
      draft.add("ledger.approval.get", by, { approvalType: about, id });
      draft.add("ledger.approval.history", by, { approvalType: about, id });
      draft.add("ledger.approval.mine", by, { approvalType: about, pageSize: SMALL_PAGE });
    }),
    ...draft.vaults.map(({ id, by }) => () => {
      draft.add("ledger.vault.get", by, { id });
      draft.add("ledger.vault.assets", by, { id });
    }),
  ];
  if (dice === undefined) for (const each of looks) each();
  else if (looks.length > 0) dice.pick(looks)();
}

function lookAtToken(draft: Draft, { id, by }: DraftToken): void {
  draft.add("ledger.token.get", by, { id });
  draft.add("ledger.account.list", by, { tokenId: id });
  draft.add("ledger.transaction.list", by, { tokenId: id });
}
