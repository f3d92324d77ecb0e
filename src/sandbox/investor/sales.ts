import { isoTime } from "../../base/time/date.ts";
import { Decimal, sum } from "../../base/numbers/decimal.ts";
import { invariant } from "../../base/failure.ts";
import { demandWritable } from "../digits.ts";
import { demand, found } from "../refusal.ts";
import type { InvestorToken, Purchase, Sale } from "../store/investor-resources.ts";
import type { World } from "../store/world.ts";
import { numberParam, textParam } from "../params.ts";
import { paginate, type Enveloped, type InvestorCall } from "./call.ts";
import { percentage } from "./share.ts";

const ALL = Decimal.of(0);

/** The state of a sale at a moment. */
type SalePhase = "active" | "upcoming" | "ended";

// The service's filter values. 0 means all.
const PHASE_OF_STATUS: Readonly<Record<string, SalePhase>> = { "1": "active", "2": "upcoming", "3": "ended" };
const INVESTMENT_OF_FILTER: Readonly<Record<string, InvestorToken["investment"]>> = { "1": "equity", "2": "debt" };

type SaleOffer = { readonly sale: Sale; readonly token: InvestorToken };
type SaleOrder = (left: SaleOffer, right: SaleOffer) => number;

const ORDERS: Readonly<Record<string, SaleOrder>> = {
  "price|l-h": (left, right) => left.token.price.compare(right.token.price),
  "price|h-l": (left, right) => right.token.price.compare(left.token.price),
  "return|h-l": (left, right) => right.sale.expectedReturns.compare(left.sale.expectedReturns),
};

/** GET /token-sales: the pagination is inside the response. */
export function listSales(call: InvestorCall): Enveloped {
  const offers = call.world.list("sale").map((sale) => ({ sale, token: theInvestorToken(call.world, sale.tokenId) }));
  const wanted = offers.filter((offer) => isWanted(call, offer));
  const order = ORDERS[textParam(call, "sort")];
  const { items, pagination } = paginate(call, order === undefined ? wanted : wanted.toSorted(order));
  return { response: { sales: items.map(shown), pagination } };
}

/** GET /token-sales/{tokenSaleId} */
export function getSale(call: InvestorCall): Enveloped {
  const sale = theSale(call.world, textParam(call, "tokenSaleId"));
  return { response: { sale: shown({ sale, token: theInvestorToken(call.world, sale.tokenId) }) } };
}

interface Buying {
  readonly tokenSaleId: string;
  readonly userAddress: string;
  readonly amount: Decimal;
}

/** POST /token-sales/buy: the user owns the tokens at once. */
export function buyTokens(call: InvestorCall<Buying>): Enveloped {
  const { tokenSaleId, userAddress, amount } = call.body;
  const sale = theSale(call.world, tokenSaleId);
  demand(amount.compare(ALL) > 0, "invalid parameters", "the amount must be positive");
  demandWritable(amount);
  demandOnSale(call, sale, amount);
  demandBuyer(call, sale, amount);
  const updatedAt = isoTime(call.now);
  const purchase: Purchase = {
    id: call.transactionId,
    userId: call.investor.userId,
    saleId: sale.id,
    tokenId: sale.tokenId,
    amount,
    userAddress,
    at: updatedAt,
  };
  call.world.put("purchase", { id: purchase.id, scope: purchase.userId }, purchase);
  call.world.put(
    "sale",
    { id: sale.id, scope: sale.tokenId },
    { ...sale, totalSoldTokens: sale.totalSoldTokens.plus(amount), updatedAt },
  );
  assertWithinSale(call.world, sale.id);
  return { response: { result: { transactionId: purchase.id, tokenSaleId, amount, userAddress, status: "SUCCESS" } } };
}

/** Returns the purchases of the user, the oldest first. */
export function purchasesOf(call: InvestorCall<unknown>): readonly Purchase[] {
  return call.world.list("purchase", call.investor.userId);
}

/** Returns the token, or refuses if there is none. */
export function theInvestorToken(world: World, id: string): InvestorToken {
  return found(world.get("investorToken", id), "investor token not found", `there is no token ${id}`);
}

/** Returns the sale, or refuses if there is none. */
export function theSale(world: World, id: string): Sale {
  return found(world.get("sale", id), "sale not found", `there is no sale ${id}`);
}

function demandOnSale(call: InvestorCall<unknown>, sale: Sale, amount: Decimal): void {
  const phase = phaseOf(sale, call.now);
  demand(phase === "active", "sale not active", `the sale ${sale.id} is ${phase}`);
  const left = sale.tokenCountOnSale.minus(sale.totalSoldTokens);
  demand(amount.compare(left) <= 0, "not enough tokens left", `the sale ${sale.id} has ${left} tokens left`);
}

function demandBuyer(call: InvestorCall<unknown>, sale: Sale, amount: Decimal): void {
  const { kyc, userId, accredited = false } = call.investor;
  const country = found(kyc, "KYC missing", `the user ${userId} has no identity record`).country;
  demand(!sale.excludedCountries.includes(country), "country excluded", `the sale ${sale.id} excludes the country ${country}`);
  const isAccredited = accredited || sale.requiresAccreditation !== true;
  demand(isAccredited, "accreditation missing", `the sale ${sale.id} is for accredited investors, and ${userId} is none`);
  const bought = purchasesOf(call).filter(({ saleId }) => saleId === sale.id);
  const total = sum([amount, ...bought.map((purchase) => purchase.amount)]);
  const { maximumPerUser: maximum } = sale;
  demand(
    maximum === undefined || total.compare(maximum) <= 0,
    "user maximum exceeded",
    `a user may buy ${maximum} of the sale ${sale.id}`,
  );
}

function assertWithinSale(world: World, id: string): void {
  const { totalSoldTokens, tokenCountOnSale } = theSale(world, id);
  invariant(totalSoldTokens.compare(tokenCountOnSale) <= 0, `the sale ${id} has sold more than it had`);
}

function phaseOf({ startDate, endDate }: Sale, now: number): SalePhase {
  if (now < Date.parse(startDate)) return "upcoming";
  return now < Date.parse(endDate) ? "active" : "ended";
}

function isWanted(call: InvestorCall, { sale, token }: SaleOffer): boolean {
  const term = textParam(call, "term").toLowerCase();
  const phase = PHASE_OF_STATUS[numberParam(call, "status", ALL).canonical()];
  const investment = INVESTMENT_OF_FILTER[numberParam(call, "investment", ALL).canonical()];
  return (
    (token.title.toLowerCase().includes(term) || sale.description.toLowerCase().includes(term)) &&
    (phase === undefined || phaseOf(sale, call.now) === phase) &&
    (investment === undefined || token.investment === investment)
  );
}

function shown({ sale, token }: SaleOffer): object {
  const { maximumPerUser: _maximum, excludedCountries: _excluded, requiresAccreditation: _accreditation, ...fields } = sale;
  const percentageTokenSold = percentage(sale.totalSoldTokens, sale.tokenCountOnSale);
  const { name: tokenName, symbol: tokenSymbol } = token;
  return { images: [], documents: [], ...fields, tokenName, tokenSymbol, percentageTokenSold };
}
