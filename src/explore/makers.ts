import type { Maker } from "./draft.ts";
import { MAKERS_OF_ASSETS } from "./makers-of-assets.ts";
import { MAKERS_OF_TOKENS } from "./makers-of-tokens.ts";
import { MAKERS_OF_VAULTS } from "./makers-of-vaults.ts";
import type { LedgerOperation } from "./step.ts";

/** How the explorer calls each operation of the ledger. */
export const MAKERS: Readonly<Record<LedgerOperation, Maker>> = {
  ...MAKERS_OF_ASSETS,
  ...MAKERS_OF_TOKENS,
  ...MAKERS_OF_VAULTS,
  "ledger.receipt.get": "every write is followed by it",
  "ledger.status": "it says nothing that could be wrong",
};
