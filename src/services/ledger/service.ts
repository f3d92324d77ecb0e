import { field, text } from "../../base/json/parts.ts";
import { byBookmark } from "../paging/bookmarks.ts";
import type { ServiceDescriptor } from "../service.ts";
import { approvals, assets, transfers } from "./assets.ts";
import { tokenConserved, vaultConserved } from "./conserved.ts";
import { erc1155, tokens, vaults } from "./tokens.ts";

/** Interface B: assets, tokens and vaults kept on a ledger. */
export const ledger: ServiceDescriptor<"ledger"> = {
  name: "ledger",
  settings: {
    appId: { about: "The app, as it appears in the service's paths.", locates: true },
    orgId: { about: "The organization of the entities that act.", locates: false },
  },
  identity: { kind: "entity", onBehalfOf: (profile) => profile.ledger.onBehalfOf, organization: "orgId" },
  envelope: undefined,
  paging: byBookmark,
  harmless: { operation: "ledger.status", input: {} },
  receipts: {
    read: (receiptId) => ({ operation: "ledger.receipt.get", input: { receiptId } }),
    rules: (profile) => profile.ledger.receipt,
    schema: { $ref: "contract#/$defs/Receipt" },
  },
  isBatchWhole: ({ ledger: { capabilities } }) => capabilities.batchIsOneTransaction,
  writeYields: {
    transactionId: {
      type: "string",
      id: "transaction",
      description: "the ledger transaction's id",
      from: ({ payload }) => text(field(payload, "transactionId")),
    },
  },
  conserves: { token: tokenConserved, vault: vaultConserved },
  doctor: { list: "ledger.token.list", one: (id) => ({ operation: "ledger.token.get", input: { id } }) },
  plannedTotal: "ledgerTransactions",
  exampleActor: "issuer",
  meanings: { ...assets, ...transfers, ...approvals, ...tokens, ...erc1155, ...vaults },
};
