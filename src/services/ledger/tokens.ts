import type { Json, JsonObject } from "../../base/json/json.ts";
import { recordsIn } from "../../base/json/parts.ts";
import { chooseId, chooseShareIds, shareIds } from "../marks.ts";
import { absolute, type MeaningsOf, READ, readAbout, type Yield } from "../meaning.ts";
import { batchTransferred, burnt, minted, transferred } from "./probes/supply.ts";
import {
  approvalForAllSet,
  tokenApprovalSet,
  tokenCreated,
  tokenOwnersSet,
  tokenPermissionsSet,
  tokenUpdated,
} from "./probes/tokens.ts";
import {
  custodiansSet,
  deposited,
  existingTokenAdded,
  shareTokenAdded,
  vaultAssetsUpdated,
  vaultCreated,
  vaultUpdated,
  withdrawn,
} from "./probes/vaults.ts";
import { ledgerSetters } from "./kinds.ts";
import { by, byGiven, sets, undoneByNothing } from "../sets.ts";

const { changes, makes, removes } = ledgerSetters;

const chosenId = (what: string): Yield => ({
  type: "string",
  id: what,
  description: `the ${what}'s id`,
  from: ({ input }) => input["id"],
});

function movedTokens({ transactionDetails: details = null }: JsonObject): readonly Json[] {
  return recordsIn(details).map(({ tokenId = null }) => tokenId);
}

const SUPPLY = "the token's transactions since, and its totals before and after; of a unit, the accounts' `nftIds` too";
const MOVED =
  "the token's transactions since, and the receiver's balance before and after; of a unit, the accounts' `nftIds` too";
const IF_TOKEN_UNIQUE = "searched for, and not sent again unless the profile says `capabilities.tokenIdUnique`";

const QUANTITY = { id: "id", value: "value" } as const;

const KNOWN_ROLES = ["minter", "burner", "transfer", "notary"];

// The custodians of a vault have rights in its share tokens, which the definition of these tokens does not show.
const SHARE_TOKENS = { at: "vaultToken.*", yields: "tokenIds", saysRights: false } as const;

// A new token has its permissions and its owners from the start.
const madeTokens = (id: string) =>
  [makes("token", byGiven(id)), makes("token permissions", byGiven(id)), makes("token owners", byGiven(id))] as const;
const ADDED_TO_VAULT = "no operation takes a token out of a vault, and to add one again changes nothing";

/** B.4: tokens. */
export const tokens: MeaningsOf<"ledger.token." | "ledger.account." | "ledger.transaction."> = {
  "ledger.token.get": readAbout("id"),
  "ledger.token.create": {
    effect: "unique",
    complete: chooseId,
    fills: "`id`, by default, is made of run and step",
    yields: { id: chosenId("token") },
    readBack: "`ledger.token.get` by the id that was sent",
    lost: IF_TOKEN_UNIQUE,
    probe: tokenCreated,
    sets: sets(...madeTokens("id")),
    namesOnce: "id",
    makesTokens: { yields: "id", saysRights: true },
    givesRoles: { at: "tokenPermissions.*.roles.*", known: KNOWN_ROLES },
  },
  "ledger.token.update": absolute("`ledger.token.get`", tokenUpdated, sets(changes("token", by("id")))),
  "ledger.token.list": { ...READ, single: { read: "ledger.token.get", shares: [] } },
  "ledger.token.setPermissions": {
    ...absolute("`ledger.token.get`", tokenPermissionsSet, sets(changes("token permissions", by("id")))),
    givesRoles: { at: "permissions.*.roles.*", known: KNOWN_ROLES },
    changesRights: true,
  },
  "ledger.token.setApproval": absolute("the accounts' `approvedEntities`", tokenApprovalSet, sets(changes("operators"))),
  "ledger.token.setOwners": {
    ...absolute("`ledger.token.get`", tokenOwnersSet, sets(changes("token owners", by("id")))),
    changesRights: true,
  },
  "ledger.token.mint": {
    effect: "additive",
    readBack: SUPPLY,
    lost: "searched for; sent again only if a second one would be refused: an amount when the cap leaves no room for it, a unit unless the run has defined its token without a primary key",
    probe: minted,
    sets: sets(makes("supply", by("id")), changes("holdings", by("id"))),
    quantities: { ...QUANTITY, mints: true },
    needsRole: { role: "minter", key: "minter_role_name", verb: "mint", givenBy: "ledger.token.setPermissions" },
  },
  "ledger.token.burn": {
    effect: "additive",
    readBack: SUPPLY,
    probe: burnt,
    sets: sets(removes("supply", by("id")), changes("holdings", by("id"))),
    quantities: QUANTITY,
    needsRole: { role: "burner", key: "burner_role_name", verb: "burn", givenBy: "ledger.token.setPermissions" },
  },
  "ledger.account.get": readAbout("id"),
  "ledger.account.list": { ...readAbout("tokenId"), single: { read: "ledger.account.get", shares: [] } },
  "ledger.transaction.get": readAbout("id"),
  "ledger.transaction.list": {
    effect: "read",
    about: { input: "tokenId", ids: movedTokens },
    single: { read: "ledger.transaction.get", shares: [] },
  },
};

