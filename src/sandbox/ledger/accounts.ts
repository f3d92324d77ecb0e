import { Decimal } from "../../base/numbers/decimal.ts";
import { compoundKey, digest } from "../ids.ts";
import { demand, found } from "../refusal.ts";
import type { StoredAccount, StoredEntity } from "../store/ledger-resources.ts";
import { textParam } from "../params.ts";
import { updated, type LedgerCall, type Commit } from "./call.ts";
import { demandEntities, distinctEntities, entityKey, isAmong, sameEntity } from "./entity.ts";
import { theToken } from "./tokens.ts";

/** A quantity that moves: an amount, and the unit of a non-fungible token. */
export interface MovedQuantity {
  /** The amount; 1 for a unit of a non-fungible token. */
  readonly amount: Decimal;
  /** The id of the unit; left out for a fungible token. */
  readonly nftId?: string;
}

/** The account of a balance. */
export interface BalanceKey {
  readonly tokenId: string;
  /** The holder. */
  readonly entity: StoredEntity;
}

/** Returns the account of an entity for a token, if anything has ever moved there. */
export function findAccount(call: LedgerCall<unknown>, place: BalanceKey): StoredAccount | undefined {
  return call.world.get("account", accountId(place));
}

/** Adds to an account, and opens it if there is none. */
export function credit(commit: Commit<unknown>, place: BalanceKey, { amount, nftId }: MovedQuantity): void {
  const account = findAccount(commit, place) ?? emptyAccount(commit, place);
  const nftIds = nftId === undefined ? account.nftIds : [...account.nftIds, nftId];
  save(commit, { ...account, balance: account.balance.plus(amount), nftIds });
}

/** Subtracts from an account. Refuses if the account holds less, or does not hold the unit. */
export function debit(commit: Commit<unknown>, place: BalanceKey, { amount, nftId }: MovedQuantity): void {
  const account = found(
    findAccount(commit, place),
    "account not found",
    `${JSON.stringify(place.entity)} holds no ${place.tokenId}`,
  );
  const holdsUnit = nftId === undefined || account.nftIds.includes(nftId);
  demand(holdsUnit, "invalid asset id", `the account ${account.id} does not hold ${nftId}`);
  demand(
    account.balance.compare(amount) >= 0,
    "balance too low",
    `the account ${account.id} holds ${account.balance}, not ${amount}`,
  );
  save(commit, { ...account, balance: account.balance.minus(amount), nftIds: account.nftIds.filter((id) => id !== nftId) });
}

/** PATCH /token/approval: allows operators to manage the caller's units of the listed tokens, or revokes this. */
export function setTokenApprovals(
  commit: Commit<
    readonly { readonly tokenIds: readonly string[]; readonly operators: readonly StoredEntity[]; readonly approved: boolean }[]
  >,
): void {
  for (const { tokenIds, operators: given, approved } of commit.body) {
    demandEntities(given, commit.settings.orgId);
    const operators = distinctEntities(given);
    for (const tokenId of tokenIds) {
      theToken(commit, tokenId, "invalid or nonexistent token");
      const place = { tokenId, entity: commit.actor };
      const account = findAccount(commit, place) ?? emptyAccount(commit, place);
      const others = account.approvedEntities.filter((each) => !operators.some((operator) => sameEntity(each, operator)));
      save(commit, { ...account, approvedEntities: approved ? [...others, ...operators] : others });
    }
  }
}

/** Returns whether the actor may move this holder's units of the token, or all tokens of the holder. */
export function isOperator(call: LedgerCall<unknown>, { tokenId, entity }: BalanceKey): boolean {
  const approved = findAccount(call, { tokenId, entity })?.approvedEntities ?? [];
  return isAmong(approved, call.actor) || isOperatorForAll(call, entity, call.actor);
}

/** Returns whether the operator may manage all tokens of the owner. */
export function isOperatorForAll(call: LedgerCall<unknown>, owner: StoredEntity, operator: StoredEntity): boolean {
  const approvals = call.world.list("operatorApproval", entityKey(owner)).filter(({ approved }) => approved);
  return isAmong(
    approvals.map((approval) => approval.operator),
    operator,
  );
}

/** GET /token/account */
export function getAccount(call: LedgerCall): StoredAccount {
  const id = textParam(call, "id");
  return found(call.world.get("account", id), "account not found", `there is no account ${id}`);
}

/** POST /token/account/all */
export function listAccounts(call: LedgerCall<readonly { readonly tokenId: string }[]>): readonly StoredAccount[] {
  return call.body.flatMap(({ tokenId }) => call.world.list("account", theToken(call, tokenId).id));
}

function accountId({ tokenId, entity }: BalanceKey): string {
  return `account~${digest(compoundKey(tokenId, entityKey(entity)))}`;
}

function emptyAccount(commit: Commit<unknown>, place: BalanceKey): StoredAccount {
  const { tokenId, entity } = place;
  return {
    id: accountId(place),
    docType: "account",
    entity,
    tokenId,
    balance: Decimal.of(0),
    approvedEntities: [],
    nftIds: [],
    owners: [entity],
    createdAt: null,
    createdBy: commit.actor,
    ...updated(commit),
  };
}

function save(commit: Commit<unknown>, account: StoredAccount): void {
  commit.world.put("account", { id: account.id, scope: account.tokenId }, { ...account, ...updated(commit) });
}
