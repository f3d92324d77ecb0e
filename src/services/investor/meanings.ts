import { field } from "../../base/json/parts.ts";
import { absolute, type MeaningsOf, READ, readAbout } from "../meaning.ts";
import { sets, undoneByNothing, settersOf } from "../sets.ts";
import { bought, doubtOfPurchase, kycUpdated } from "./probes.ts";

const { changes } = settersOf<"identity">();

/** A.1 to A.4: the investor interface. */
export const meanings: MeaningsOf<"investor."> = {
  "investor.sales.list": READ,
  "investor.sales.buy": {
    effect: "additive",
    yields: {
      transactionId: {
        type: "string",
        id: "purchase",
        description: "the transaction id of the purchase",
        from: ({ payload }) => field(field(payload, "result"), "transactionId"),
      },
    },
    readBack: "the user's transactions before and after, on all pages, and the portfolio's token count",
    probe: bought,
    doubt: doubtOfPurchase,
    sets: undoneByNothing("a purchase adds to what the user holds, and no operation takes one back"),
  },
  "investor.sales.get": READ,
  "investor.portfolio.tokens": READ,
  "investor.portfolio.tokenTransactions": readAbout("tokenId"),
  "investor.portfolio.transactions": READ,
  "investor.payouts.saleSchedule": READ,
  "investor.payouts.tokenSchedule": READ,
  "investor.identity.updateKyc": absolute("nothing: it cannot be read back", kycUpdated, sets(changes("identity"))),
  "investor.config.contractAddresses": READ,
};
