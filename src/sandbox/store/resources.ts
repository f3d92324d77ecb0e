import type { Investor, InvestorToken, Purchase, Sale } from "./investor-resources.ts";
import type {
  StoredAccount,
  StoredApprovalRequest,
  StoredAsset,
  Deposit,
  StoredEntity,
  Nft,
  StoredToken,
  StoredTransaction,
  TransferPlan,
  StoredTransferRequest,
  StoredVault,
} from "./ledger-resources.ts";

/** Every kind of resource, under the word it is stored with. */
export interface Resources {
  /** An asset of the ledger; its scope is its type. */
  readonly asset: StoredAsset;
  /** An ownership-transfer request. */
  readonly transfer: StoredTransferRequest;
  /** What the service keeps of the transfer request with the same id and does not show. */
  readonly transferPlan: TransferPlan;
  /** An approval request; its scope is its approval type. */
  readonly approval: StoredApprovalRequest;
  /** A token of the ledger. */
  readonly token: StoredToken;
  /** One unit of a non-fungible token; its scope is the id of the token. */
  readonly nft: Nft;
  /** What one entity holds of one token; its scope is the id of the token. */
  readonly account: StoredAccount;
  /** All movements of one ledger transaction. */
  readonly tokenTransaction: StoredTransaction;
  /** Says that a token transaction touched the token that is its scope. */
  readonly tokenTransactionOf: { readonly id: string };
  /** An entity that may manage all tokens of the owner that is its scope. */
  readonly operatorApproval: { readonly operator: StoredEntity; readonly approved: boolean };
  /** A vault of the ledger. */
  readonly vault: StoredVault;
  /** An asset that lies in a vault; its scope is the id of the vault. */
  readonly deposit: Deposit;
  /** A user of the investor interface; its id is the API key. */
  readonly investor: Investor;
  /** A token of the investor interface. */
  readonly investorToken: InvestorToken;
  /** A sale; its scope is the id of the token that it sells. */
  readonly sale: Sale;
  /** A purchase; its scope is the id of the user. */
  readonly purchase: Purchase;
}

/** The word that a kind of resource is stored with. */
export type Kind = keyof Resources;
