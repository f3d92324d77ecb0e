import { DEFAULT_PROFILE, type Profile, profileWith } from "../../src/contract/profile.ts";

/** A service that differs from the default in every way that the profile can describe. */
export const OTHER_PROFILE: Profile = profileWith({
  ledger: {
    errors: [{ kind: "failure", code: true }],
    onBehalfOf: { in: "header", name: "X-On-Behalf-Of" },
    parameters: { pageSize: "size", bookmark: "from", pendingOnly: "open" },
    pageSize: 2,
    lastBookmark: "nil",
    receipt: { committed: ["DONE"], failed: ["BROKEN"], pending: "WAITING", namesTransaction: false },
    requestStatus: { pending: "Open", approved: "Yes", rejected: "No", cancelled: "Withdrawn" },
    newOwner: "data.to",
    fields: {
      vaultUpdate: { id: "vault", name: "title", description: "about", data: "details" },
      vaultAssets: { vaultId: "vault", assets: "contents", assetType: "kind", id: "asset", data: "details" },
    },
    primaryKey: { Bond: "Isin" },
    capabilities: {
      tokenIdUnique: true,
      vaultIdUnique: true,
      sameVaultDepositRefused: true,
      overMintRefused: false,
      batchIsOneTransaction: true,
    },
  },
  investor: {
    errors: [{ status: "ERR", reason: true }],
    parameters: {
      page: "p",
      limit: "per",
      term: "q",
      investment: "kind",
      status: "state",
      sort: "order",
      quantity: "qty",
      purchaseDate: "bought",
      timezone: "tz",
    },
    pageSize: 2,
  },
  numbers: "text",
  booleans: "text",
  refusals: [400, 401, 403, 404, 410, 418, 422],
  conditionStatus: {
    "asset already exists": 418,
    "vault already exists": 418,
    "invalid caller": 401,
    "sale not found": 410,
    "invalid parameters": 422,
  },
  successStatus: { async: 202, "ledger.vault.update": 206, "investor.sales.buy": 200 },
});

/** Returns the path of each single value in the profile. */
export function settings(part: unknown = DEFAULT_PROFILE, at: readonly string[] = []): readonly (readonly string[])[] {
  const inner = part !== null && typeof part === "object" && !Array.isArray(part) ? Object.entries(part) : [];
  return inner.length === 0 ? [at] : inner.flatMap(([key, value]) => settings(value, [...at, key]));
}

/** Returns the value of one setting. */
export function settingOf(profile: Profile, path: readonly string[]): unknown {
  return path.reduce<unknown>((part, key) => (part as Readonly<Record<string, unknown>>)[key], profile);
}

/** Returns the other profile with one value reset to its default. */
export function otherBut(path: readonly string[]): Profile {
  const reset = (part: unknown, [key, ...rest]: readonly string[]): unknown =>
    key === undefined
      ? settingOf(DEFAULT_PROFILE, path)
      : { ...(part as object), [key]: reset((part as Readonly<Record<string, unknown>>)[key], rest) };
  return reset(OTHER_PROFILE, path) as Profile;
}
