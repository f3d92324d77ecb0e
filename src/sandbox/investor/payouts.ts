import { isoTime } from "../../base/time/date.ts";
import { Decimal, sum } from "../../base/numbers/decimal.ts";
import { demandWritable } from "../digits.ts";
import { demand, found } from "../refusal.ts";
import type { InvestorToken, PayoutTerms, Sale } from "../store/investor-resources.ts";
import { numberParam, textParam } from "../params.ts";
import type { Enveloped, InvestorCall } from "./call.ts";
import { theInvestorToken, theSale } from "./sales.ts";
import { cut } from "./share.ts";
import { Zone } from "./zone.ts";

const ZERO = Decimal.of(0);
const ONE = Decimal.of(1);
const HUNDRED = Decimal.of(100);
const DATE = /^(\d{4}-\d\d-\d\d)(?:(T\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:\d\d)?)?$/;
const YEARLY_TO_MONTHLY = Decimal.of(1_200);

/** GET …/sale/{tokenSaleId}/schedule: the payouts of a purchase in one sale. */
export function saleSchedule(call: InvestorCall): Enveloped {
  const token = tokenOfStore(call);
  const sale = theSale(call.world, textParam(call, "tokenSaleId"));
  demand(sale.tokenId === token.id, "sale not found", `the sale ${sale.id} does not sell ${token.id}`);
  return schedule(call, token, sale);
}

/** GET …/token/{tokenId}/schedule: the payouts as of the first sale of the token. */
export function tokenSchedule(call: InvestorCall): Enveloped {
  const token = tokenOfStore(call);
  const sale = call.world.list("sale").find(({ tokenId }) => tokenId === token.id);
  return schedule(call, token, found(sale, "sale not found", `the token ${token.id} was never on sale`));
}

function tokenOfStore(call: InvestorCall): InvestorToken {
  const storeId = textParam(call, "storeId");
  demand(storeId === call.settings.storeId, "store not found", `there is no store ${storeId}`);
  return theInvestorToken(call.world, textParam(call, "tokenId"));
}

interface Payout {
  readonly index: number;
  readonly payoutName: string;
  readonly payoutDate: string;
  readonly frequencyType: string;
  readonly principal: Decimal;
  readonly principalPercentage: Decimal;
  readonly interestAmount: Decimal;
  readonly interestPercentage: Decimal;
  readonly interestIncurred: Decimal;
  readonly pointsDifference: Decimal;
  readonly totalAmount: Decimal;
  readonly burnAmount: Decimal;
}

// Pays interest each period, and the principal with the last payout. Payouts before the purchase are left out. Each payout is due on the same day of the month
// and at the same time in the user's time zone, but is written in UTC like all dates.
function schedule(call: InvestorCall, token: InvestorToken, sale: Sale): Enveloped {
  const terms = found(token.payouts, "not a debt sale", `the token ${token.id} pays no interest`);
  const quantity = numberParam(call, "quantity", ONE);
  demand(quantity.compare(ZERO) > 0, "invalid parameters", "the quantity must be positive");
  demandWritable(quantity);
  const name = textParam(call, "timezone") || "UTC";
  const zone = found(Zone.named(name), "invalid parameters", `there is no timezone ${name}`);
  const bought = purchaseTime(call, zone);
  const [start, monthsApart] = [Date.parse(sale.payoutStartDate), terms.monthsApart.approximate()];
  const periods = [...Array(terms.periods.approximate()).keys()];
  const due = periods.map((at) => ({ at, date: zone.plusMonths(start, at * monthsApart) })).filter(({ date }) => date > bought);
  const schedules = due.map(({ at, date }) => payout({ token, terms, quantity }, at, date));
  return { response: { schedules, ...totals(schedules) } };
}

// A date without an offset is in the user's time zone. `Date.parse` would accept 30 February as a day in March.
function purchaseTime(call: InvestorCall, zone: Zone): number {
  const given = textParam(call, "purchaseDate");
  if (given === "") return call.now;
  const [, day = "", time = "T00:00", offset] = DATE.exec(given) ?? [];
  const parsed = Date.parse(`${day}${time}${offset ?? "Z"}`);
  const isDay = !Number.isNaN(parsed) && new Date(day).toISOString().startsWith(day);
  demand(isDay, "invalid parameters", `the date of purchase ${given} is no date`);
  return offset === undefined ? zone.instantOf(parsed) : parsed;
}

interface Bond {
  readonly token: InvestorToken;
  readonly terms: PayoutTerms;
  readonly quantity: Decimal;
}

function payout({ token, terms, quantity }: Bond, at: number, date: number): Payout {
  const invested = quantity.times(token.price);
  const isLast = Decimal.of(at + 1).equals(terms.periods);
  const interestAmount = cut(invested.times(terms.yearlyInterest).times(terms.monthsApart).dividedBy(YEARLY_TO_MONTHLY));
  const principal = isLast ? invested : ZERO;
  return {
    index: at + 1,
    payoutName: `Payout ${at + 1}`,
    payoutDate: isoTime(date),
    frequencyType: terms.frequencyType,
    principal,
    principalPercentage: isLast ? HUNDRED : ZERO,
    interestAmount,
    interestPercentage: terms.yearlyInterest,
    interestIncurred: interestAmount,
    pointsDifference: ZERO,
    totalAmount: principal.plus(interestAmount),
    burnAmount: isLast ? quantity : ZERO,
  };
}

function totals(payouts: readonly Payout[]): object {
  return {
    totalPrincipal: sum(payouts.map(({ principal }) => principal)),
    totalInterest: sum(payouts.map(({ interestAmount }) => interestAmount)),
    totalAmount: sum(payouts.map(({ totalAmount }) => totalAmount)),
  };
}
