import { Decimal, sum } from "../base/numbers/decimal.ts";
import { isObject, type Json, type JsonObject } from "../base/json/json.ts";
import { number, recordsIn } from "../base/json/parts.ts";

/** What the service shows about one token, without a write between the reads. */
interface TokenReadings {
  /** The token, from `ledger.token.get`. */
  readonly token: Json;
  /** Its accounts, from `ledger.account.list`. */
  readonly accounts: Json;
  /** Its transactions, from `ledger.transaction.list`. */
  readonly transactions: Json;
}

const ZERO = Decimal.of(0);

/** Describes what does not add up. This needs no reference, so it also finds mistakes in the reference. */
export function imbalanceOf({ token, accounts, transactions }: TokenReadings): string | undefined {
  if (!isObject(token)) return undefined;
  const [supply, minted] = [amountOf(token, "totalSupply"), amountOf(token, "totalMintedAmount")];
  const held = sum(recordsIn(accounts).map((account) => amountOf(account, "balance")));
  const movements = recordsIn(transactions).flatMap(({ type, transactionDetails }) =>
    recordsIn(transactionDetails)
      .filter((each) => each["tokenId"] === token["id"])
      .map((each) => ({ type, amount: amountOf(each, "amount") })),
  );
  const total = (wanted: string): Decimal => sum(movements.filter(({ type }) => type === wanted).map(({ amount }) => amount));
  if (!supply.equals(held)) return `its supply is ${supply}, and its accounts hold ${held}`;
  if (!supply.equals(total("MINT").minus(total("BURN"))))
    return `its supply is ${supply}, and its transactions add up to something else`;
  if (!minted.equals(total("MINT"))) return `${minted} is counted as minted, and its transactions mint ${total("MINT")}`;
  return undefined;
}

function amountOf(row: JsonObject, field: string): Decimal {
  return number(row[field]) ?? ZERO;
}
