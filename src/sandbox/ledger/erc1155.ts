import { Decimal } from "../../base/numbers/decimal.ts";
import { compoundKey } from "../ids.ts";
import { demand, found } from "../refusal.ts";
import type { StoredEntity, BalanceMovement, StoredToken } from "../store/ledger-resources.ts";
import { findAccount, isOperator, isOperatorForAll } from "./accounts.ts";
import type { LedgerCall, Commit } from "./call.ts";
import { demandEntities, demandNamed, entityKey, standsFor } from "./entity.ts";
import { move, recordTransaction } from "./movements.ts";
import { demandAmount, holdsRole, isNonFungible, theToken } from "./tokens.ts";

const ONE = Decimal.of(1);

interface BalanceQuery {
  readonly id: string;
  readonly owner: StoredEntity;
}

interface Parties {
  readonly from: StoredEntity;
  readonly to: StoredEntity;
}

/** POST /token/erc1155/balanceOf: the caller may only ask for an entity of another organization if it holds the token. */
export function balanceOf(call: LedgerCall<BalanceQuery>): object {
  const { id, owner } = call.body;
  if (findAccount(call, { tokenId: id, entity: owner }) === undefined)
    demandEntities([owner], call.settings.orgId, "access denied");
  return balance(call, call.body);
}

/** POST /token/erc1155/balanceOfBatch: the arrays are read in pairs. */
export function balanceOfBatch(
  call: LedgerCall<{ readonly ids: readonly string[]; readonly owners: readonly StoredEntity[] }>,
): readonly object[] {
  const { ids, owners } = call.body;
  demand(ids.length === owners.length, "invalid parameters", "ids and owners differ in length");
  demandNamed(owners);
  return owners.map((owner, at) => balance(call, { id: ids[at] ?? "", owner }));
}

/** POST /token/erc1155/setApprovalForAll */
export function setApprovalForAll(commit: Commit<{ readonly approved: boolean; readonly operator: StoredEntity }>): void {
  const { approved, operator } = commit.body;
  demandEntities([operator], commit.settings.orgId, "invalid access id or caller");
  const owner = entityKey(commit.actor);
  commit.world.put("operatorApproval", { id: compoundKey(owner, entityKey(operator)), scope: owner }, { operator, approved });
}

/** POST /token/erc1155/isApprovedForAll: the service answers with a text. */
export function isApprovedForAll(call: LedgerCall<{ readonly owner: StoredEntity; readonly operator: StoredEntity }>): object {
  const { owner, operator } = call.body;
  demandEntities([owner, operator], call.settings.orgId, "invalid access id or caller");
  return { approved: String(isOperatorForAll(call, owner, operator)) };
}

/** POST /token/erc1155/safeTransferFrom */
export function safeTransferFrom(
  commit: Commit<Parties & { readonly id: string; readonly value?: Decimal; readonly data?: { readonly assetId?: string } }>,
): void {
  const { id, value, data } = commit.body;
  recordTransaction(commit, "TRANSFER", [
    transfer(commit, commit.body, { token: theToken(commit, id), value, nftId: data?.assetId }),
  ]);
}

/** POST /token/erc1155/safeBatchTransferFrom: transfers all or nothing. The asset ids belong to the non-fungible tokens, in order. */
export function safeBatchTransferFrom(
  commit: Commit<
    Parties & {
      readonly ids: readonly string[];
      readonly values?: readonly Decimal[];
      readonly data?: { readonly assetIds?: readonly string[] };
    }
  >,
): void {
  const { ids, values, data } = commit.body;
  const tokens = ids.map((id) => theToken(commit, id));
  const units = [...(data?.assetIds ?? [])];
  demand(values === undefined || values.length === ids.length, "invalid parameters", "ids and values differ in length");
  demand(
    units.length === tokens.filter(isNonFungible).length,
    "invalid parameters",
    "assetIds do not match the non-fungible tokens",
  );
  const movements = tokens.map((token, at) =>
    transfer(commit, commit.body, { token, value: values?.[at], nftId: isNonFungible(token) ? units.shift() : undefined }),
  );
  recordTransaction(commit, "TRANSFER", movements);
}

interface TransferWish {
  readonly token: StoredToken;
  readonly value: Decimal | undefined;
  readonly nftId: string | undefined;
}

function transfer(commit: Commit<unknown>, { from, to }: Parties, { token, value, nftId }: TransferWish): BalanceMovement {
  demandEntities([from], commit.settings.orgId);
  demandNamed([to]);
  demandMover(commit, token, from);
  demand(token.behaviour.transferable !== false, "token not transferable", `the token ${token.id} is not transferable`);
  if (isNonFungible(token)) {
    demand(value === undefined || value.equals(ONE), "invalid parameters", "a non-fungible token moves with the value 1");
    const unit = found(nftId, "invalid parameters", `${token.id} is non-fungible and needs the asset id`);
    return move(commit, { tokenId: token.id, from, to }, { amount: ONE, nftId: unit });
  }
  demand(nftId === undefined, "invalid parameters", `${token.id} is fungible and takes no assetId`);
  demandAmount(token, value);
  demand(value.compare(token.totalSupply) <= 0, "invalid parameters", `${value} is more than the supply of ${token.id}`);
  return move(commit, { tokenId: token.id, from, to }, { amount: value });
}

function demandMover(commit: Commit<unknown>, token: StoredToken, holder: StoredEntity): void {
  const { actor } = commit;
  const may =
    standsFor(holder, actor) || holdsRole(token, actor, "transfer") || isOperator(commit, { tokenId: token.id, entity: holder });
  demand(may, "unauthorized caller", `the caller may not move ${token.id} of ${JSON.stringify(holder)}`);
}

function balance(call: LedgerCall<unknown>, { id, owner }: BalanceQuery): object {
  const account = findAccount(call, { tokenId: id, entity: owner });
  const { balance: held } = found(
    account,
    "account and token pairing does not exist",
    `${JSON.stringify(owner)} has no account of ${id}`,
  );
  return { owner, balance: held };
}
