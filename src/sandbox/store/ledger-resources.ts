import type { Decimal } from "../../base/numbers/decimal.ts";
import type { JsonObject } from "../../base/json/json.ts";

/** A user, sub-organization or other party: the organization and any attributes that name it. */
export interface StoredEntity {
  /** The organization; alone, it addresses the whole of it. */
  readonly orgId: string;
  /** An attribute that names a part of the organization, such as `userId`. */
  readonly [attribute: string]: string;
}

/** Who made a resource and who changed it last; times are ISO 8601 in UTC with milliseconds. */
export interface Stamps {
  /** When the resource was made. */
  readonly createdAt: string;
  /** Who made it. */
  readonly createdBy: StoredEntity;
  /** When it was last changed; at first the time at which it was made. */
  readonly updatedAt: string;
  /** Who changed it last; at first the entity that made it. */
  readonly updatedBy: StoredEntity;
}

/** Free-form data of a type, with owners. */
export interface StoredAsset extends Stamps {
  /** The id of the asset, which is unique within its type. */
  readonly id: string;
  readonly assetType: string;
  /** Free-form data, with the id under the primary key of the type. */
  readonly data: JsonObject;
  /** Who may change the asset; never empty. */
  readonly owners: readonly StoredEntity[];
}

/** An entity asked to approve, with its own status. */
export interface StoredApprover extends StoredEntity {
  /** The approver's vote, kept in the words of the default profile; files of earlier versions may have other words. */
  readonly status: string;
}

/** What an ownership-transfer request and an approval request have in common: all of their fields. */
export interface StoredApprovalRequest extends Stamps {
  /** The id of the request: 24 hexadecimal digits. */
  readonly id: string;
  /** Everybody who is asked to approve, each once. */
  readonly approvers: readonly StoredApprover[];
  /** How many must approve. */
  readonly numRequired: Decimal;
  /** The outcome so far, kept in the words of the default profile; files of earlier versions may have other words. */
  readonly status: string;
  /** How many minutes after its creation acting on it is refused. */
  readonly timeout: Decimal;
  /** Free-form data of the request. */
  readonly data: JsonObject;
  /** Who submitted the request. */
  readonly owners: readonly StoredEntity[];
}

/** A request that moves assets once it is approved. */
export interface StoredTransferRequest extends StoredApprovalRequest {
  /** Free-form data of the request; its `metadata` says which assets move, and to whom. */
  readonly data: JsonObject & {
    readonly metadata: { readonly assetType: string; readonly id: readonly string[]; readonly newOwner: StoredEntity };
  };
}

/** What the service keeps of a transfer request and does not show. */
export interface TransferPlan {
  /** Who owns the assets beside the new owner after the transfer; may be empty. */
  readonly additionalOwners: readonly StoredEntity[];
}

/** What kind of token it is, in the words of the service. */
export interface Classification {
  /** `fungible` or `nonfungible`. */
  readonly type?: string;
  /** Such as `whole` or `fractional`; `whole` means no decimals. */
  readonly unit?: string;
  /** Such as `intrinsic`, or `reference` for shares of a vault. */
  readonly valueType?: string;
  /** Such as `capped-variable`. */
  readonly supply?: string;
}

/** What may be done with a token, and by which role. */
export interface Behaviour {
  /** How many decimals its amounts have at most; left out, there is no bound. */
  readonly decimal?: Decimal;
  /** How much may ever be minted; 0, or left out, for no bound. */
  readonly maxMintQuantity?: Decimal;
  /** Whether it may change hands; left out, it may. */
  readonly transferable?: boolean;
  /** Whether it may be burnt; left out, it may. */
  readonly burnable?: boolean;
  /** Which role mints, and which burns; without an entry the usual role or an owner may. */
  readonly rolesMap?: { readonly minter_role_name?: string; readonly burner_role_name?: string };
}

/** The roles of one entity. */
export interface StoredPermission {
  /** Who holds the roles. */
  readonly entity: StoredEntity;
  /** The names of the roles, such as `minter`. */
  readonly roles: readonly string[];
}

/** One data field of a non-fungible token. */
export interface StoredNftField {
  /** The name of the field in the data of a unit. */
  readonly name: string;
  /** What the field means. */
  readonly desc?: string;
  /** Whether the field holds the id of a unit; without such a field, `id` does. */
  readonly isPrimaryKey?: boolean;
  /** Whether the field refers to something else; the sandbox makes no use of it. */
  readonly isForeignKey?: boolean;
}

