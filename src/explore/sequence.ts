import { Decimal } from "../base/numbers/decimal.ts";
import { Dice } from "../base/numbers/dice.ts";
import { LIMITS } from "../base/limits.ts";
import { Draft, type DraftToken, type ExploredAssetType, type Maker } from "./draft.ts";
import { MAKERS_OF_ASSETS } from "./makers-of-assets.ts";
import { MAKERS_OF_TOKENS } from "./makers-of-tokens.ts";
import { MAKERS_OF_VAULTS } from "./makers-of-vaults.ts";
import type { ExploredStep, LedgerOperation } from "./step.ts";

/** Generates calls of each operation of the ledger. */
export const MAKERS: Readonly<Record<LedgerOperation, Maker>> = {
  ...MAKERS_OF_ASSETS,
  ...MAKERS_OF_TOKENS,
  ...MAKERS_OF_VAULTS,
  "ledger.receipt.get": "every write is followed by it",
  "ledger.status": "it says nothing that could be wrong",
};

interface Topic {
  /** The operations with which the sequence begins. */
  readonly begin: readonly LedgerOperation[];
  /** The operations that may follow. The more often one is listed, the likelier it is. */
  readonly follow: readonly LedgerOperation[];
}

type Called<Text extends string> = Text extends `${infer First} ${infer Rest}` ? Called<First> | Called<Rest> : `ledger.${Text}`;

/** Returns the ledger operations in texts. An operation that does not exist does not compile. */
function calls<Text extends string>(
  ...texts: readonly (Text & ([Called<Text>] extends [LedgerOperation] ? unknown : never))[]
): readonly LedgerOperation[] {
  return texts.flatMap((text) => text.split(" ").map((name) => `ledger.${name}` as LedgerOperation));
}

const ON_ASSETS = calls(
  "asset.create asset.put asset.update asset.update asset.delete asset.setOwners asset.setOwners",
  "asset.get asset.list",
);

const ON_TOKENS = calls(
  "token.mint token.mint token.mint token.burn token.burn token.setPermissions token.setOwners",
  "token.update erc1155.safeTransferFrom erc1155.safeTransferFrom erc1155.safeBatchTransferFrom",
  "token.setApproval erc1155.setApprovalForAll token.get erc1155.balanceOf erc1155.balanceOfBatch",
  "erc1155.isApprovedForAll token.list",
);

const ON_VAULTS = calls(
  "vault.deposit vault.withdraw vault.withdraw vault.updateAssets vault.update vault.setCustodians",
  "vault.addToken vault.addExistingToken token.create asset.create asset.delete vault.create vault.list",
  "erc1155.safeTransferFrom token.mint",
);

const TOPICS: readonly Topic[] = [
  { begin: calls("token.create token.mint"), follow: ON_TOKENS },
  { begin: calls("token.create token.create token.mint token.mint"), follow: ON_TOKENS },
  { begin: calls("asset.create"), follow: ON_ASSETS },
  {
    begin: calls("asset.create transfer.request"),
    follow: calls(
      "transfer.approve transfer.approve transfer.approve transfer.reject transfer.request transfer.queue",
      "transfer.mine transfer.byAsset asset.setOwners asset.get",
    ),
  },
  {
    begin: calls("approval.create"),
    follow: calls(
      "approval.create approval.accept approval.accept approval.accept approval.reject approval.cancel",
      "approval.queue approval.mine",
    ),
  },
  { begin: calls("asset.create vault.create vault.deposit"), follow: ON_VAULTS },
  {
    begin: calls("asset.create vault.create vault.create vault.deposit vault.deposit"),
    follow: ON_VAULTS,
  },
];

const SMALL_PAGE = Decimal.of(1);
const LEAST_STEPS = 3;
const MORE_STEPS = 9;

/** Returns the sequence with a number. The same seed and number give the same sequence on every machine. */
export function sequenceOf(seed: number, number: number, assetTypes: readonly ExploredAssetType[]): readonly ExploredStep[] {
  const dice = new Dice(Math.imul(seed, 1_000_003) + number);
  const draft = new Draft(dice, assetTypes);
  const topic = dice.pick(TOPICS.filter(({ begin }) => assetTypes.length > 0 || !begin.includes("ledger.asset.create")));
  for (const uses of topic.begin) draft.make(uses, MAKERS[uses]);
  for (let left = LEAST_STEPS + dice.below(MORE_STEPS); left > 0; left--) {
    const before = draft.steps.length;
    const uses = dice.pick(topic.follow);
    draft.make(uses, MAKERS[uses]);
    if (draft.steps.length > before && dice.chance(0.2)) look(draft, dice);
  }
  look(draft);
  return draft.steps.slice(0, LIMITS.exploreSteps);
}

// Every effect of a write shows in one of these reads.
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
