import type { InvestorProfile, LedgerProfile } from "../contract/profile.ts";

// Names that services give to what the description leaves open. A name is never taken because it is listed here: only answers decide.

type Names = readonly string[];

const spellings = (...words: readonly string[]): readonly string[] => {
  const [first = "", ...rest] = words;
  const camel = first + rest.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
  return [...new Set([camel, words.join("_"), words.join("-"), camel.toLowerCase()])];
};

/** Names to try of the parameters of the ledger interface. No name is in two lists. */
export const LEDGER_PARAMETERS: Readonly<Record<keyof LedgerProfile["parameters"], Names>> = {
  pageSize: [
    ...spellings("page", "size"),
    "size",
    "limit",
    ...spellings("per", "page"),
    "per",
    "count",
    "take",
    "top",
    "$top",
    "max",
    ...spellings("max", "results"),
    ...spellings("page", "limit"),
    ...spellings("batch", "size"),
    "rows",
    "length",
    "n",
    "first",
  ],
  bookmark: [
    "bookmark",
    "cursor",
    "from",
    "after",
    "next",
    "token",
    ...spellings("page", "token"),
    ...spellings("next", "token"),
    ...spellings("next", "page", "token"),
    ...spellings("continuation", "token"),
    ...spellings("start", "after"),
    ...spellings("starting", "after"),
    "continue",
    "continuation",
    "start",
    "offset",
    "marker",
    "mark",
    "position",
    "since",
    "key",
  ],
  pendingOnly: [
    ...spellings("pending", "only"),
    ...spellings("only", "pending"),
    "pending",
    ...spellings("is", "pending"),
    "open",
    ...spellings("open", "only"),
    ...spellings("only", "open"),
    "active",
    ...spellings("active", "only"),
    "unresolved",
    "waiting",
    ...spellings("show", "pending"),
  ],
};

/** Names to try of the parameter for the acting entity. */
export const ACTING: Readonly<Record<LedgerProfile["onBehalfOf"]["in"], Names>> = {
  query: [
    ...spellings("act", "as"),
    ...spellings("on", "behalf", "of"),
    "behalf",
    ...spellings("run", "as"),
    ...spellings("acting", "as"),
    ...spellings("acting", "entity"),
    "entity",
    "actor",
    "as",
    "caller",
    "identity",
    "user",
    "principal",
    "impersonate",
    "subject",
    "participant",
  ],
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

/** Names to try of the parameters of the investor interface. No name is in two lists. */
export const INVESTOR_PARAMETERS: Readonly<Record<keyof InvestorProfile["parameters"], Names>> = {
  page: [
    "page",
    ...spellings("page", "number"),
    ...spellings("page", "no"),
    "p",
    ...spellings("page", "index"),
    ...spellings("current", "page"),
    "pg",
  ],
  limit: [
    "limit",
    ...spellings("page", "size"),
    "size",
    "per",
    ...spellings("per", "page"),
    ...spellings("items", "per", "page"),
    ...spellings("page", "limit"),
    "count",
    "take",
    "rows",
    "max",
  ],
  term: [
    "term",
    "search",
    "q",
    "query",
    ...spellings("search", "term"),
    "keyword",
    ...spellings("search", "text"),
    "text",
    "filter",
    "s",
    "find",
  ],
  investment: [
    "investment",
    ...spellings("investment", "type"),
    "type",
    "kind",
    "category",
    ...spellings("sale", "type"),
    ...spellings("investment", "kind"),
    ...spellings("asset", "class"),
  ],
  status: ["status", "state", ...spellings("sale", "status"), "phase", ...spellings("status", "filter"), "stage"],
  sort: ["sort", "order", ...spellings("sort", "by"), ...spellings("order", "by"), "sorting", ...spellings("sort", "order")],
  quantity: ["quantity", "qty", "amount", ...spellings("token", "quantity"), "tokens", "units", ...spellings("token", "count")],
  purchaseDate: [
    ...spellings("purchase", "date"),
    ...spellings("date", "of", "purchase"),
    "date",
    "bought",
    ...spellings("bought", "at"),
    ...spellings("purchased", "at"),
    ...spellings("purchased", "on"),
    ...spellings("buy", "date"),
  ],
  timezone: ["timezone", "tz", ...spellings("time", "zone"), "zone", ...spellings("user", "timezone")],
};

/** Names to try of the fields of bodies. */
export const FIELDS: Readonly<Record<keyof LedgerProfile["fields"]["vaultUpdate"], Names>> = {
  id: ["id", ...spellings("vault", "id"), "vault"],
  name: ["name", "title", ...spellings("vault", "name"), ...spellings("display", "name"), "label"],
  description: ["description", "about", "desc", "details", "summary", ...spellings("vault", "description")],
  data: ["data", "details", "metadata", "properties", "attributes", "info", ...spellings("vault", "data")],
};

/** Places to try of the new owner in a transfer request, inside of `data`. */
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
