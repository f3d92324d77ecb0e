import type { Decimal } from "../../base/numbers/decimal.ts";
import type { JsonObject } from "../../base/json/json.ts";

/** A user, sub-organization or other party: the organization and any attributes that name it. */
export interface StoredEntity {
  readonly orgId: string;
  readonly [attribute: string]: string;
}

/** Who made a resource and who changed it last; times are ISO 8601 in UTC with milliseconds. */
export interface Stamps {
  readonly createdAt: string;
  readonly createdBy: StoredEntity;
  readonly updatedAt: string;
  readonly updatedBy: StoredEntity;
}

/** Free-form data of a type, with owners. */
export interface StoredAsset extends Stamps {
  readonly id: string;
  readonly assetType: string;
  readonly data: JsonObject;
  readonly owners: readonly StoredEntity[];
}

/** An entity asked to approve, with its own status. */
export interface StoredApprover extends StoredEntity {
  readonly status: string;
}

/** What an ownership-transfer request and an approval request have in common: all of their fields. */
export interface StoredApprovalRequest extends Stamps {
  readonly id: string;
  readonly approvers: readonly StoredApprover[];
  readonly numRequired: Decimal;
  readonly status: string;
  /** Minutes after creation; 0 never ends. */
  readonly timeout: Decimal;
  readonly data: JsonObject;
  readonly owners: readonly StoredEntity[];
}

/** A request that moves assets once it is approved. */
export interface StoredTransferRequest extends StoredApprovalRequest {
  readonly data: JsonObject & {
    readonly metadata: { readonly assetType: string; readonly id: readonly string[]; readonly newOwner: StoredEntity };
  };
}

/** What the service keeps of a transfer request and does not show. */
export interface TransferPlan {
  readonly additionalOwners: readonly StoredEntity[];
}

/** What kind of token it is, in the words of the service. */
export interface Classification {
  readonly type?: string;
  readonly unit?: string;
  readonly valueType?: string;
  readonly supply?: string;
}

/** What may be done with a token, and by which role. */
export interface Behaviour {
  readonly decimal?: Decimal;
  readonly maxMintQuantity?: Decimal;
  readonly transferable?: boolean;
  readonly burnable?: boolean;
  readonly rolesMap?: { readonly minter_role_name?: string; readonly burner_role_name?: string };
}

/** The roles of one entity. */
export interface StoredPermission {
  readonly entity: StoredEntity;
  readonly roles: readonly string[];
}

/** One data field of a non-fungible token. */
export interface StoredNftField {
  readonly name: string;
  readonly desc?: string;
  readonly isPrimaryKey?: boolean;
  readonly isForeignKey?: boolean;
}

/** A fungible or non-fungible token type with its totals. */
export interface StoredToken extends Stamps {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly symbol: string;
  readonly classification: Classification;
  readonly behaviour: Behaviour;
  readonly properties: JsonObject;
  readonly tokenPermissions: readonly StoredPermission[];
  readonly totalSupply: Decimal;
  readonly totalMintedAmount: Decimal;
  /** Not shown by the service; kept so that supply = minted - burnt can be checked. */
  readonly burntAmount: Decimal;
  readonly owners: readonly { readonly entity: StoredEntity }[];
  readonly nftFields: readonly StoredNftField[];
}

/** One unit of a non-fungible token. */
export interface Nft {
  readonly tokenId: string;
  readonly id: string;
  readonly data: JsonObject;
  readonly burnt: boolean;
}

/** What one entity holds of one token. */
export interface StoredAccount extends Omit<Stamps, "createdAt"> {
  readonly id: string;
  readonly docType: "account";
  readonly entity: StoredEntity;
  readonly tokenId: string;
  readonly balance: Decimal;
  readonly approvedEntities: readonly StoredEntity[];
  readonly nftIds: readonly string[];
  readonly owners: readonly StoredEntity[];
  /** Shown as null by the service. */
  readonly createdAt: null;
}

/** One change of balances: to whom, how much, and for a non-fungible token which unit. */
export interface BalanceMovement {
  readonly tokenId: string;
  readonly to?: StoredEntity;
  readonly amount: Decimal;
  readonly data?: { readonly id: string; readonly ledgerMetadata: { readonly owners: readonly StoredEntity[] } };
  readonly timestampUnix: Decimal;
}

/** All movements of one ledger transaction; its id is that of the ledger transaction. */
export interface StoredTransaction extends Stamps {
  readonly docType: "tkntx";
  readonly id: string;
  readonly type: "MINT" | "BURN" | "TRANSFER";
  readonly transactionDetails: readonly BalanceMovement[];
  readonly owners: readonly StoredEntity[];
}

/** Holds assets, and issues share tokens against them. */
export interface StoredVault extends Stamps {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly custodians: readonly StoredEntity[];
  readonly data: JsonObject;
  readonly vaultTokenId: readonly string[];
  readonly owners: readonly StoredEntity[];
}

/** Share tokens minted to one receiver against a deposited asset. */
export interface Issue {
  readonly tokenId: string;
  readonly quantity: Decimal;
  readonly receiver: StoredEntity;
}

/** An asset that lies in a vault. */
export interface Deposit {
  readonly vaultId: string;
  readonly assetType: string;
  readonly id: string;
  readonly data: JsonObject;
  readonly issues: readonly Issue[];
  readonly originalOwners: readonly StoredEntity[];
}
