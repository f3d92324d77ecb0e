import { type Setters, settersOf } from "../sets.ts";

/** What the writes of the ledger set. */
export const ledgerSetters: Setters<
  | "asset"
  | "transfer request"
  | "approval request"
  | "token"
  | "token permissions"
  | "token owners"
  | "operators"
  | "supply"
  | "holdings"
  | "vault"
  | "vault custodians"
  | "vault content"
> = settersOf();
