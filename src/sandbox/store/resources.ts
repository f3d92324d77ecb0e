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
  readonly asset: StoredAsset;
  readonly transfer: StoredTransferRequest;
  readonly transferPlan: TransferPlan;
  readonly approval: StoredApprovalRequest;
  readonly token: StoredToken;
  readonly nft: Nft;
  readonly account: StoredAccount;
  readonly tokenTransaction: StoredTransaction;
  /** Says that a token transaction touched the token that is its scope. */
  readonly tokenTransactionOf: { readonly id: string };
  /** An entity that may manage all tokens of the owner that is its scope. */
  readonly operatorApproval: { readonly operator: StoredEntity; readonly approved: boolean };
  readonly vault: StoredVault;
  readonly deposit: Deposit;
  readonly investor: Investor;
  readonly investorToken: InvestorToken;
  readonly sale: Sale;
  readonly purchase: Purchase;
}

/** The word that a kind of resource is stored with. */
export type Kind = keyof Resources;
