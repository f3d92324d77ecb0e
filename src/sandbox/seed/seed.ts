import type { Decimal } from "../../base/numbers/decimal.ts";
import type { Investor, InvestorToken, PayoutTerms, Sale } from "../store/investor-resources.ts";
import type { StoredNftField, StoredToken, StoredVault } from "../store/ledger-resources.ts";
import type { Settings } from "../store/settings.ts";

/** A number in a seed: exact, a numeral in a text, or a JavaScript number if that is exact enough. */
export type Amount = Decimal | string | number;

/** A stored resource as a seed writes it. */
type Seeded<Stored> = Stored extends Decimal
  ? Amount
  : Stored extends object
    ? { readonly [Name in keyof Stored]: Seeded<Stored[Name]> }
    : Stored;

/** An entity by its attributes. The organization is that of the seed. */
export type SeedEntity = Readonly<Record<string, string>>;

/** The content for an empty sandbox file: plain data, which `schemas/seed.schema.json` describes. */
export interface Seed extends Pick<Settings, "orgId" | "appId" | "storeId"> {
  /** If left out, a new key that cannot be guessed. */
  readonly ledgerApiKey?: string;
  /** The entity that acts when a ledger call names none. */
  readonly ledgerEntity: SeedEntity;
  /** Entities whose part of the ledger is down. Their reads end in a server error, and their writes are never committed. */
  readonly cutOff?: readonly SeedEntity[];
  /** The asset types of the tokenization app. A type is a name, or an object if its data refers to other assets. */
  readonly assetTypes: readonly (string | SeedAssetType)[];
  /** The users of the investor interface. */
  readonly investors: readonly SeedInvestor[];
  /** Tokens of the investor interface. Tokens of the ledger are in `ledger`. */
  readonly tokens: readonly SeedToken[];
  /** The sales of the tokens in `tokens`. */
  readonly sales: readonly SeedSale[];
  /** The initial content of the ledger. If left out, it is empty. */
  readonly ledger?: SeedLedger;
}

/** An asset type whose data refers to other assets. */
interface SeedAssetType {
  readonly name: string;
  /** The fields that contain the id, or a list of ids, of assets of the named type. */
  readonly references?: Readonly<Record<string, string>>;
}

/** A user of the investor interface. */
export interface SeedInvestor extends Omit<Investor, "kyc"> {
  /** If left out, a new key that cannot be guessed. */
  readonly apiKey?: string;
  /** ISO 3166-1 numeric code. Without it, the investor has no identity record. */
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

/** Fields of a stored sale that a seed gives as days, or that are set when the file is filled. */
type FilledIn = "startDate" | "endDate" | "payoutStartDate" | "createdAt" | "updatedAt" | "excludedCountries";

/** A sale. Its days count from the moment at which the file is filled, and may be negative. */
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

/** The initial content of the ledger. It has histories and token transactions as usual, but the commit log begins empty. */
export interface SeedLedger {
  /** Assets, in the order of their creation. */
  readonly assets?: readonly SeedAsset[];
  /** Tokens with the accounts of their holders, in the order of their creation. */
  readonly tokens?: readonly SeedLedgerToken[];
  /** Vaults with the assets in them, in the order of their creation. */
  readonly vaults?: readonly SeedVault[];
}

/** An asset. Its id is in the data, under the primary key of its type. */
export interface SeedAsset {
  /** The name of one of `assetTypes`. */
  readonly assetType: string;
  /** Free-form data, with the id under the primary key of the type. */
  readonly data: object;
  /** Defaults to the ledger entity. */
  readonly owners?: readonly SeedEntity[];
}

/** A token as its creator defines it. Missing texts are empty. */
export interface SeedTokenDefinition extends Partial<Pick<StoredToken, "name" | "description" | "symbol">> {
  /** The id of the token: letters and digits only. */
  readonly id: string;
  /** The kind of token: its `type`, `unit`, `valueType` and `supply`. Without a `type` it is fungible. */
  readonly classification?: Readonly<Record<string, string>>;
  /** What may be done with the token, and with which role. */
  readonly behaviour?: {
    readonly decimal?: Amount;
    readonly maxMintQuantity?: Amount;
    readonly transferable?: boolean;
    readonly burnable?: boolean;
    readonly rolesMap?: { readonly minter_role_name?: string; readonly burner_role_name?: string };
  };
  /** Free-form data of the token. */
  readonly properties?: object;
  /** The entities and their roles. */
  readonly tokenPermissions?: readonly { readonly entity: SeedEntity; readonly roles: readonly string[] }[];
}

/** A token of the ledger with the accounts of its holders. */
export interface SeedLedgerToken extends SeedTokenDefinition {
  /** The data fields of a non-fungible token. A fungible token has none. */
  readonly nftFields?: readonly StoredNftField[];
  /** Defaults to the ledger entity. */
  readonly owners?: readonly SeedEntity[];
  /** The accounts. If left out, nothing is minted. */
  readonly accounts?: readonly SeedAccount[];
  /** If given, it must match the sum of all accounts, including deposits. */
  readonly totalSupply?: Amount;
  /** If it is more than the supply, the rest was burnt. */
  readonly totalMintedAmount?: Amount;
}

/** What one entity holds: a balance of a fungible token, or the data of units of a non-fungible one. */
export interface SeedAccount {
  /** The holder. */
  readonly entity: SeedEntity;
  /** The balance of a fungible token. */
  readonly balance?: Amount;
  /** The data of each unit of a non-fungible token. */
  readonly nfts?: readonly object[];
}

/** A vault with its share tokens and the assets in it. Missing texts are empty. */
export interface SeedVault extends Partial<Pick<StoredVault, "name" | "description">> {
  readonly id: string;
  /** Default to the ledger entity. The first one creates the vault and the deposits. */
  readonly custodians?: readonly SeedEntity[];
  /** Free-form data of the vault. */
  readonly data?: object;
  /** Share tokens that are created with the vault. */
  readonly vaultToken?: readonly SeedTokenDefinition[];
  /** Tokens of the seed that become share tokens. */
  readonly tokenId?: readonly string[];
  /** Assets of the seed that are in the vault. */
  readonly assets?: readonly SeedDeposit[];
}

/** An asset of the seed that is in a vault, and the shares issued against it. */
export interface SeedDeposit {
  readonly assetType: string;
  /** The id of the asset, which is unique within its type. */
  readonly id: string;
  /** The vault's data about the asset, such as its value. */
  readonly data?: object;
  /** The shares issued against the asset: the quantity of each share token, and its receiver. */
  readonly shares?: readonly { readonly tokenId: string; readonly quantity: Amount; readonly receiver: SeedEntity }[];
}
