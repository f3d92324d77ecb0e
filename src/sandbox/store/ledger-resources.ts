import type { Decimal } from "../../base/numbers/decimal.ts";
import type { JsonObject } from "../../base/json/json.ts";

/** A user, sub-organization or other party: its organization and any attributes that identify it. */
export interface StoredEntity {
  /** The organization. Without attributes, it means the whole organization. */
  readonly orgId: string;
  /** An attribute that identifies a part of the organization, such as `userId`. */
  readonly [attribute: string]: string;
}

/** Who created a resource and who changed it last. Times are ISO 8601 in UTC with milliseconds. */
export interface Stamps {
  /** When the resource was created. */
  readonly createdAt: string;
  /** Who created it. */
  readonly createdBy: StoredEntity;
  /** When it was last changed; at first, when it was created. */
  readonly updatedAt: string;
  /** Who changed it last; at first, the entity that created it. */
  readonly updatedBy: StoredEntity;
}

/** An asset: free-form data of a type, with owners. */
export interface StoredAsset extends Stamps {
  /** The id of the asset, which is unique within its type. */
  readonly id: string;
  readonly assetType: string;
  /** Free-form data, with the id under the primary key of the type. */
  readonly data: JsonObject;
  /** Who may change the asset; never empty. */
  readonly owners: readonly StoredEntity[];
}

/** An entity that was asked to approve, with its own status. */
export interface StoredApprover extends StoredEntity {
  /** The approver's vote, stored in the words of the default profile. Files of earlier versions may contain other words. */
  readonly status: string;
}

/** The common fields of ownership-transfer requests and approval requests, which are all of their fields. */
export interface StoredApprovalRequest extends Stamps {
  /** The id of the request: 24 hexadecimal digits. */
  readonly id: string;
  /** All approvers, each once. */
  readonly approvers: readonly StoredApprover[];
  /** How many must approve. */
  readonly numRequired: Decimal;
  /** The outcome so far, stored in the words of the default profile. Files of earlier versions may contain other words. */
  readonly status: string;
  /** The number of minutes after its creation from which acting on it is refused. */
  readonly timeout: Decimal;
  /** Free-form data of the request. */
  readonly data: JsonObject;
  /** Who submitted the request. */
  readonly owners: readonly StoredEntity[];
}

/** A request that moves assets once it is approved. */
export interface StoredTransferRequest extends StoredApprovalRequest {
  /** Free-form data of the request. Its `metadata` says which assets move, and to whom. */
  readonly data: JsonObject & {
    readonly metadata: { readonly assetType: string; readonly id: readonly string[]; readonly newOwner: StoredEntity };
  };
}

/** What the service stores about a transfer request without showing it. */
export interface TransferPlan {
  /** Who owns the assets together with the new owner after the transfer; may be empty. */
  readonly additionalOwners: readonly StoredEntity[];
}

/** The kind of token, in the words of the service. */
interface Classification {
  /** `fungible` or `nonfungible`. */
  readonly type?: string;
  /** Such as `whole` or `fractional`; `whole` means no decimals. */
  readonly unit?: string;
  /** Such as `intrinsic`, or `reference` for shares of a vault. */
  readonly valueType?: string;
  /** Such as `capped-variable`. */
  readonly supply?: string;
}

/** What may be done with a token, and with which role. */
interface Behaviour {
  /** The largest number of decimals of its amounts. If left out, there is no limit. */
  readonly decimal?: Decimal;
  /** How much may ever be minted. 0, or left out, means no limit. */
  readonly maxMintQuantity?: Decimal;
  /** Whether it may be transferred. If left out, yes. */
  readonly transferable?: boolean;
  /** Whether it may be burnt. If left out, yes. */
  readonly burnable?: boolean;
  /** The roles that may mint and burn. Without an entry, the usual role or an owner may. */
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
  /** The meaning of the field. */
  readonly desc?: string;
  /** Whether the field contains the id of a unit. Without such a field, `id` does. */
  readonly isPrimaryKey?: boolean;
  /** Whether the field refers to something else. The sandbox does not use this. */
  readonly isForeignKey?: boolean;
}

