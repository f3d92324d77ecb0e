import type { Decimal } from "../../base/decimal.ts";
import type { JsonObject } from "../../base/json.ts";
import {
  type Conserved,
  type ConservedReads,
  type ConservedRow,
  counted,
  left,
  numberIn,
  recordIn,
  recordOf,
  recordsIn,
  right,
  textIn,
  Uncounted,
  within,
  ZERO,
} from "../conserved.ts";

/** A sale has sold what was bought, and no more than was on sale. */
export const saleConserved: Conserved = {
  law: "A sale: sold = purchases of those in `as`.",
  sides: { left: "the sale", right: "its purchases" },
  key: ["sale", "rule"],
  reads: ["investor.sales.get", "investor.portfolio.transactions"],
  seenByOwners: true,
  pages: salePages,
};

async function* salePages<Page>(id: string, reads: ConservedReads<Page>): AsyncGenerator<Page, void> {
  yield* reads.read("investor.sales.get", { tokenSaleId: id }, (answer) =>
    saleRows(id, recordOf(id, recordIn(answer)["sale"] ?? null)),
  );
  const purchases = new Purchases(id);
  for (let caller = 0; caller < reads.callers; caller++) {
    yield* reads.read(
      "investor.portfolio.transactions",
      {},
      (answer) => purchases.rows(recordsIn(recordIn(answer)["transactions"] ?? [])),
      caller,
    );
  }
}

/** The purchases of one sale, each counted once although several callers may list it. */
class Purchases {
  readonly #sale: string;
  readonly #known = new Map<string, Decimal>();

  constructor(sale: string) {
    this.#sale = sale;
  }

  rows(transactions: readonly JsonObject[]): readonly ConservedRow[] {
    return transactions.filter((transaction) => !isPayout(transaction)).flatMap((purchase) => this.#row(purchase));
  }

  #row(purchase: JsonObject): readonly ConservedRow[] {
    return counted("transaction", purchase, () => {
      if (textIn(purchase, "tokenSaleId") !== this.#sale) return [];
      const [id, bought] = [textIn(purchase, "id"), numberIn(purchase, "tokenCount")];
      const known = this.#known.get(id);
      if (known?.equals(bought) === false) throw new Uncounted(`it is listed twice, of ${known} and of ${bought}`);
      if (known !== undefined) return [];
      this.#known.set(id, bought);
      return [right([this.#sale, "purchases"], bought, purchase)];
    });
  }
}

function isPayout({ payoutId = null, type = null }: JsonObject): boolean {
  return (payoutId !== null && payoutId !== "") || (typeof type === "string" && type.toUpperCase() === "PAYOUT");
}

function saleRows(id: string, sale: JsonObject): readonly ConservedRow[] {
  const sold = numberIn(sale, "totalSoldTokens");
  return [
    left([id, "purchases"], sold, sale),
    right([id, "purchases"], ZERO, null), // a sale without buyers has sold nothing
    ...within([id, "on sale"], { value: sold, most: numberIn(sale, "tokenCountOnSale"), record: sale }),
  ];
}
