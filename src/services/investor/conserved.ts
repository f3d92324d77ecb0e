import type { Decimal } from "../../base/numbers/decimal.ts";
import type { JsonObject } from "../../base/json/json.ts";
import {
  type Conserved,
  type ConservedReads,
  type ConservedRow,
  counted,
  left,
  notBelowZero,
  numberIn,
  ONE,
  once,
  recordIn,
  recordOf,
  recordsIn,
  right,
  textIn,
  Uncounted,
  within,
  ZERO,
} from "../conserved.ts";

/** A sale has sold exactly what was bought, and no more than was on sale. */
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
      (answer) => purchases.rows(caller, recordsIn(recordIn(answer)["transactions"] ?? [])),
      caller,
    );
  }
}

/** What is known of a purchase, and which caller listed it last. */
interface KnownPurchase {
  readonly bought: Decimal;
  readonly caller: number;
  /** How often this caller has listed the purchase. */
  readonly times: number;
}

/** The purchases of one sale. Each counts once, even if several callers list it. A purchase that one caller lists twice is a difference. */
class Purchases {
  readonly #sale: string;
  readonly #known = new Map<string, KnownPurchase>();

  constructor(sale: string) {
    this.#sale = sale;
  }

  rows(caller: number, transactions: readonly JsonObject[]): readonly ConservedRow[] {
    return transactions.filter((transaction) => !isPayout(transaction)).flatMap((purchase) => this.#row(caller, purchase));
  }

  #row(caller: number, purchase: JsonObject): readonly ConservedRow[] {
    return counted("transaction", purchase, () => {
      if (textIn(purchase, "tokenSaleId") !== this.#sale) return [];
      const [id, bought] = [textIn(purchase, "id"), numberIn(purchase, "tokenCount")];
      const known = this.#known.get(id);
      if (known?.bought.equals(bought) === false) throw new Uncounted(`it is listed twice, of ${known.bought} and of ${bought}`);
      const times = known?.caller === caller ? known.times + 1 : 1;
      this.#known.set(id, { bought, caller, times });
      if (known === undefined)
        return [
          right([this.#sale, "purchases"], bought, purchase),
          ...notBelowZero([this.#sale, `purchase ${id}`], bought, purchase),
        ];
      const key = [this.#sale, `purchase ${id}, times listed`];
      return times > 2 ? [left(key, ONE, purchase)] : once(key, times, purchase); // each further listing adds to the first two
    });
  }
}

/** Returns whether a user's transaction is a payout. A payout names the sale that it pays for. */
export function isPayout({ payoutId = null, type = null }: JsonObject): boolean {
  return (payoutId !== null && payoutId !== "") || (typeof type === "string" && type.toUpperCase() === "PAYOUT");
}

function saleRows(id: string, sale: JsonObject): readonly ConservedRow[] {
  const sold = numberIn(sale, "totalSoldTokens");
  return [
    left([id, "purchases"], sold, sale),
    right([id, "purchases"], ZERO, null), // a sale without buyers has sold nothing
    ...within([id, "sold, at most what is on sale"], { value: sold, most: numberIn(sale, "tokenCountOnSale"), record: sale }),
  ];
}
