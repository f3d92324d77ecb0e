import { Decimal, sum } from "../../base/numbers/decimal.ts";
import { invariant } from "../../base/failure.ts";
import { compoundKey } from "../ids.ts";
import { demand, found } from "../refusal.ts";
import type { BalanceMovement, StoredEntity, StoredTransaction } from "../store/ledger-resources.ts";
import type { World } from "../store/world.ts";
import { credit, debit, type BalanceKey, type MovedQuantity } from "./accounts.ts";
import { textParam } from "../params.ts";
import { created, type LedgerCall, type Commit } from "./call.ts";
import { changeToken, isNonFungible, theToken } from "./tokens.ts";

type MovementRoute = Pick<BalanceMovement, "tokenId" | "to">;

/** Mints to one account. Refuses to exceed the token's cap; a cap of 0 means no cap. */
export function issue(commit: Commit<unknown>, place: BalanceKey, quantity: MovedQuantity): BalanceMovement {
  const { tokenId, entity: to } = place;
  const token = theToken(commit, tokenId);
  const totalMintedAmount = token.totalMintedAmount.plus(quantity.amount);
  const cap = token.behaviour.maxMintQuantity;
  const withinCap = cap === undefined || cap.isZero() || totalMintedAmount.compare(cap) <= 0;
  demand(
    withinCap || commit.dialect.accepts.includes("over-mint"),
    "mint quantity exceeded",
    `${totalMintedAmount} minted would exceed the ${cap} of the token ${tokenId}`,
  );
  changeToken(commit, token, { totalMintedAmount, totalSupply: token.totalSupply.plus(quantity.amount) });
  credit(commit, place, quantity);
  return movement(commit, { tokenId, to }, quantity);
}

/** Burns from one account if the token is burnable. */
export function destroy(commit: Commit<unknown>, place: BalanceKey, quantity: MovedQuantity): BalanceMovement {
  const { tokenId } = place;
  const token = theToken(commit, tokenId);
  demand(token.behaviour.burnable !== false, "token not burnable", `the token ${tokenId} is not burnable`);
  debit(commit, place, quantity);
  changeToken(commit, token, {
    burntAmount: token.burntAmount.plus(quantity.amount),
    totalSupply: token.totalSupply.minus(quantity.amount),
  });
  return movement(commit, { tokenId }, quantity);
}

interface StoredMove {
  readonly tokenId: string;
  readonly from: StoredEntity;
  readonly to: StoredEntity;
}

/** Moves from one entity to another. The record only names the receiver, because the description has no field for the sender. */
export function move(commit: Commit<unknown>, { tokenId, from, to }: StoredMove, quantity: MovedQuantity): BalanceMovement {
  debit(commit, { tokenId, entity: from }, quantity);
  credit(commit, { tokenId, entity: to }, quantity);
  return movement(commit, { tokenId, to }, quantity);
}

/** Records the movements of this commit as one token transaction, and asserts that the totals of every token are consistent. */
export function recordTransaction(
  commit: Commit<unknown>,
  type: StoredTransaction["type"],
  movements: readonly BalanceMovement[],
): void {
  if (movements.length === 0) return;
  const id = commit.transactionId;
  const transaction: StoredTransaction = {
    docType: "tkntx",
    id,
    type,
    transactionDetails: movements,
    owners: [commit.actor],
    ...created(commit),
  };
  commit.world.put("tokenTransaction", { id }, transaction);
  for (const tokenId of new Set(movements.map((each) => each.tokenId))) {
    commit.world.put("tokenTransactionOf", { id: compoundKey(tokenId, id), scope: tokenId }, { id });
    assertConserved(commit.world, tokenId);
  }
}

/** GET /token/transaction */
export function getTransaction(call: LedgerCall): StoredTransaction {
  return theTransaction(call, textParam(call, "id"));
}

/** POST /token/transaction/all */
export function listTransactions(call: LedgerCall<readonly { readonly tokenId: string }[]>): readonly StoredTransaction[] {
  const ids = call.body.flatMap(({ tokenId }) => call.world.list("tokenTransactionOf", theToken(call, tokenId).id));
  return [...new Set(ids.map(({ id }) => id))].map((id) => theTransaction(call, id));
}

function theTransaction(call: LedgerCall<unknown>, id: string): StoredTransaction {
  return found(call.world.get("tokenTransaction", id), "token transaction not found", `there is no token transaction ${id}`);
}

function movement(commit: Commit<unknown>, route: MovementRoute, { amount, nftId }: MovedQuantity): BalanceMovement {
  const owners = route.to === undefined ? [] : [route.to];
  const data = nftId === undefined ? {} : { data: { id: nftId, ledgerMetadata: { owners } } };
  return { ...route, amount, ...data, timestampUnix: Decimal.of(Math.floor(commit.now / 1_000)) };
}

/** Asserts that the accounts of a token add up to its supply, and that the supply is what was minted minus what was burnt. */
export function assertConserved(world: World, tokenId: string): void {
  const token = world.get("token", tokenId);
  invariant(token, `the token ${tokenId} moved and is not there`);
  const held = sum(world.numerals("account", tokenId, "balance").map((numeral) => Decimal.fromJsonSource(numeral)));
  const { totalSupply, totalMintedAmount, burntAmount } = token;
  invariant(totalSupply.equals(held), `${tokenId}: the accounts hold ${held} of a supply of ${totalSupply}`);
  invariant(totalSupply.equals(totalMintedAmount.minus(burntAmount)), `${tokenId}: minted less burnt is not the supply`);
  invariant(!isNonFungible(token) || totalSupply.isInteger(), `${tokenId}: a fraction of a unit`);
}