/** A fungible or non-fungible token type with its totals. */
export interface StoredToken extends Stamps {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly symbol: string;
  /** The kind of token. */
  readonly classification: Classification;
  /** What may be done with the token, and with which role. */
  readonly behaviour: Behaviour;
  /** Free-form data of the token. */
  readonly properties: JsonObject;
  /** The entities and their roles. */
  readonly tokenPermissions: readonly StoredPermission[];
  /** The sum of all accounts: what was minted minus what was burnt. */
  readonly totalSupply: Decimal;
  /** How much was ever minted. */
  readonly totalMintedAmount: Decimal;
  /** The burnt amount, which the service does not show. It is stored so that supply = minted - burnt can be checked. */
  readonly burntAmount: Decimal;
  /** Who may change the token; never empty. */
  readonly owners: readonly { readonly entity: StoredEntity }[];
  /** The data fields of a non-fungible token. A fungible token has none. */
  readonly nftFields: readonly StoredNftField[];
}

/** One unit of a non-fungible token. */
export interface Nft {
  readonly tokenId: string;
  /** The id of the unit within its token, which is used only once, even after the unit is burnt. */
  readonly id: string;
  /** The data with which it was minted. */
  readonly data: JsonObject;
  /** Whether it is burnt. */
  readonly burnt: boolean;
}

/** The account of one entity for one token. */
export interface StoredAccount extends Omit<Stamps, "createdAt"> {
  /** `account~` and a digest of the token and its holder. */
  readonly id: string;
  /** The kind of document, as the service shows it. */
  readonly docType: "account";
  /** The holder. */
  readonly entity: StoredEntity;
  readonly tokenId: string;
  /** How much the entity holds. For a non-fungible token, the number of units. */
  readonly balance: Decimal;
  /** Who else may move the content of the account. */
  readonly approvedEntities: readonly StoredEntity[];
  /** The ids of the units of a non-fungible token, in order of arrival; empty for a fungible one. */
  readonly nftIds: readonly string[];
  /** Only the entity itself. */
  readonly owners: readonly StoredEntity[];
  /** The service shows null here. */
  readonly createdAt: null;
}

/** One change of balances: the receiver, the amount, and the unit of a non-fungible token. */
export interface BalanceMovement {
  readonly tokenId: string;
  /** The receiver. Left out if the amount was burnt. */
  readonly to?: StoredEntity;
  /** The amount; 1 for a unit of a non-fungible token. */
  readonly amount: Decimal;
  /** The unit of a non-fungible token, with its new owners. Left out for a fungible one. */
  readonly data?: { readonly id: string; readonly ledgerMetadata: { readonly owners: readonly StoredEntity[] } };
  /** When it moved, in whole seconds since the Unix epoch. */
  readonly timestampUnix: Decimal;
}

/** All movements of one ledger transaction, with the id of that transaction. */
export interface StoredTransaction extends Stamps {
  /** The kind of document, as the service shows it. */
  readonly docType: "tkntx";
  /** The id of the ledger transaction: 64 hexadecimal digits. */
  readonly id: string;
  /** Whether the movements mint, burn or transfer. */
  readonly type: "MINT" | "BURN" | "TRANSFER";
  /** The movements in order; never empty. */
  readonly transactionDetails: readonly BalanceMovement[];
  /** The actor. */
  readonly owners: readonly StoredEntity[];
}

/** A vault, which holds assets and issues share tokens against them. */
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
  /** Who created the vault. */
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

/** An asset in a vault. */
export interface Deposit {
  readonly vaultId: string;
  readonly assetType: string;
  /** The id of the asset, which is unique within its type. */
  readonly id: string;
  /** The vault's data about the asset, such as its value. */
  readonly data: JsonObject;
  /** The shares issued against the asset, in the order in which they were issued. */
  readonly issues: readonly Issue[];
  /** The previous owners of the asset, who get it back in a withdrawal. */
  readonly originalOwners: readonly StoredEntity[];
}
