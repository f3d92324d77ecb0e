import type { Decimal } from "../../base/numbers/decimal.ts";

/** A user of the investor interface, found by the API key. */
export interface Investor {
  readonly name: string;
  readonly userId: string;
  readonly accredited?: boolean;
  readonly revoked?: boolean;
  readonly kyc?: { readonly id: string; readonly country: string; readonly createdAt: string; readonly updatedAt: string };
}

/** How a debt token pays: `periods` payouts, `monthsApart`, at a yearly interest in percent, principal at the end. */
export interface PayoutTerms {
  readonly yearlyInterest: Decimal;
  readonly periods: Decimal;
  readonly monthsApart: Decimal;
  readonly frequencyType: string;
}

/** A token that investors can buy, with the asset behind it. */
export interface InvestorToken {
  readonly id: string;
  readonly name: string;
  readonly symbol: string;
  readonly title: string;
  readonly assetId: string;
  readonly assetName: string;
  readonly assetCategoryText: string;
  readonly propertyTypeText: string;
  readonly investment: "equity" | "debt";
  readonly currency: string;
  readonly price: Decimal;
  readonly totalTokenCount: Decimal;
  readonly tokenContract: string;
  readonly saleContract: string;
  readonly payouts?: PayoutTerms;
}

/** A sale with the rules that the service applies to it and does not show. */
export interface Sale {
  readonly id: string;
  readonly tokenId: string;
  readonly name: string;
  readonly description: string;
  readonly timezone: string;
  readonly startDate: string;
  readonly endDate: string;
  readonly payoutStartDate: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly tokenCountOnSale: Decimal;
  readonly softCap: Decimal;
  readonly expectedReturns: Decimal;
  readonly totalSoldTokens: Decimal;
  readonly maximumPerUser?: Decimal;
  readonly excludedCountries: readonly string[];
  readonly requiresAccreditation?: boolean;
  readonly images?: readonly SaleImage[];
  readonly documents?: readonly SaleDocument[];
}

/** A picture of a sale. */
interface SaleImage {
  readonly name: string;
  readonly size: Decimal;
  readonly type: string;
  readonly url: string;
}

/** A document of a sale. */
interface SaleDocument extends SaleImage {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly order: Decimal;
}

/** Tokens bought by one user in one call. */
export interface Purchase {
  readonly id: string;
  readonly userId: string;
  readonly saleId: string;
  readonly tokenId: string;
  readonly amount: Decimal;
  readonly userAddress: string;
  readonly at: string;
}
