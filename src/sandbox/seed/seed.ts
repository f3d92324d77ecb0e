import type { Decimal } from "../../base/numbers/decimal.ts";
import type { Investor, InvestorToken, PayoutTerms, Sale } from "../store/investor-resources.ts";
import type { StoredNftField, StoredToken, StoredVault } from "../store/ledger-resources.ts";
import type { Settings } from "../store/settings.ts";

/** A number of a seed: exact, or as a numeral in text, or a JavaScript number where that is exact enough. */
export type Amount = Decimal | string | number;

/** What the file holds, as a seed writes it. */
type Seeded<Stored> = Stored extends Decimal
  ? Amount
  : Stored extends object
    ? { readonly [Name in keyof Stored]: Seeded<Stored[Name]> }
    : Stored;

/** An entity by its attributes; the organization is the seed's own. */
export type SeedEntity = Readonly<Record<string, string>>;

/** What an empty sandbox file is filled with: plain data, described by `schemas/seed.schema.json`. */
export interface Seed extends Pick<Settings, "orgId" | "appId" | "storeId"> {
  /** Left out, a new one that cannot be guessed. */
  readonly ledgerApiKey?: string;
  /** Who acts when a ledger call names no entity. */
  readonly ledgerEntity: SeedEntity;
  /** Entities whose part of the ledger is down: what they read ends in a server error, what they write is never committed. */
  readonly cutOff?: readonly SeedEntity[];
  /** The asset types of the tokenization app: a name, or an object when its data refers to other assets. */
  readonly assetTypes: readonly (string | SeedAssetType)[];
  /** The users of the investor interface. */
  readonly investors: readonly SeedInvestor[];
  /** Tokens of the investor interface; the ledger's own are in `ledger`. */
  readonly tokens: readonly SeedToken[];
  /** The sales of the tokens in `tokens`. */
  readonly sales: readonly SeedSale[];
  /** What the ledger holds from the start; left out, nothing. */
  readonly ledger?: SeedLedger;
}

/** An asset type whose data refers to other assets. */
export interface SeedAssetType {
  readonly name: string;
  /** A field that holds the id, or a list of ids, of assets of the type named. */
  readonly references?: Readonly<Record<string, string>>;
}

/** A user of the investor interface. */
export interface SeedInvestor extends Omit<Investor, "kyc"> {
  /** Left out, a new one that cannot be guessed. */
  readonly apiKey?: string;
  /** ISO 3166-1 numeric code; without it the investor has no identity record. */
  readonly country?: Amount;
}

/** A token of the investor interface. */
export interface SeedToken extends Omit<Seeded<InvestorToken>, "assetCategoryText" | "propertyTypeText"> {
  /** Shown as `assetCategoryText`. */
  readonly assetCategory: string;
  /** Shown as `propertyTypeText`. */
  readonly propertyType: string;
}

/** How a debt token pays: `periods` payouts, `monthsApart`, at a yearly interest in percent. */
export type SeedPayouts = Seeded<PayoutTerms>;

/** What a sale of the file has in place of days, or is given when the file is filled. */
type FilledIn = "startDate" | "endDate" | "payoutStartDate" | "createdAt" | "updatedAt" | "excludedCountries";

/** A sale; its days count from the moment at which the file is filled, and may be negative. */
export interface SeedSale extends Omit<Seeded<Sale>, FilledIn> {
  /** The day on which it begins. */
  readonly startDay: Amount;
  /** The day on which it ends. */
  readonly endDay: Amount;
  /** The day of the first payout. */
  readonly payoutStartDay: Amount;
  /** ISO 3166-1 numeric codes of the countries whose users may not buy. */
  readonly excludedCountries?: readonly Amount[];
}

/** What the ledger holds from the start. It has histories and token transactions as usual; the commit log begins empty. */
export interface SeedLedger {
  /** Assets, in the order of their creation. */
  readonly assets?: readonly SeedAsset[];
  /** Tokens with the accounts of their holders, in the order of their creation. */
  readonly tokens?: readonly SeedLedgerToken[];
  /** Vaults with the assets that lie in them, in the order of their creation. */
  readonly vaults?: readonly SeedVault[];
}

/** An asset; its id lies in the data, under the primary key of its type. */
export interface SeedAsset {
  /** The name of one of `assetTypes`. */
  readonly assetType: string;
  /** Free-form data, with the id under the primary key of the type. */
  readonly data: object;
  /** Defaults to the ledger entity. */
  readonly owners?: readonly SeedEntity[];
}

/** A token as its creator defines it; texts that are left out are empty. */
export interface SeedTokenDefinition extends Partial<Pick<StoredToken, "name" | "description" | "symbol">> {
  /** The id of the token: letters and digits only. */
  readonly id: string;
  /** What kind of token it is: its `type`, `unit`, `valueType` and `supply`; fungible when `type` is left out. */
  readonly classification?: Readonly<Record<string, string>>;
  /** What may be done with the token, and by which role. */
  readonly behaviour?: {
    readonly decimal?: Amount;
    readonly maxMintQuantity?: Amount;
    readonly transferable?: boolean;
    readonly burnable?: boolean;
    readonly rolesMap?: { readonly minter_role_name?: string; readonly burner_role_name?: string };
  };
  /** Free-form data of the token. */
  readonly properties?: object;
  /** Which entity holds which roles. */
  readonly tokenPermissions?: readonly { readonly entity: SeedEntity; readonly roles: readonly string[] }[];
}

/** A token of the ledger with what everybody holds of it. */
export interface SeedLedgerToken extends SeedTokenDefinition {
  /** The data fields of a non-fungible token; a fungible token has none. */
  readonly nftFields?: readonly StoredNftField[];
  /** Defaults to the ledger entity. */
  readonly owners?: readonly SeedEntity[];
  /** What everybody holds; left out, nothing is minted. */
  readonly accounts?: readonly SeedAccount[];
  /** Given, it is held against the sum of all accounts, deposits included. */
  readonly totalSupply?: Amount;
  /** More than the supply means that the rest was burnt. */
  readonly totalMintedAmount?: Amount;
}

/** What one entity holds: a balance of a fungible token, or units of a non-fungible one by their data. */
export interface SeedAccount {
  /** Who holds it. */
  readonly entity: SeedEntity;
  /** Of a fungible token. */
  readonly balance?: Amount;
  /** The data of each unit of a non-fungible token. */
  readonly nfts?: readonly object[];
}

/** A vault with its share tokens and the assets that lie in it; texts that are left out are empty. */
export interface SeedVault extends Partial<Pick<StoredVault, "name" | "description">> {
  readonly id: string;
  /** Default to the ledger entity; the first of them makes the vault and the deposits. */
  readonly custodians?: readonly SeedEntity[];
  /** Free-form data of the vault. */
  readonly data?: object;
  /** Share tokens made with the vault. */
  readonly vaultToken?: readonly SeedTokenDefinition[];
  /** Tokens of the seed that become share tokens. */
  readonly tokenId?: readonly string[];
  /** Assets of the seed that lie in the vault. */
  readonly assets?: readonly SeedDeposit[];
}

/** An asset of the seed that lies in a vault, and the shares issued against it. */
export interface SeedDeposit {
  readonly assetType: string;
  /** The id of the asset, which is unique within its type. */
  readonly id: string;
  /** What the vault knows of the asset, such as its value. */
  readonly data?: object;
  /** The shares issued against the asset: the quantity of each share token, and who receives it. */
  readonly shares?: readonly { readonly tokenId: string; readonly quantity: Amount; readonly receiver: SeedEntity }[];
}
