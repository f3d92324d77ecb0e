import type { Decimal } from "../../base/numbers/decimal.ts";

/** A user of the investor interface, identified by the API key. */
export interface Investor {
  /** The name of its credential. */
  readonly name: string;
  readonly userId: string;
  /** Whether the user may buy from sales that require accreditation. If left out, no. */
  readonly accredited?: boolean;
  /** Whether the service no longer accepts the key. */
  readonly revoked?: boolean;
  /** The identity record, with an ISO 3166-1 numeric country code without leading zeros. If left out, the user has none. */
  readonly kyc?: { readonly id: string; readonly country: string; readonly createdAt: string; readonly updatedAt: string };
}

/** How a debt token pays: `periods` payouts, `monthsApart`, at a yearly interest in percent, with the principal at the end. */
export interface PayoutTerms {
  /** In percent. */
  readonly yearlyInterest: Decimal;
  /** The number of payouts. */
  readonly periods: Decimal;
  /** Months between two payouts. */
  readonly monthsApart: Decimal;
  /** A text that every payout shows. */
  readonly frequencyType: string;
}

/** A token that investors can buy, with the asset behind it. */
export interface InvestorToken {
  readonly id: string;
  readonly name: string;
  readonly symbol: string;
  /** The title of the asset, which is searched. */
  readonly title: string;
  /** The id of the asset behind the token. */
  readonly assetId: string;
  readonly assetName: string;
  /** The category of the asset, such as `Real estate`. */
  readonly assetCategoryText: string;
  /** The type of the property, such as `Commercial`. */
  readonly propertyTypeText: string;
  /** The investment type. Only debt has payouts. */
  readonly investment: "equity" | "debt";
  /** The currency of the price, such as `USD`. */
  readonly currency: string;
  /** The price of one token, in `currency`. */
  readonly price: Decimal;
  /** The total number of tokens. */
  readonly totalTokenCount: Decimal;
  /** The address of the token contract. */
  readonly tokenContract: string;
  /** The address of the sale contract. */
  readonly saleContract: string;
  /** How the token pays. If left out, it has no payouts. */
  readonly payouts?: PayoutTerms;
}

/** A sale with the rules that the service applies to it without showing them. */
export interface Sale {
  readonly id: string;
  /** The id of the token that it sells. */
  readonly tokenId: string;
  readonly name: string;
  /** The description of the sale, which is searched. */
  readonly description: string;
  /** The timezone of the sale, such as `Europe/Lisbon`. */
  readonly timezone: string;
  /** When it begins. All dates of the sale are ISO 8601 in UTC with milliseconds. */
  readonly startDate: string;
  /** When it ends. From this moment, nobody can buy. */
  readonly endDate: string;
  /** When the first payout is due. */
  readonly payoutStartDate: string;
  /** When the file was filled, or when the sale begins if that is earlier. */
  readonly createdAt: string;
  /** When it last sold tokens; at first, when the file was filled. */
  readonly updatedAt: string;
  /** How many tokens are on sale. */
  readonly tokenCountOnSale: Decimal;
  /** How many must be sold; 0 for none. */
  readonly softCap: Decimal;
  /** Yearly, in percent. */
  readonly expectedReturns: Decimal;
  /** How many of its tokens are sold. */
  readonly totalSoldTokens: Decimal;
  /** How many tokens of the sale one user may buy. If left out, there is no limit. */
  readonly maximumPerUser?: Decimal;
  /** ISO 3166-1 numeric codes, without leading zeros, of the countries whose users may not buy. */
  readonly excludedCountries: readonly string[];
  /** Whether only accredited investors may buy. */
  readonly requiresAccreditation?: boolean;
  /** The pictures that the sale shows. */
  readonly images?: readonly SaleImage[];
  /** The documents that the sale offers. */
  readonly documents?: readonly SaleDocument[];
}

/** A picture of a sale. */
interface SaleImage {
  readonly name: string;
  readonly size: Decimal;
  readonly type: string;
  readonly url: string;
}

interface SaleDocument extends SaleImage {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly order: Decimal;
}

/** Tokens that one user bought in one call. */
export interface Purchase {
  /** The id of the transaction: 64 hexadecimal digits. */
  readonly id: string;
  readonly userId: string;
  readonly saleId: string;
  /** The id of the token that the sale sells. */
  readonly tokenId: string;
  /** How many tokens were bought. */
  readonly amount: Decimal;
  /** The address that the buyer gave for the tokens. */
  readonly userAddress: string;
  /** When they were bought, as ISO 8601 in UTC with milliseconds. */
  readonly at: string;
}