/** A fungible or non-fungible token type with its totals. */
export interface StoredToken extends Stamps {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly symbol: string;
  /** What kind of token it is. */
  readonly classification: Classification;
  /** What may be done with the token, and by which role. */
  readonly behaviour: Behaviour;
  /** Free-form data of the token. */
  readonly properties: JsonObject;
  /** Which entity holds which roles. */
  readonly tokenPermissions: readonly StoredPermission[];
  /** How much all accounts hold: what was minted and not burnt. */
  readonly totalSupply: Decimal;
  /** How much was ever minted. */
  readonly totalMintedAmount: Decimal;
  /** Not shown by the service; kept so that supply = minted - burnt can be checked. */
  readonly burntAmount: Decimal;
  /** Who may change the token; never empty. */
  readonly owners: readonly { readonly entity: StoredEntity }[];
  /** The data fields of a non-fungible token; a fungible token has none. */
  readonly nftFields: readonly StoredNftField[];
}

/** One unit of a non-fungible token. */
export interface Nft {
  readonly tokenId: string;
  /** The id of the unit within its token; it is given once, even after the unit is burnt. */
  readonly id: string;
  /** The data that it was minted with. */
  readonly data: JsonObject;
  /** Whether it is burnt. */
  readonly burnt: boolean;
}

/** What one entity holds of one token. */
export interface StoredAccount extends Omit<Stamps, "createdAt"> {
  /** `account~` and a digest of the token and its holder. */
  readonly id: string;
  /** The word that the service shows for the kind of document. */
  readonly docType: "account";
  /** Who holds it. */
  readonly entity: StoredEntity;
  readonly tokenId: string;
  /** How much the entity holds; for a non-fungible token how many units. */
  readonly balance: Decimal;
  /** Who else may move what lies in the account. */
  readonly approvedEntities: readonly StoredEntity[];
  /** The ids of the units of a non-fungible token, in the order in which they came; empty for a fungible one. */
  readonly nftIds: readonly string[];
  /** The entity alone. */
  readonly owners: readonly StoredEntity[];
  /** Shown as null by the service. */
  readonly createdAt: null;
}

/** One change of balances: to whom, how much, and for a non-fungible token which unit. */
export interface BalanceMovement {
  readonly tokenId: string;
  /** Who received; left out when the amount was burnt. */
  readonly to?: StoredEntity;
  /** How much moved; 1 for a unit of a non-fungible token. */
  readonly amount: Decimal;
  /** The unit of a non-fungible token, with its new owners; left out for a fungible one. */
  readonly data?: { readonly id: string; readonly ledgerMetadata: { readonly owners: readonly StoredEntity[] } };
  /** When it moved, in whole seconds since the Unix epoch. */
  readonly timestampUnix: Decimal;
}

/** All movements of one ledger transaction; its id is that of the ledger transaction. */
export interface StoredTransaction extends Stamps {
  /** The word that the service shows for the kind of document. */
  readonly docType: "tkntx";
  /** The id of the ledger transaction: 64 hexadecimal digits. */
  readonly id: string;
  /** Whether the movements mint, burn or transfer. */
  readonly type: "MINT" | "BURN" | "TRANSFER";
  /** In the order in which they were made; never empty. */
  readonly transactionDetails: readonly BalanceMovement[];
  /** Who acted. */
  readonly owners: readonly StoredEntity[];
}

/** Holds assets, and issues share tokens against them. */
export interface StoredVault extends Stamps {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** Who may deposit and withdraw assets and change the vault; never empty. */
  readonly custodians: readonly StoredEntity[];
  /** Free-form data of the vault. */
  readonly data: JsonObject;
  /** The ids of its share tokens, in the order in which they were added. */
  readonly vaultTokenId: readonly string[];
  /** Who made the vault. */
  readonly owners: readonly StoredEntity[];
}

/** Share tokens minted to one receiver against a deposited asset. */
export interface Issue {
  /** The id of the share token. */
  readonly tokenId: string;
  /** How much was minted. */
  readonly quantity: Decimal;
  /** Who received it. */
  readonly receiver: StoredEntity;
}

/** An asset that lies in a vault. */
export interface Deposit {
  readonly vaultId: string;
  readonly assetType: string;
  /** The id of the asset, which is unique within its type. */
  readonly id: string;
  /** What the vault knows of the asset, such as its value. */
  readonly data: JsonObject;
  /** The shares issued against the asset, in the order in which they were issued. */
  readonly issues: readonly Issue[];
  /** Who owned the asset before; a withdrawal gives it back to them. */
  readonly originalOwners: readonly StoredEntity[];
}
