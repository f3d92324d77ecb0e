import { Decimal } from "../../src/base/numbers/decimal.ts";
import type { JsonObject } from "../../src/base/json/json.ts";
import { compoundKey } from "../../src/sandbox/ids.ts";
import type { StoredApprovalRequest, StoredAsset, StoredToken } from "../../src/sandbox/store/ledger-resources.ts";
import { afterwards, all, type AnyCommit, doing, type Flaw, ignoring, late, reading, seeing, without, writing } from "./flaws.ts";

/** One bug that a service can have, planted in the sandbox. */
export interface PlantedBug {
  readonly breaks: string;
  /** The sentence of the service description that the bug breaks. */
  readonly sentence: string;
  readonly flaw: Flaw;
}

const LISTS = [
  "ledger.approval.mine",
  "ledger.approval.queue",
  "ledger.transfer.mine",
  "ledger.transfer.byAsset",
  "ledger.transfer.queue",
];
const TRANSFERS = ["ledger.erc1155.safeTransferFrom", "ledger.erc1155.safeBatchTransferFrom"];
const ROLES = "Calls by an unauthorized caller are refused";
const PAGED = "bookmark is an opaque string to send back to get the next page";
const ZERO = Decimal.of(0);

const ownsToken = (token: StoredToken, { actor }: AnyCommit): Partial<StoredToken> => ({
  owners: [...token.owners, { entity: actor }],
  behaviour: { ...token.behaviour, rolesMap: {} },
});
const ownsAsset = ({ owners }: StoredAsset, { actor }: AnyCommit): Partial<StoredAsset> => ({ owners: [...owners, actor] });
const endsNever = (): Partial<StoredApprovalRequest> => ({ timeout: Decimal.of(1_000_000) });

interface Items<T> {
  readonly data: T | readonly T[];
}

