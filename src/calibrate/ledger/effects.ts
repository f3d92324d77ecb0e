import type { SettingEffect } from "../service.ts";

/** What the ledger's settings mean for the guarantee. */
export const LEDGER_EFFECTS: Readonly<Record<string, SettingEffect>> = {
  "ledger.capabilities.tokenIdUnique": {
    values: [
      { value: true, means: "A lost creation of a token with an id settles by itself." },
      {
        value: false,
        means: "A lost token creation will not settle by itself here: when its effect is not visible, the run stops as unknown.",
      },
    ],
    undecided: "Whether a lost token creation settles by itself follows the profile.",
  },
  "ledger.capabilities.vaultIdUnique": {
    values: [
      { value: true, means: "A lost creation of a vault with an id settles by itself." },
      {
        value: false,
        means: "A lost vault creation will not settle by itself here: when its effect is not visible, the run stops as unknown.",
      },
    ],
    undecided: "Whether a lost vault creation settles by itself follows the profile.",
  },
  "ledger.capabilities.sameVaultDepositRefused": {
    values: [
      { value: true, means: "A lost deposit can be sent again, because the vault refuses a second one." },
      { value: false, means: "A lost deposit is never sent again, because the vault would accept a second one." },
    ],
    undecided: "Whether a lost deposit is sent again follows the profile.",
  },
  "ledger.capabilities.overMintRefused": {
    values: [
      { value: false, means: "The cap of a token protects from nothing here: the service mints more than maxMintQuantity." },
    ],
    undecided: "That the cap of a token limits mints is an assumption of the profile.",
  },
  "ledger.errors": { undecided: "A refused write may end as unknown, because an error of another form may be a gateway's." },
  "ledger.receipt.committed": {
    undecided: "If receipts use another word than the profile, every write waits for its receipt and ends as unknown.",
  },
  "ledger.receipt.failed": { undecided: "If a failed receipt uses another word than the profile, that write ends as unknown." },
  "ledger.receipt.namesTransaction": {
    values: [{ value: false, means: "A receipt does not name its write, so tokenbook trusts it for its id alone." }],
    undecided: "tokenbook does not trust receipts that name no transaction, as the profile says.",
  },
  "ledger.onBehalfOf.name": {
    undecided:
      "If the acting entity travels elsewhere, writes are made as the key's own entity: check this before the first run.",
  },
  "ledger.parameters.bookmark": { undecided: "If bookmarks have another name, lists of more than one page stop a run." },
  "ledger.newOwner": {
    undecided:
      "If the new owner is named elsewhere, a transfer gives the assets to somebody else: check this before the first transfer.",
  },
};
