import type { Enveloped, InvestorCall } from "./call.ts";
import { updateKyc } from "./identity.ts";
import { saleSchedule, tokenSchedule } from "./payouts.ts";
import { contractAddresses, heldTokens, tokenTransactions, userTransactions } from "./portfolio.ts";
import { buyTokens, getSale, listSales } from "./sales.ts";

/** Returns the answer, or refuses. A write changes the store. */
type InvestorOperation = (call: InvestorCall<unknown>) => Enveloped;

// Every body was already checked against the contract's schema.
function operation<Body>(run: (call: InvestorCall<Body>) => Enveloped): InvestorOperation {
  return (call) => run(call as InvestorCall<Body>);
}

/** The reads of the investor interface, by operation. */
export const INVESTOR_READS: Readonly<Record<string, InvestorOperation>> = {
  "investor.sales.list": operation(listSales),
  "investor.sales.get": operation(getSale),
  "investor.portfolio.tokens": operation(heldTokens),
  "investor.portfolio.tokenTransactions": operation(tokenTransactions),
  "investor.portfolio.transactions": operation(userTransactions),
  "investor.payouts.saleSchedule": operation(saleSchedule),
  "investor.payouts.tokenSchedule": operation(tokenSchedule),
  "investor.config.contractAddresses": operation(contractAddresses),
};

/** The writes of the investor interface, by operation. */
export const INVESTOR_WRITES: Readonly<Record<string, InvestorOperation>> = {
  "investor.sales.buy": operation(buyTokens),
  "investor.identity.updateKyc": operation(updateKyc),
};
