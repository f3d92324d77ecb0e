import { getAccount, listAccounts, setTokenApprovals } from "./accounts.ts";
import {
  acceptApprovals,
  approvalHistory,
  approvalQueue,
  cancelApprovals,
  createApprovals,
  getApproval,
  myApprovals,
  rejectApprovals,
} from "./approvals.ts";
import {
  assetHistory,
  assetStats,
  createAssets,
  deleteAssets,
  getAsset,
  listAssets,
  putAssets,
  setAssetOwners,
  updateAssets,
} from "./assets.ts";
import type { Condition } from "../refusal.ts";
import type { LedgerCall, Commit } from "./call.ts";
import { depositAssets, listVaultAssets, updateVaultAssets, withdrawAssets } from "./deposits.ts";
import {
  balanceOf,
  balanceOfBatch,
  isApprovedForAll,
  safeBatchTransferFrom,
  safeTransferFrom,
  setApprovalForAll,
} from "./erc1155.ts";
import { burnTokens, mintTokens } from "./minting.ts";
import { getTransaction, listTransactions } from "./movements.ts";
import { createTokens, getToken, listTokens, setTokenOwners, setTokenPermissions, updateTokens } from "./tokens.ts";
import {
  approveTransfers,
  getTransfer,
  myTransfers,
  rejectTransfers,
  requestTransfers,
  transferHistory,
  transferQueue,
  transfersOfAsset,
} from "./transfers.ts";
import { addExistingTokens, addTokens, createVaults, getVault, listVaults, setCustodians, updateVaults } from "./vaults.ts";

/** Returns an answer from the current ledger. */
export type Read = (call: LedgerCall<unknown>) => unknown;
/** Changes the ledger, or refuses. */
export type Write = (commit: Commit<unknown>) => void;

// Every body was already checked against the contract's schema.
function read<Body>(operation: (call: LedgerCall<Body>) => unknown): Read {
  return (call) => operation(call as LedgerCall<Body>);
}

function write<Body>(operation: (commit: Commit<Body>) => void): Write {
  return (commit) => operation(commit as Commit<Body>);
}

/** The outcome of a write, as its receipt shows it. */
export interface ReceiptOutcome {
  /** The id of the ledger transaction: 64 hexadecimal digits. */
  readonly transactionId: string;
  /** `PENDING`: not decided yet. `COMMITTED`: it has taken effect. `FAILED`: it has no effect. */
  readonly state: "PENDING" | "COMMITTED" | "FAILED";
  /** Why it failed, or `Success`; empty while it is pending. */
  readonly message: string;
  /** Set if it failed. */
  readonly condition?: Condition;
}

/** The rules of the ledger for each call, by operation. */
export interface LedgerRules {
  /** The answer of each read, by operation. */
  readonly reads: Readonly<Record<string, Read>>;
  /** What each write does, by operation. */
  readonly writes: Readonly<Record<string, Write>>;
  /** Returns what a receipt reports for the outcome of a write. If left out, the outcome itself. */
  readonly receipt?: (outcome: ReceiptOutcome) => ReceiptOutcome;
}

/** The reads of the ledger, by operation. Receipts are read from the chain. */
export const LEDGER_READS: LedgerRules["reads"] = {
  "ledger.status": () => undefined,
  "ledger.asset.get": read(getAsset),
  "ledger.asset.history": read(assetHistory),
  "ledger.asset.list": read(listAssets),
  "ledger.asset.stats": read(assetStats),
  "ledger.transfer.get": read(getTransfer),
  "ledger.transfer.mine": read(myTransfers),
  "ledger.transfer.queue": read(transferQueue),
  "ledger.transfer.byAsset": read(transfersOfAsset),
  "ledger.transfer.history": read(transferHistory),
  "ledger.approval.get": read(getApproval),
  "ledger.approval.mine": read(myApprovals),
  "ledger.approval.queue": read(approvalQueue),
  "ledger.approval.history": read(approvalHistory),
  "ledger.token.get": read(getToken),
  "ledger.token.list": read(listTokens),
  "ledger.account.get": read(getAccount),
  "ledger.account.list": read(listAccounts),
  "ledger.transaction.get": read(getTransaction),
  "ledger.transaction.list": read(listTransactions),
  "ledger.erc1155.balanceOf": read(balanceOf),
  "ledger.erc1155.balanceOfBatch": read(balanceOfBatch),
  "ledger.erc1155.isApprovedForAll": read(isApprovedForAll),
  "ledger.vault.get": read(getVault),
  "ledger.vault.list": read(listVaults),
  "ledger.vault.assets": read(listVaultAssets),
};

/** The writes of the ledger, by operation. */
export const LEDGER_WRITES: LedgerRules["writes"] = {
  "ledger.asset.create": write(createAssets),
  "ledger.asset.put": write(putAssets),
  "ledger.asset.update": write(updateAssets),
  "ledger.asset.delete": write(deleteAssets),
  "ledger.asset.setOwners": write(setAssetOwners),
  "ledger.transfer.request": write(requestTransfers),
  "ledger.transfer.approve": write(approveTransfers),
  "ledger.transfer.reject": write(rejectTransfers),
  "ledger.approval.create": write(createApprovals),
  "ledger.approval.accept": write(acceptApprovals),
  "ledger.approval.reject": write(rejectApprovals),
  "ledger.approval.cancel": write(cancelApprovals),
  "ledger.token.create": write(createTokens),
  "ledger.token.update": write(updateTokens),
  "ledger.token.setPermissions": write(setTokenPermissions),
  "ledger.token.setApproval": write(setTokenApprovals),
  "ledger.token.setOwners": write(setTokenOwners),
  "ledger.token.mint": write(mintTokens),
  "ledger.token.burn": write(burnTokens),
  "ledger.erc1155.setApprovalForAll": write(setApprovalForAll),
  "ledger.erc1155.safeTransferFrom": write(safeTransferFrom),
  "ledger.erc1155.safeBatchTransferFrom": write(safeBatchTransferFrom),
  "ledger.vault.create": write(createVaults),
  "ledger.vault.update": write(updateVaults),
  "ledger.vault.addToken": write(addTokens),
  "ledger.vault.addExistingToken": write(addExistingTokens),
  "ledger.vault.setCustodians": write(setCustodians),
  "ledger.vault.deposit": write(depositAssets),
  "ledger.vault.withdraw": write(withdrawAssets),
  "ledger.vault.updateAssets": write(updateVaultAssets),
};

/** The correct rules of the ledger. */
export const LEDGER_RULES: LedgerRules = { reads: LEDGER_READS, writes: LEDGER_WRITES };
