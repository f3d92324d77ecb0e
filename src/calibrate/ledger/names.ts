import type { LedgerProfile } from "../../contract/profile.ts";
import { type CandidateNames as Names, names } from "../spellings.ts";

/** The names to try for the parameters of the ledger interface. No name is in two lists. */
export const LEDGER_PARAMETERS: Readonly<Record<keyof LedgerProfile["parameters"], Names>> = {
  pageSize: names(
    "page-size size limit per-page per count take top $top max max-results page-limit batch-size rows length n first",
  ),
  bookmark: names(
    "bookmark cursor from after next token page-token next-token next-page-token continuation-token",
    "start-after starting-after continue continuation start offset marker mark position since key",
  ),
  pendingOnly: names(
    "pending-only only-pending pending is-pending open open-only only-open active active-only",
    "unresolved waiting show-pending",
  ),
};

/** The setting with the name of the parameter for pending requests. */
export const PENDING_ONLY: readonly string[] = ["ledger", "parameters", "pendingOnly"];

/** The names to try for the parameter with the acting entity. */
export const ACTING: Readonly<Record<LedgerProfile["onBehalfOf"]["in"], Names>> = {
  query: names(
    "act-as on-behalf-of behalf run-as acting-as acting-entity entity actor as caller identity user",
    "principal impersonate subject participant",
  ),
  header: [
    "X-On-Behalf-Of",
    "On-Behalf-Of",
    "X-Act-As",
    "Act-As",
    "actAs",
    "X-Acting-As",
    "X-Acting-Entity",
    "X-Run-As",
    "X-Entity",
    "X-Actor",
    "X-User",
    "X-User-Id",
    "X-Identity",
    "X-Caller",
    "X-Impersonate",
    "X-Impersonate-User",
    "X-Principal",
    "X-Subject",
    "X-Behalf-Of",
    "onBehalfOf",
  ],
};

/** The names to try for the fields of bodies. */
export const FIELDS: Readonly<Record<keyof LedgerProfile["fields"]["vaultUpdate"], Names>> = {
  id: names("id vault-id vault"),
  name: names("name title vault-name display-name label"),
  description: names("description about desc details summary vault-description"),
  data: names("data details metadata properties attributes info vault-data"),
};

/** The places to try for the new owner in a transfer request, inside `data`. */
export const NEW_OWNER: Names = [
  "data.metadata.newOwner",
  "data.newOwner",
  "data.to",
  "data.owner",
  "data.receiver",
  "data.recipient",
  "data.target",
  "data.transferTo",
  "data.new_owner",
  "data.metadata.to",
  "data.metadata.owner",
  "data.metadata.recipient",
  "data.metadata.receiver",
];