/** Every planted bug by its name. */
export const PLANTED_BUGS: Readonly<Record<string, PlantedBug>> = {
  "cap-off-by-one": {
    breaks: "mints one more than the cap",
    sentence: "maxMintQuantity in a token's behaviour caps the quantity minted for that token",
    flaw: seeing("ledger.token.mint", "token", ({ behaviour }) => ({
      behaviour: { ...behaviour, maxMintQuantity: oneMore(behaviour.maxMintQuantity ?? ZERO) },
    })),
  },
  "cap-unchecked-at-deposit": {
    breaks: "a deposit issues more shares than their cap",
    sentence: "maxMintQuantity in a token's behaviour caps the quantity minted for that token",
    flaw: seeing("ledger.vault.deposit", "token", ({ behaviour }) => ({ behaviour: { ...behaviour, maxMintQuantity: ZERO } })),
  },
  "minter-unchecked": { breaks: "anybody mints", sentence: ROLES, flaw: seeing("ledger.token.mint", "token", ownsToken) },
  "burner-unchecked": { breaks: "anybody burns", sentence: ROLES, flaw: seeing("ledger.token.burn", "token", ownsToken) },
  "mover-unchecked": {
    breaks: "anybody moves what others hold",
    sentence: "The approved operators may manage the listed token ids for the caller",
    flaw: seeing(TRANSFERS, "token", ({ tokenPermissions }, { actor }) => ({
      tokenPermissions: [...tokenPermissions, { entity: actor, roles: ["transfer"] }],
    })),
  },
  "permissions-by-anybody": {
    breaks: "anybody changes the permissions of a token",
    sentence: "Token owners may update the token's properties and permissions",
    flaw: seeing("ledger.token.setPermissions", "token", ownsToken),
  },
  "token-owners-by-anybody": {
    breaks: "anybody changes the owners of a token",
    sentence: "Token owners may update the token's properties and permissions",
    flaw: seeing("ledger.token.setOwners", "token", ownsToken),
  },
  "asset-update-by-anybody": {
    breaks: "anybody changes an asset",
    sentence: ROLES,
    flaw: seeing("ledger.asset.update", "asset", ownsAsset),
  },
  "asset-delete-by-anybody": {
    breaks: "anybody deletes an asset",
    sentence: ROLES,
    flaw: seeing("ledger.asset.delete", "asset", ownsAsset),
  },
  "refused-update-applied": {
    breaks: "an update that is refused takes effect",
    sentence: "Calls by an unauthorized caller are refused",
    flaw: late("ledger.asset.update", { afterMs: 0, onlyRefused: seeing("ledger.asset.update", "asset", ownsAsset) }),
  },
  "refused-mint-applied": {
    breaks: "a mint that is refused takes effect",
    sentence: "Calls by an unauthorized caller are refused",
    flaw: late("ledger.token.mint", { afterMs: 0, onlyRefused: seeing("ledger.token.mint", "token", ownsToken) }),
  },
  "late-update": {
    breaks: "an update is acknowledged, and takes effect later",
    sentence: "the call waits until the transaction is committed on the ledger and then returns the transaction id",
    flaw: late("ledger.token.update", { afterMs: 1_500 }),
  },
  "late-owners": {
    breaks: "new owners are acknowledged, and own the asset later",
    sentence: "Asset owners update: the current owners are replaced by the supplied array",
    flaw: late("ledger.asset.setOwners", { afterMs: 1_500 }),
  },
  "row-skipped": {
    breaks: "a list leaves out the first row of each later page",
    sentence: PAGED,
    flaw: reading(LISTS, (page: JsonObject, { params }) =>
      (params["bookmark"] ?? "") === "" ? page : { ...page, records: (page["records"] as readonly JsonObject[]).slice(1) },
    ),
  },
  "row-twice": {
    breaks: "a list repeats a row at the end of a page",
    sentence: PAGED,
    flaw: reading(LISTS, (page: JsonObject) => {
      const rows = page["records"] as readonly JsonObject[];
      return page["bookmark"] === "" ? page : { ...page, records: [...rows, rows.at(-1)] };
    }),
  },
  "list-ends-early": {
    breaks: "a list ends after its first page",
    sentence: PAGED,
    flaw: reading(LISTS, (page: JsonObject) => ({ ...page, bookmark: "" })),
  },
  "decided-still-queued": {
    breaks: "the queue shows requests that are decided",
    sentence: "pending-only flag (default true)",
    flaw: reading("ledger.approval.queue", (_page: JsonObject, call, read) =>
      read({ ...call, params: { ...call.params, pendingOnly: false } }),
    ),
  },
  "digits-lost-in-supply": {
    breaks: "a supply loses its last digits",
    sentence: "totalSupply, totalMintedAmount: number",
    flaw: reading("ledger.token.get", (token: StoredToken) => ({ ...token, totalSupply: rounded(token.totalSupply) })),
  },
  "digits-lost-in-balance": {
    breaks: "a transfer loses the last digits of an amount",
    sentence: "A fungible transfer is at most the total supply",
    flaw: doing("ledger.erc1155.safeTransferFrom", (body: { readonly value?: Decimal }) =>
      body.value === undefined ? body : { ...body, value: rounded(body.value) },
    ),
  },
  "decimals-unchecked": {
    breaks: "an amount finer than the token's decimals is minted",
    sentence: "behaviour: {decimal number, …}",
    flaw: seeing("ledger.token.mint", "token", ({ behaviour }) => ({ behaviour: { ...behaviour, decimal: Decimal.of(30) } })),
  },
  "batch-transfer-half-applied": {
    breaks: "only the first token of a batch is moved",
    sentence: "Batch transfer: {from: Entity, to: Entity, ids: [string], values: [number]}",
    flaw: doing(
      "ledger.erc1155.safeBatchTransferFrom",
      (body: { readonly ids: readonly string[]; readonly values?: readonly Decimal[] }) => ({
        ...body,
        ids: body.ids.slice(0, 1),
        ...(body.values === undefined ? {} : { values: body.values.slice(0, 1) }),
      }),
    ),
  },
  "batch-mint-half-applied": {
    breaks: "only the first item of a batch is minted",
    sentence: "POST /token/mint: body: array of {id, to: Entity, value number, nftData object}",
    flaw: doing("ledger.token.mint", (body: readonly unknown[]) => body.slice(0, 1)),
  },
  "batch-create-half-applied": {
    breaks: "only the first asset of several is created",
    sentence: "POST /asset: body {assetType, data: object or array of objects}",
    flaw: doing("ledger.asset.create", (body: Items<JsonObject>) => ({ ...body, data: [body.data].flat().slice(0, 1) })),
  },
  "receipt-hides-failure": {
    breaks: "the receipt of a write that failed says COMMITTED",
    sentence: "message carries the error text when status is FAILED",
    flaw: (rules) => ({
      ...rules,
      receipt: ({ transactionId, state }) => ({
        transactionId,
        state: state === "FAILED" ? "COMMITTED" : state,
        message: "Success",
      }),
    }),
  },
  "receipt-denies-success": {
    breaks: "the receipt of a deletion that took effect says FAILED",
    sentence: "Receipt status: COMMITTED and FAILED are named",
    flaw: (rules) => {
      const denied = new Set<string>();
      const noted = afterwards("ledger.asset.delete", ({ transactionId }) => void denied.add(transactionId))(rules);
      return {
        ...noted,
        receipt: (outcome) =>
          denied.has(outcome.transactionId) ? { ...outcome, state: "FAILED", message: "server error" } : outcome,
      };
    },
  },
  "acknowledged-without-effect": {
    breaks: "new permissions are acknowledged, and nothing changes",
    sentence: "Token owners may update the token's properties and permissions",
    flaw: writing("ledger.token.setPermissions", () => {}),
  },
  "approval-counted-twice": {
    breaks: "one approval counts as two",
    sentence: "numRequired number of approvals needed",
    flaw: seeing("ledger.approval.accept", "approval", ({ numRequired }) => ({
      numRequired: numRequired.compare(Decimal.of(1)) > 0 ? numRequired.minus(Decimal.of(1)) : numRequired,
    })),
  },
  "transfer-by-one-approval": {
    breaks: "the first approval transfers the asset, however many are needed",
    sentence: "numRequired number of approvals needed",
    flaw: seeing("ledger.transfer.approve", "transfer", () => ({ numRequired: Decimal.of(1) })),
  },
  "vote-given-twice": {
    breaks: "an approver votes twice",
    sentence: "approvers: array of {orgId, userId, status}",
    flaw: ignoring(["ledger.approval.accept", "ledger.transfer.approve"], "vote already given"),
  },
  "stranger-votes": {
    breaks: "somebody who is no approver approves",
    sentence: ROLES,
    flaw: seeing(["ledger.approval.accept"], "approval", ({ approvers }, { actor }) => ({
      approvers: approvers.map((each, at) => (at === 0 ? { ...actor, status: each.status } : each)),
    })),
  },
  "vote-after-timeout": {
    breaks: "a request is decided after its time",
    sentence: "timeout number of minutes after creation",
    flaw: all(
      seeing("ledger.approval.accept", "approval", endsNever),
      seeing("ledger.approval.reject", "approval", endsNever),
      seeing("ledger.approval.cancel", "approval", endsNever),
    ),
  },
  "rejection-ignored": {
    breaks: "a rejected transfer stays open",
    sentence: "POST /asset/ownershipTransfer/reject: body {id: [request ids]}",
    flaw: writing("ledger.transfer.reject", () => {}),
  },
  "cancelled-by-anybody": {
    breaks: "anybody cancels a request",
    sentence: "Calls by an unauthorized caller are refused",
    flaw: seeing("ledger.approval.cancel", "approval", (_request, { actor }) => ({ createdBy: actor })),
  },
  "wrong-new-owner": {
    breaks: "a transfer gives the asset to who asked for it",
    sentence: "metadata {assetType, id (array of asset ids), newOwner (Entity)}",
    flaw: seeing("ledger.transfer.approve", "transfer", ({ data, createdBy }) => ({
      data: { ...data, metadata: { ...data.metadata, newOwner: createdBy } },
    })),
  },
  "additional-owners-forgotten": {
    breaks: "the additional owners of a transfer do not get the asset",
    sentence: "additionalOwners: [Entity]",
    flaw: without("ledger.transfer.approve", "get", "transferPlan"),
  },
  "wrong-owner-after-withdrawal": {
    breaks: "a withdrawn asset belongs to the caller, not to its original owners",
    sentence: "originalOwners array of Entity",
    flaw: seeing("ledger.vault.withdraw", "deposit", (_deposit, { actor }) => ({ originalOwners: [actor] })),
  },
  "withdrawn-still-there": {
    breaks: "a withdrawn asset stays in the vault",
    sentence: "The asset leaves the vault and the corresponding share tokens are burned from each named payer",
    flaw: without("ledger.vault.withdraw", "delete", "deposit"),
  },
  "deposit-in-two-vaults": {
    breaks: "an asset is deposited in two vaults",
    sentence: "Vault deposit: asset already deposited in another vault",
    flaw: without("ledger.vault.deposit", "get", "deposit"),
  },
  "deposit-by-anybody": {
    breaks: "who is no custodian deposits",
    sentence: "Custodians may manage vault properties and asset-related properties",
    flaw: seeing("ledger.vault.deposit", "vault", (_vault, { actor }) => ({ custodians: [actor] })),
  },
  "shares-to-first-receiver-only": {
    breaks: "only the first receiver gets shares",
    sentence: "The asset is held by the vault and fungible share tokens are minted to each named receiver",
    flaw: doing(
      "ledger.vault.deposit",
      (body: readonly { readonly assets: readonly { readonly shares?: readonly unknown[] }[] }[]) =>
        body.map((each) => ({
          ...each,
          assets: each.assets.map(({ shares = [], ...asset }) => ({ ...asset, shares: shares.slice(0, 1) })),
        })),
    ),
  },
  "custodians-by-anybody": {
    breaks: "anybody names the custodians of a vault",
    sentence: "Vault custodians update: unauthorized caller",
    flaw: seeing("ledger.vault.setCustodians", "vault", ({ custodians }, { actor }) => ({ custodians: [...custodians, actor] })),
  },
  "owners-added-not-replaced": {
    breaks: "the former owners stay owners",
    sentence: "Asset owners update: the current owners are replaced by the supplied array",
    flaw: doing(
      "ledger.asset.setOwners",
      (
        body: {
          readonly assetType: string;
          readonly data: readonly { readonly id: string; readonly owners: readonly object[] }[];
        },
        { world },
      ) => ({
        ...body,
        data: body.data.map((each) => ({
          ...each,
          owners: [...(world.get("asset", compoundKey(body.assetType, each.id))?.owners ?? []), ...each.owners],
        })),
      }),
    ),
  },
  "update-drops-other-fields": {
    breaks: "an update of one field drops the others",
    sentence: "PATCH /asset: updates assets",
    flaw: (rules) => ({
      ...rules,
      writes: { ...rules.writes, "ledger.asset.update": rules.writes["ledger.asset.put"] ?? (() => {}) },
    }),
  },
  "deleted-still-there": {
    breaks: "a deleted asset can still be read",
    sentence: "DELETE /asset: body {assetType, id: string or array of strings}",
    flaw: without("ledger.asset.delete", "delete", "asset"),
  },
  "created-twice": {
    breaks: "an asset whose id exists is created again",
    sentence: "Asset create: asset already exists (POST only; PUT does not list it)",
    flaw: ignoring("ledger.asset.create", "asset already exists"),
  },
  "history-forgets": {
    breaks: "the history lacks the last change",
    sentence: "count is the number of historical entries",
    flaw: reading("ledger.asset.history", (history: { readonly count: number; readonly records: readonly unknown[] }) =>
      history.count < 2 ? history : { ...history, count: history.count - 1, records: history.records.slice(0, -1) },
    ),
  },
  "operator-not-revoked": {
    breaks: "an operator for all tokens cannot be revoked",
    sentence: "POST /setApprovalForAll: {approved boolean (approve or revoke), operator: Entity}",
    flaw: doing("ledger.erc1155.setApprovalForAll", (body: object) => ({ ...body, approved: true })),
  },
  "burnt-unit-minted-again": {
    breaks: "a unit that was burnt is minted again",
    sentence: "Token mint: token already exists",
    flaw: without("ledger.token.mint", "get", "nft"),
  },
  "not-transferable-moved": {
    breaks: "a token that is not transferable is moved",
    sentence: "behaviour: {…, transferable boolean, …}",
    flaw: seeing(TRANSFERS, "token", ({ behaviour }) => ({ behaviour: { ...behaviour, transferable: true } })),
  },
  "not-burnable-burnt": {
    breaks: "a token that is not burnable is burnt",
    sentence: "behaviour: {…, burnable boolean, …}",
    flaw: seeing("ledger.token.burn", "token", ({ behaviour }) => ({ behaviour: { ...behaviour, burnable: true } })),
  },
  "burn-keeps-supply": {
    breaks: "a burn leaves the supply as it was",
    sentence: "totalSupply, totalMintedAmount: number",
    flaw: reading("ledger.token.get", (token: StoredToken) => ({ ...token, totalSupply: token.totalMintedAmount })),
  },
  "transactions-hide-burns": {
    breaks: "the transactions of a token lack its burns",
    sentence: "POST /token/transaction/all: array of Token transaction",
    flaw: reading("ledger.transaction.list", (transactions: readonly { readonly type: string }[]) =>
      transactions.filter(({ type }) => type !== "BURN"),
    ),
  },
  "stale-token": {
    breaks: "a token is read as it was a second ago",
    sentence: "the call waits until the transaction is committed on the ledger and then returns the transaction id",
    flaw: (rules) => {
      const cache = new Map<string, { readonly at: number; readonly answer: unknown }>();
      return reading("ledger.token.get", (answer: object, { params }) => {
        const id = String(params["id"]);
        const known = cache.get(id);
        if (known !== undefined && Date.now() - known.at < 1_000) return known.answer;
        cache.set(id, { at: Date.now(), answer });
        return answer;
      })(rules);
    },
  },
};

function oneMore(cap: Decimal): Decimal {
  return cap.isZero() ? cap : cap.plus(Decimal.of(1));
}

function rounded(amount: Decimal): Decimal {
  return Decimal.fromJsonSource(String(amount.approximate()));
}
