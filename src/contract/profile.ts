/**
 * What the service description leaves open. Every value is a default that an environment may override; the sandbox reads the same
 * profile, so that each alternative can be tried.
 */
export interface Profile {
  readonly ledger: LedgerProfile;
  readonly investor: InvestorProfile;
  /** Status codes of an answer that means "refused, no effect", where it is in the service's own words. */
  readonly refusals: readonly number[];
  /** Status code by failure condition, in the words of the service description, where a service differs from the sandbox. */
  readonly conditionStatus: Readonly<Record<string, number>>;
  /**
   * Status code of success by operation, where a service differs from the contract; `async` stands for every write that is
   * answered before its commit. A client takes any 2xx.
   */
  readonly successStatus: Readonly<Record<string, number>>;
}

/**
 * A form that the service's own errors have: fields that are all there. A text or a number is the value that the field has; `true` says only
 * that it holds something. A gateway in front of the service writes its errors in other forms.
 */
export type ErrorForm = Readonly<Record<string, string | number | true>>;

export interface LedgerProfile {
  /** The forms of the service's own errors: only in one of these does an error say that a write had no effect. */
  readonly errors: readonly ErrorForm[];
  /** Where the acting entity (`userId:alice`) travels. */
  readonly onBehalfOf: { readonly in: "query" | "header"; readonly name: string };
  /** Names on the wire of the parameters whose names the description does not show. */
  readonly parameters: { readonly pageSize: string; readonly bookmark: string; readonly pendingOnly: string };
  /** Records per page when the call names no size. */
  readonly pageSize: number;
  /** Words of a receipt's status; any other word means "keep asking". */
  readonly receipt: {
    readonly committed: readonly string[];
    readonly failed: readonly string[];
    /** The word that the sandbox shows before the outcome. */
    readonly pending: string;
    /** A receipt that says that a write is committed names its transaction; without one it is no evidence. */
    readonly namesTransaction: boolean;
  };
  /** Words for the state of transfer requests, approvals and approvers. */
  readonly requestStatus: {
    readonly pending: string;
    readonly approved: string;
    readonly rejected: string;
    readonly cancelled: string;
  };
  /** Where a transfer request names the new owner: `additionalOwners`, or a place in its data such as `data.metadata.newOwner`. */
  readonly newOwner: string;
  /** Names on the wire of the fields of bodies whose field names the description does not show. */
  readonly fields: {
    /** Of PATCH /token/vault. */
    readonly vaultUpdate: { readonly id: string; readonly name: string; readonly description: string; readonly data: string };
    /** Of PATCH /token/vault/assets: of an item, and of an asset in it. */
    readonly vaultAssets: {
      readonly vaultId: string;
      readonly assets: string;
      readonly assetType: string;
      readonly id: string;
      readonly data: string;
    };
  };
  /** The attribute that is an asset's id, by asset type; `id` where none is given. */
  readonly primaryKey: Readonly<Record<string, string>>;
  /** What the service can be relied on for, when the answer to a write was lost. */
  readonly capabilities: {
    /** A second token, or vault, of the same id is refused. */
    readonly tokenIdUnique: boolean;
    readonly vaultIdUnique: boolean;
    /** An asset that lies in a vault cannot be deposited there again. */
    readonly sameVaultDepositRefused: boolean;
    /** More than `maxMintQuantity` cannot be minted. */
    readonly overMintRefused: boolean;
  };
}

export interface InvestorProfile {
  /** The forms of the service's own errors, as for the ledger. */
  readonly errors: readonly ErrorForm[];
  readonly parameters: {
    readonly page: string;
    readonly limit: string;
    readonly term: string;
    readonly investment: string;
    readonly status: string;
    readonly sort: string;
    readonly quantity: string;
    readonly purchaseDate: string;
    readonly timezone: string;
  };
  /** Items per page when the call names no limit. */
  readonly pageSize: number;
}

export const DEFAULT_PROFILE: Profile = {
  ledger: {
    errors: [{ status: "Error", message: true, condition: true }],
    onBehalfOf: { in: "query", name: "actAs" },
    parameters: { pageSize: "pageSize", bookmark: "bookmark", pendingOnly: "pendingOnly" },
    pageSize: 25,
    receipt: { committed: ["COMMITTED"], failed: ["FAILED"], pending: "PENDING", namesTransaction: true },
    requestStatus: { pending: "PENDING", approved: "APPROVED", rejected: "REJECTED", cancelled: "CANCELLED" },
    newOwner: "data.metadata.newOwner",
    fields: {
      vaultUpdate: { id: "id", name: "name", description: "description", data: "data" },
      vaultAssets: { vaultId: "vaultId", assets: "assets", assetType: "assetType", id: "id", data: "data" },
    },
    primaryKey: {},
    capabilities: { tokenIdUnique: false, vaultIdUnique: false, sameVaultDepositRefused: false, overMintRefused: true },
  },
  investor: {
    errors: [
      { status: 0, message: true },
      { status: "Failed", message: true },
    ],
    parameters: {
      page: "page",
      limit: "limit",
      term: "term",
      investment: "investment",
      status: "status",
      sort: "sort",
      quantity: "quantity",
      purchaseDate: "purchaseDate",
      timezone: "timezone",
    },
    pageSize: 25,
  },
  refusals: [400, 401, 403, 404, 409, 422],
  conditionStatus: {},
  successStatus: {},
};

/** The names on the wire of the fields of a body; `undefined` where they are those of the contract. */
export function fieldNames({ fields }: LedgerProfile, key: string | undefined): Readonly<Record<string, string>> | undefined {
  return Object.entries(fields).find(([name]) => name === key)?.[1];
}

/** A profile of which only some values are given; the rest keep their defaults. */
export type ProfileOverrides = { readonly [K in keyof Profile]?: DeepPartial<Profile[K]> };

type DeepPartial<T> = T extends readonly unknown[] ? T : T extends object ? { readonly [K in keyof T]?: DeepPartial<T[K]> } : T;

/** The default profile with an environment's own values over it. */
export function profileWith(overrides: ProfileOverrides): Profile {
  return overlay(DEFAULT_PROFILE, overrides) as Profile;
}

// Lays known keys only, so a hostile key cannot reach a prototype; primaryKey, conditionStatus and successStatus are open maps.
function overlay(base: unknown, over: unknown): unknown {
  if (over === undefined) return base;
  if (!isPlainObject(base) || !isPlainObject(over)) return over;
  const keys = Object.keys(base).length === 0 ? Object.keys(over) : Object.keys(base);
  return Object.fromEntries(keys.map((key) => [key, overlay(base[key], over[key])]));
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}
