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

/** Every kind of resource, by the word for it in the file. */
export interface Resources {
  /** An asset of the ledger. Its scope is its type. */
  readonly asset: StoredAsset;
  /** An ownership-transfer request. */
  readonly transfer: StoredTransferRequest;
  /** What the service stores about the transfer request with the same id without showing it. */
  readonly transferPlan: TransferPlan;
  /** An approval request. Its scope is its approval type. */
  readonly approval: StoredApprovalRequest;
  /** A token of the ledger. */
  readonly token: StoredToken;
  /** One unit of a non-fungible token. Its scope is the id of the token. */
  readonly nft: Nft;
  /** The account of one entity for one token. Its scope is the id of the token. */
  readonly account: StoredAccount;
  /** All movements of one ledger transaction. */
  readonly tokenTransaction: StoredTransaction;
  /** Marks that a token transaction affected a token. Its scope is the token. */
  readonly tokenTransactionOf: { readonly id: string };
  /** An entity that may manage all tokens of an owner. Its scope is the owner. */
  readonly operatorApproval: { readonly operator: StoredEntity; readonly approved: boolean };
  /** A vault of the ledger. */
  readonly vault: StoredVault;
  /** An asset in a vault. Its scope is the id of the vault. */
  readonly deposit: Deposit;
  /** A user of the investor interface. Its id is the API key. */
  readonly investor: Investor;
  /** A token of the investor interface. */
  readonly investorToken: InvestorToken;
  /** A sale. Its scope is the id of the token that it sells. */
  readonly sale: Sale;
  /** A purchase. Its scope is the id of the user. */
  readonly purchase: Purchase;
}

/** The word for a kind of resource in the file. */
export type Kind = keyof Resources;
