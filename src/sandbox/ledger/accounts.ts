import { Decimal } from "../../base/decimal.ts";
import { compoundKey, digest } from "../ids.ts";
import { demand, found } from "../refusal.ts";
import type { Account, Entity } from "../store/ledger-resources.ts";
import { textParam, updated, type Call, type Commit } from "./call.ts";
import { demandEntities, distinctEntities, entityKey, isAmong, sameEntity } from "./entity.ts";
import { theToken } from "./tokens.ts";

/** What moves: an amount, and for a non-fungible token the unit. */
export interface Quantity {
  readonly amount: Decimal;
  readonly nftId?: string;
}

/** Where a balance changes. */
export interface Place {
  readonly tokenId: string;
  readonly entity: Entity;
}

/** The account of an entity for a token, once anything has moved there. */
export function findAccount(call: Call<unknown>, place: Place): Account | undefined {
  return call.world.get("account", accountId(place));
}

/** Adds to an account; opens it when there is none. */
export function credit(commit: Commit<unknown>, place: Place, { amount, nftId }: Quantity): void {
  const account = findAccount(commit, place) ?? emptyAccount(commit, place);
  const nftIds = nftId === undefined ? account.nftIds : [...account.nftIds, nftId];
  save(commit, { ...account, balance: account.balance.plus(amount), nftIds });
}

/** Takes from an account; refuses when it holds less, or not the unit. */
export function debit(commit: Commit<unknown>, place: Place, { amount, nftId }: Quantity): void {
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

/** PATCH /token/approval: the operators may, or may no longer, manage the caller's units of the listed tokens. */
export function setTokenApprovals(
  commit: Commit<
    readonly { readonly tokenIds: readonly string[]; readonly operators: readonly Entity[]; readonly approved: boolean }[]
  >,
): void {
  for (const { tokenIds, operators: given, approved } of commit.body) {
    demandEntities(given, commit.orgId);
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

/** Whether the actor was approved to move this holder's units of the token, or all tokens of the holder. */
export function isOperator(call: Call<unknown>, { tokenId, entity }: Place): boolean {
  const approved = findAccount(call, { tokenId, entity })?.approvedEntities ?? [];
  return isAmong(approved, call.actor) || isOperatorForAll(call, entity, call.actor);
}

/** Whether the operator may manage all tokens of the owner. */
export function isOperatorForAll(call: Call<unknown>, owner: Entity, operator: Entity): boolean {
  const approvals = call.world.list("operatorApproval", entityKey(owner)).filter(({ approved }) => approved);
  return isAmong(
    approvals.map((approval) => approval.operator),
    operator,
  );
}

/** GET /token/account */
export function getAccount(call: Call): Account {
  const id = textParam(call, "id");
  return found(call.world.get("account", id), "account not found", `there is no account ${id}`);
}

/** POST /token/account/all */
export function listAccounts(call: Call<readonly { readonly tokenId: string }[]>): readonly Account[] {
  return call.body.flatMap(({ tokenId }) => call.world.list("account", theToken(call, tokenId).id));
}

function accountId({ tokenId, entity }: Place): string {
  return `account~${digest(compoundKey(tokenId, entityKey(entity)))}`;
}

function emptyAccount(commit: Commit<unknown>, place: Place): Account {
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

function save(commit: Commit<unknown>, account: Account): void {
  commit.world.put("account", { id: account.id, scope: account.tokenId }, { ...account, ...updated(commit) });
}
