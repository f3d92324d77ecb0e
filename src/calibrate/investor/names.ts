import type { InvestorProfile } from "../../contract/profile.ts";
import { type CandidateNames as Names, names } from "../spellings.ts";

/** Names to try of the parameters of the investor interface. No name is in two lists. */
export const INVESTOR_PARAMETERS: Readonly<Record<keyof InvestorProfile["parameters"], Names>> = {
  page: names("page page-number page-no p page-index current-page pg"),
  limit: names("limit page-size size per per-page items-per-page page-limit count take rows max"),
  term: names("term search q query search-term keyword search-text text filter s find"),
  investment: names("investment investment-type type kind category sale-type investment-kind asset-class"),
  status: names("status state sale-status phase status-filter stage"),
  sort: names("sort order sort-by order-by sorting sort-order"),
  quantity: names("quantity qty amount token-quantity tokens units token-count"),
  purchaseDate: names("purchase-date date-of-purchase date bought bought-at purchased-at purchased-on buy-date"),
  timezone: names("timezone tz time-zone zone user-timezone"),
};
