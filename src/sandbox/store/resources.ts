import type { Investor, InvestorToken, Purchase, Sale } from "./investor-resources.ts";
import type {
  Account,
  ApprovalRequest,
  Asset,
  Deposit,
  Entity,
  Nft,
  Token,
  TokenTransaction,
  TransferPlan,
  TransferRequest,
  Vault,
} from "./ledger-resources.ts";

/** Every kind of resource, under the word it is stored with. */
export interface Resources {
  readonly asset: Asset;
  readonly transfer: TransferRequest;
  readonly transferPlan: TransferPlan;
  readonly approval: ApprovalRequest;
  readonly token: Token;
  readonly nft: Nft;
  readonly account: Account;
  readonly tokenTransaction: TokenTransaction;
  /** Says that a token transaction touched the token that is its scope. */
  readonly tokenTransactionOf: { readonly id: string };
  /** An entity that may manage all tokens of the owner that is its scope. */
  readonly operatorApproval: { readonly operator: Entity; readonly approved: boolean };
  readonly vault: Vault;
  readonly deposit: Deposit;
  readonly investor: Investor;
  readonly investorToken: InvestorToken;
  readonly sale: Sale;
  readonly purchase: Purchase;
}

/** The word that a kind of resource is stored with. */
export type Kind = keyof Resources;
