import type { Decimal } from "../../base/numbers/decimal.ts";

/** A number of a seed: exact, or as a numeral in text, or a JavaScript number where that is exact enough. */
export type Amount = Decimal | string | number;

/** An entity by its attributes; the organization is the seed's own. */
export type SeedEntity = Readonly<Record<string, string>>;

/** What an empty sandbox file is filled with: plain data, described by `schemas/seed.schema.json`. */
export interface Seed {
  readonly orgId: string;
  readonly appId: string;
  readonly storeId: string;
  /** Left out, a new one that cannot be guessed. */
  readonly ledgerApiKey?: string;
  /** Who acts when a ledger call names no entity. */
  readonly ledgerEntity: SeedEntity;
  /** Entities whose part of the ledger is down: what they read ends in a server error, what they write is never committed. */
  readonly cutOff?: readonly SeedEntity[];
  readonly assetTypes: readonly (string | SeedAssetType)[];
  readonly investors: readonly SeedInvestor[];
  /** Tokens of the investor interface; the ledger's own are in `ledger`. */
  readonly tokens: readonly SeedToken[];
  readonly sales: readonly SeedSale[];
  readonly ledger?: SeedLedger;
}

/** An asset type whose data refers to other assets. */
export interface SeedAssetType {
  readonly name: string;
  /** A field that holds the id, or a list of ids, of assets of the type named. */
  readonly references?: Readonly<Record<string, string>>;
}

/** A user of the investor interface. */
export interface SeedInvestor {
  /** The name under which its API key is given out. */
  readonly name: string;
  /** Left out, a new one that cannot be guessed. */
  readonly apiKey?: string;
  readonly userId: string;
  /** ISO 3166-1 numeric code; without it the investor has no identity record. */
  readonly country?: Amount;
  readonly accredited?: boolean;
  /** Whether the service honours the key no more. */
  readonly revoked?: boolean;
}

/** A token of the investor interface. */
export interface SeedToken {
  readonly id: string;
  readonly name: string;
  readonly symbol: string;
  readonly title: string;
  readonly assetId: string;
  readonly assetName: string;
  readonly assetCategory: string;
  readonly propertyType: string;
  readonly investment: "equity" | "debt";
  readonly currency: string;
  readonly price: Amount;
  readonly totalTokenCount: Amount;
  readonly tokenContract: string;
  readonly saleContract: string;
  readonly payouts?: SeedPayouts;
}

/** How a debt token pays: `periods` payouts, `monthsApart`, at a yearly interest in percent. */
export interface SeedPayouts {
  readonly yearlyInterest: Amount;
  readonly periods: Amount;
  readonly monthsApart: Amount;
  readonly frequencyType: string;
}

/** A sale; its days count from the moment at which the file is filled, and may be negative. */
export interface SeedSale {
  readonly id: string;
  readonly tokenId: string;
  readonly name: string;
  readonly description: string;
  readonly timezone: string;
  readonly startDay: Amount;
  readonly endDay: Amount;
  readonly payoutStartDay: Amount;
  readonly tokenCountOnSale: Amount;
  readonly totalSoldTokens: Amount;
  readonly softCap: Amount;
  readonly expectedReturns: Amount;
  readonly maximumPerUser?: Amount;
  readonly excludedCountries?: readonly Amount[];
  /** Whether only accredited investors may buy. */
  readonly requiresAccreditation?: boolean;
  readonly images?: readonly SeedImage[];
  readonly documents?: readonly SeedDocument[];
}

/** A picture of a sale. */
export interface SeedImage {
  readonly name: string;
  readonly size: Amount;
  readonly type: string;
  readonly url: string;
}

/** A document of a sale, such as a prospectus. */
export interface SeedDocument extends SeedImage {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly order: Amount;
}

/** What the ledger holds from the start. It has histories and token transactions as usual; the commit log begins empty. */
export interface SeedLedger {
  readonly assets?: readonly SeedAsset[];
  readonly tokens?: readonly SeedLedgerToken[];
  readonly vaults?: readonly SeedVault[];
}

/** An asset; its id lies in the data, under the primary key of its type. */
export interface SeedAsset {
  readonly assetType: string;
  readonly data: object;
  /** Defaults to the ledger entity. */
  readonly owners?: readonly SeedEntity[];
}

/** A token as its creator defines it. */
export interface SeedTokenDefinition {
  readonly id: string;
  readonly name?: string;
  readonly description?: string;
  readonly symbol?: string;
  readonly classification?: Readonly<Record<string, string>>;
  readonly behaviour?: {
    readonly decimal?: Amount;
    readonly maxMintQuantity?: Amount;
    readonly transferable?: boolean;
    readonly burnable?: boolean;
    readonly rolesMap?: { readonly minter_role_name?: string; readonly burner_role_name?: string };
  };
  readonly properties?: object;
  readonly tokenPermissions?: readonly { readonly entity: SeedEntity; readonly roles: readonly string[] }[];
}

/** A token of the ledger with what everybody holds of it. */
export interface SeedLedgerToken extends SeedTokenDefinition {
  readonly nftFields?: readonly {
    readonly name: string;
    readonly desc?: string;
    readonly isPrimaryKey?: boolean;
    readonly isForeignKey?: boolean;
  }[];
  /** Defaults to the ledger entity. */
  readonly owners?: readonly SeedEntity[];
  readonly accounts?: readonly SeedAccount[];
  /** Given, it is held against the sum of all accounts, deposits included. */
  readonly totalSupply?: Amount;
  /** More than the supply means that the rest was burnt. */
  readonly totalMintedAmount?: Amount;
}

/** What one entity holds: a balance of a fungible token, or units of a non-fungible one by their data. */
export interface SeedAccount {
  readonly entity: SeedEntity;
  readonly balance?: Amount;
  readonly nfts?: readonly object[];
}

/** A vault with its share tokens and the assets that lie in it. */
export interface SeedVault {
  readonly id: string;
  readonly name?: string;
  readonly description?: string;
  /** Default to the ledger entity; the first of them makes the vault and the deposits. */
  readonly custodians?: readonly SeedEntity[];
  readonly data?: object;
  /** Share tokens made with the vault. */
  readonly vaultToken?: readonly SeedTokenDefinition[];
  /** Tokens of the seed that become share tokens. */
  readonly tokenId?: readonly string[];
  readonly assets?: readonly SeedDeposit[];
}

/** An asset of the seed that lies in a vault, and the shares issued against it. */
export interface SeedDeposit {
  readonly assetType: string;
  readonly id: string;
  readonly data?: object;
  readonly shares?: readonly { readonly tokenId: string; readonly quantity: Amount; readonly receiver: SeedEntity }[];
}