/** B.5: ERC-1155 style operations. */
export const erc1155: MeaningsOf<"ledger.erc1155."> = {
  "ledger.erc1155.balanceOf": READ,
  "ledger.erc1155.balanceOfBatch": READ,
  // The description does not say whether this also changes the operators of single tokens.
  "ledger.erc1155.setApprovalForAll": absolute(
    "`ledger.erc1155.isApprovedForAll`",
    approvalForAllSet,
    sets(changes("operators")),
  ),
  "ledger.erc1155.isApprovedForAll": READ,
  "ledger.erc1155.safeTransferFrom": {
    effect: "additive",
    readBack: MOVED,
    probe: transferred,
    sets: sets(changes("holdings", by("id"))),
    quantities: QUANTITY,
  },
  "ledger.erc1155.safeBatchTransferFrom": {
    effect: "additive",
    readBack: MOVED,
    probe: batchTransferred,
    sets: sets(changes("holdings", by("ids"))),
    quantities: { id: "ids.*", value: "values.*" },
  },
};

const shareTokenIds: Yield = {
  type: "list<string>",
  id: "token",
  description: "the ids of the vault's share tokens, in the order of vaultToken",
  from: ({ input }) => shareIds(input),
};

/** B.6: vaults. */
export const vaults: MeaningsOf<"ledger.vault."> = {
  "ledger.vault.get": readAbout("id"),
  "ledger.vault.create": {
    effect: "unique",
    complete: (input, names) => chooseShareIds(chooseId(input, names), names),
    fills: "`id` and the ids in `vaultToken`, by default, are made of run and step",
    yields: { id: chosenId("vault"), tokenIds: shareTokenIds },
    readBack: "`ledger.vault.get` by the id that was sent",
    lost: "searched for, and not sent again unless the profile says `capabilities.vaultIdUnique`",
    probe: vaultCreated,
    sets: sets(makes("vault", byGiven("id")), makes("vault custodians", byGiven("id")), ...madeTokens("vaultToken.id")),
    namesOnce: "id",
    makesTokens: SHARE_TOKENS,
  },
  "ledger.vault.update": absolute("`ledger.vault.get`", vaultUpdated, sets(changes("vault", by("id")))),
  "ledger.vault.list": { ...READ, single: { read: "ledger.vault.get", shares: [] } },
  "ledger.vault.addToken": {
    effect: "unique",
    complete: chooseShareIds,
    fills: "the ids in `vaultToken`, by default, are made of run and step",
    yields: { tokenIds: shareTokenIds },
    readBack: "`ledger.token.get` by the ids that were sent, and `ledger.vault.get`",
    lost: IF_TOKEN_UNIQUE,
    probe: shareTokenAdded,
    sets: sets(...madeTokens("vaultToken.id")),
    makesTokens: SHARE_TOKENS,
  },
  "ledger.vault.addExistingToken": absolute("`ledger.vault.get`", existingTokenAdded, undoneByNothing(ADDED_TO_VAULT)),
  "ledger.vault.setCustodians": absolute("`ledger.vault.get`", custodiansSet, sets(changes("vault custodians", by("vaultId")))),
  "ledger.vault.deposit": {
    effect: "transition",
    readBack:
      "`ledger.vault.assets`: the asset with exactly the shares asked for; `ledger.asset.history`, or the transactions of its share tokens, for who deposited it",
    probe: deposited,
    sets: sets(
      makes("vault content", by("assets.id")),
      changes("asset", by("assets.id")),
      makes("supply", by("assets.shares.tokenId")),
      changes("holdings", by("assets.shares.tokenId")),
    ),
    quantities: { id: "assets.*.shares.*.tokenId", value: "assets.*.shares.*.quantity", mints: true },
  },
  "ledger.vault.withdraw": {
    effect: "transition",
    readBack:
      "`ledger.vault.assets`: the asset is not there any more; `ledger.asset.history`, or the transactions of its share tokens, for who withdrew it",
    probe: withdrawn,
    sets: sets(
      removes("vault content", by("assets.id")),
      changes("asset", by("assets.id")),
      removes("supply", by("assets.shares.tokenId")),
      changes("holdings", by("assets.shares.tokenId")),
    ),
  },
  "ledger.vault.assets": READ,
  // The description does not say whether the asset itself shows it.
  "ledger.vault.updateAssets": absolute(
    "`ledger.vault.assets`",
    vaultAssetsUpdated,
    sets(changes("vault content", by("assets.id")), changes("asset", by("assets.id"))),
  ),
};
