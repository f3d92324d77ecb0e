import type { Decimal } from "../../base/decimal.ts";
import type { JsonObject } from "../../base/json.ts";

/** A user, sub-organization or other party: the organization and any attributes that name it. */
export interface Entity {
  readonly orgId: string;
  readonly [attribute: string]: string;
}

/** Who made a resource and who changed it last; times are ISO 8601 in UTC with milliseconds. */
export interface Stamps {
  readonly createdAt: string;
  readonly createdBy: Entity;
  readonly updatedAt: string;
  readonly updatedBy: Entity;
}

/** Free-form data of a type, with owners. */
export interface Asset extends Stamps {
  readonly id: string;
  readonly assetType: string;
  readonly data: JsonObject;
  readonly owners: readonly Entity[];
}

/** An entity asked to approve, with its own status and the comment it gave. */
export interface Approver extends Entity {
  readonly status: string;
}

/** What an ownership-transfer request and an approval request have in common: all of their fields. */
export interface ApprovalRequest extends Stamps {
  readonly id: string;
  readonly approvers: readonly Approver[];
  readonly numRequired: Decimal;
  readonly status: string;
  /** Minutes after creation; 0 never ends. */
  readonly timeout: Decimal;
  readonly data: JsonObject;
  readonly owners: readonly Entity[];
  readonly comment?: string;
}

/** A request that moves assets once it is approved. */
export interface TransferRequest extends ApprovalRequest {
  readonly data: JsonObject & {
    readonly metadata: { readonly assetType: string; readonly id: readonly string[]; readonly newOwner: Entity };
  };
}

/** What the service keeps of a transfer request and does not show. */
export interface TransferPlan {
  readonly additionalOwners: readonly Entity[];
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
export interface TokenPermission {
  readonly entity: Entity;
  readonly roles: readonly string[];
}

/** One data field of a non-fungible token. */
export interface NftField {
  readonly name: string;
  readonly desc?: string;
  readonly isPrimaryKey?: boolean;
  readonly isForeignKey?: boolean;
}

/** A fungible or non-fungible token type with its totals. */
export interface Token extends Stamps {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly symbol: string;
  readonly classification: Classification;
  readonly behaviour: Behaviour;
  readonly properties: JsonObject;
  readonly tokenPermissions: readonly TokenPermission[];
  readonly totalSupply: Decimal;
  readonly totalMintedAmount: Decimal;
  /** Not shown by the service; kept so that supply = minted - burnt can be checked. */
  readonly burntAmount: Decimal;
  readonly owners: readonly { readonly entity: Entity }[];
  readonly nftFields: readonly NftField[];
}

/** One unit of a non-fungible token. */
export interface Nft {
  readonly tokenId: string;
  readonly id: string;
  readonly data: JsonObject;
  readonly burnt: boolean;
}

/** What one entity holds of one token. */
export interface Account extends Omit<Stamps, "createdAt"> {
  readonly id: string;
  readonly docType: "account";
  readonly entity: Entity;
  readonly tokenId: string;
  readonly balance: Decimal;
  readonly approvedEntities: readonly Entity[];
  readonly nftIds: readonly string[];
  readonly owners: readonly Entity[];
  /** Shown as null by the service. */
  readonly createdAt: null;
}

/** One change of balances: to whom, from whom, how much, and for a non-fungible token which unit. */
export interface Movement {
  readonly tokenId: string;
  readonly from?: Entity;
  readonly to?: Entity;
  readonly amount: Decimal;
  readonly data?: { readonly id: string; readonly ledgerMetadata: { readonly owners: readonly Entity[] } };
  readonly timestampUnix: Decimal;
}

/** All movements of one ledger transaction; its id is that of the ledger transaction. */
export interface TokenTransaction extends Stamps {
  readonly docType: "tkntx";
  readonly id: string;
  readonly type: "MINT" | "BURN" | "TRANSFER";
  readonly transactionDetails: readonly Movement[];
  readonly owners: readonly Entity[];
}

/** Holds assets, and issues share tokens against them. */
export interface Vault extends Stamps {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly custodians: readonly Entity[];
  readonly data: JsonObject;
  readonly vaultTokenId: readonly string[];
  readonly owners: readonly Entity[];
}

/** Share tokens minted to one receiver against a deposited asset. */
export interface Issue {
  readonly tokenId: string;
  readonly quantity: Decimal;
  readonly receiver: Entity;
}

/** An asset that lies in a vault. */
export interface Deposit {
  readonly vaultId: string;
  readonly assetType: string;
  readonly id: string;
  readonly data: JsonObject;
  readonly issues: readonly Issue[];
  readonly originalOwners: readonly Entity[];
}
