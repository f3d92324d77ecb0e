// Services that differ in one setting, and random combinations. The calibration knows only half of their names.
import { Decimal } from "../../src/base/numbers/decimal.ts";
import { systemClock } from "../../src/base/ports.ts";
import { type Calibration, calibrate } from "../../src/calibrate/calibrate.ts";
import type { CalibrationFinding } from "../../src/calibrate/finding.ts";
import { DEFAULT_PROFILE, type ErrorForm, type Profile } from "../../src/contract/profile.ts";
import { NO_SECRETS } from "../../src/playbook/settings/open-secrets.ts";
import { sandboxTarget } from "../../src/cli/project/open-target.ts";
import { USUAL_DIALECT, type Dialect } from "../../src/sandbox/dialect.ts";
import { errorBody } from "../../src/sandbox/http/error-body.ts";
import { REFUSAL_STATUS } from "../../src/sandbox/refusal.ts";
import { type Contents, type FaultPlan, startSandbox } from "../../src/sandbox/sandbox.ts";
import { type Exchanged, type Outgoing, Transport } from "../../src/transport/exchange.ts";
import { jsonEquals, type Json, parseJson } from "../../src/base/json/json.ts";

/** How one service differs. */
export interface Speaking {
  readonly profile: Profile;
  readonly dialect: Dialect;
  readonly commitDelayMs: number;
}

export const USUAL: Speaking = { profile: DEFAULT_PROFILE, dialect: USUAL_DIALECT, commitDelayMs: 20 };

/** One setting that can differ, and the values to choose from. */
export interface Variation {
  readonly path: readonly string[];
  readonly values: readonly unknown[];
}

/** Each setting of the profile, with values that a service may have for it. */
export const VARIATIONS: readonly Variation[] = [
  {
    path: ["profile", "ledger", "onBehalfOf"],
    values: [
      { in: "header", name: "X-On-Behalf-Of" },
      { in: "query", name: "onBehalfOf" },
      { in: "header", name: "X-Act-As" },
      { in: "query", name: "zzActor" },
      { in: "header", name: "X-Zz" },
      { in: "query", name: "entity" },
    ],
  },
  { path: ["profile", "ledger", "parameters", "pageSize"], values: ["size", "limit", "page_size", "zzSize", "perPage", "count"] },
  { path: ["profile", "ledger", "parameters", "bookmark"], values: ["from", "cursor", "pageToken", "zzMark", "after", "next"] },
  {
    path: ["profile", "ledger", "parameters", "pendingOnly"],
    values: ["open", "onlyPending", "pending_only", "zzOpen", "pending"],
  },
  { path: ["profile", "ledger", "pageSize"], values: [2, 10, 25, 50] },
  { path: ["profile", "ledger", "lastBookmark"], values: ["nil", "none", "END", "-1"] },
  { path: ["profile", "ledger", "receipt", "committed"], values: [["DONE"], ["SUCCESS"], ["Valid"], ["ZZ"], ["committed"]] },
  { path: ["profile", "ledger", "receipt", "failed"], values: [["BROKEN"], ["REJECTED"], ["error"], ["YY"]] },
  { path: ["profile", "ledger", "receipt", "pending"], values: ["WAITING", "SUBMITTED", "QQ", "IN_PROGRESS"] },
  { path: ["profile", "ledger", "receipt", "namesTransaction"], values: [false] },
  { path: ["profile", "ledger", "requestStatus", "pending"], values: ["Open", "WAITING", "Q"] },
  { path: ["profile", "ledger", "requestStatus", "approved"], values: ["Yes", "ACCEPTED", "A"] },
  { path: ["profile", "ledger", "requestStatus", "rejected"], values: ["No", "DECLINED", "R"] },
  { path: ["profile", "ledger", "requestStatus", "cancelled"], values: ["Withdrawn", "CANCELED", "C"] },
  {
    path: ["profile", "ledger", "errors"],
    values: [
      [{ kind: "failure", code: true }],
      [{ success: "false", reason: true }],
      [{ error: true, message: true }],
      [{ fault: true, faultCode: "LEDGER" }],
      [{ message: true }],
    ],
  },
  {
    path: ["profile", "ledger", "newOwner"],
    values: ["data.to", "additionalOwners", "data.newOwner", "data.zz", "data.metadata.to"],
  },
  ...(["id", "name", "description", "data"] as const).map((field) => ({
    path: ["profile", "ledger", "fields", "vaultUpdate", field],
    values: {
      id: ["vaultId", "vault", "zz"],
      name: ["title", "zzName"],
      description: ["about", "zzAbout"],
      data: ["metadata", "properties", "zzData"],
    }[field],
  })),
  ...(["vaultId", "assets", "assetType", "id", "data"] as const).map((field) => ({
    path: ["profile", "ledger", "fields", "vaultAssets", field],
    values: {
      vaultId: ["vault", "zz"],
      assets: ["items", "contents", "zz"],
      assetType: ["kind", "type"],
      id: ["assetId", "asset", "zz"],
      data: ["details", "metadata", "zz"],
    }[field],
  })),
  { path: ["profile", "ledger", "primaryKey"], values: [{ Bond: "Isin" }, { Bond: "Id", Property: "ref" }] },
  { path: ["profile", "investor", "errors"], values: [[{ status: "ERR", reason: true }], [{ kind: "no", detail: true }]] },
  ...Object.entries({
    page: ["p", "pageNumber", "zz1"],
    limit: ["per", "pageSize", "zz2"],
    term: ["q", "search", "zz3"],
    investment: ["kind", "type", "zz4"],
    status: ["state", "phase", "zz5"],
    sort: ["order", "sortBy", "zz6"],
    quantity: ["qty", "amount", "zz7"],
    purchaseDate: ["bought", "date", "zz8"],
    timezone: ["tz", "zone", "zz9"],
  }).map(([name, values]) => ({
    path: ["profile", "investor", "parameters", name],
    values,
  })),
  { path: ["profile", "investor", "pageSize"], values: [2, 10] },
  { path: ["profile", "numbers"], values: ["text"] },
  { path: ["profile", "booleans"], values: ["text"] },
  {
    path: ["profile", "conditionStatus"],
    values: [
      { "asset already exists": 418, "vault already exists": 418, "token already exists": 422 },
      { "asset not found": 410, "sale not found": 410 },
      { "invalid parameters": 422, "transaction not found": 400 },
    ],
  },
  {
    path: ["profile", "successStatus"],
    values: [{ async: 202 }, { "ledger.vault.update": 206, "ledger.token.create": 202 }, { "ledger.asset.list": 206 }],
  },
  { path: ["dialect", "unknownParameters"], values: ["ignored"] },
  { path: ["dialect", "pendingReceipt"], values: ["not-found", "empty", "null"] },
  { path: ["dialect", "lastBookmark"], values: ["absent", "null", "repeated"] },
  { path: ["dialect", "writes"], values: ["early"] },
  { path: ["dialect", "numbers"], values: ["exponent"] },
  { path: ["dialect", "createdAt"], values: ["null"] },
  { path: ["dialect", "envelope"], values: ["text", "number"] },
  { path: ["dialect", "errorFields"], values: ["form"] },
  {
    path: ["dialect", "accepts"],
    values: [
      ["second token"],
      ["second vault"],
      ["second deposit"],
      ["over-mint"],
      ["second token", "second vault", "second deposit", "over-mint"],
    ],
  },
  { path: ["commitDelayMs"], values: [0, 150, 400] },
];

/** Returns how a service speaks if one setting has another value. */
export function varied(speaking: Speaking, path: readonly string[], value: unknown): Speaking {
  const set = (part: unknown, [key, ...rest]: readonly string[]): unknown =>
    key === undefined ? value : { ...(part as object), [key]: set((part as Record<string, unknown>)[key], rest) };
  return set(speaking, path) as Speaking;
}

/** Returns whether the names in each list of parameters or words differ. A service cannot have the same name twice in a list. */
export function isPossible({ profile: { ledger, investor } }: Speaking): boolean {
  const { receipt, requestStatus, parameters, fields, onBehalfOf } = ledger;
  const lists: readonly (readonly string[])[] = [
    [...receipt.committed, ...receipt.failed, receipt.pending],
    Object.values(requestStatus),
    [...Object.values(parameters), onBehalfOf.name, "assetType", "id", "depth", "async"],
    Object.values(fields.vaultUpdate),
    Object.values(fields.vaultAssets).filter((name) => name !== "vault"),
    Object.values(investor.parameters),
  ];
  return lists.every((names) => new Set(names).size === names.length);
}

/** A complete answer to one request. */
export type Answered = Extract<Exchanged, { readonly kind: "answered" }>;

/** Calibrates a service of this kind, starting from the default profile. */
export async function calibrated(
  { profile, dialect, commitDelayMs }: Speaking,
  mayWrite: boolean,
  {
    faults = [],
    look,
    spoil = (_, answer) => answer,
  }: {
    readonly faults?: FaultPlan;
    readonly look?: (contents: Contents) => void;
    /** Changes an answer of the service; it gets the path and query of its request. */
    readonly spoil?: (path: string, answer: Answered) => Answered;
  } = {},
): Promise<Calibration> {
  const key = (type: string): string => profile.ledger.primaryKey[type] ?? "id";
  const assets = [
    ...Array.from({ length: 60 }, (_, at) => ({ assetType: "Property", data: { [key("Property")]: `P${at}`, city: "Lisbon" } })),
    ...Array.from({ length: 3 }, (_, at) => ({ assetType: "Bond", data: { [key("Bond")]: `B${at}` } })),
  ];
  const behaviour = { transferable: true, burnable: true };
  const tokens = [1, 2].map((at) => ({ id: `seed${at}`, name: `Seed ${at}`, symbol: "SEE", behaviour }));
  const sandbox = await startSandbox({
    path: ":memory:",
    profile,
    dialect,
    commitDelayMs,
    seed: { ledger: { assets, tokens } },
    faults,
  });
  const transport = new Transport();
  const target = { ...sandboxTarget(sandbox, { environment: "campaign", profile: DEFAULT_PROFILE }), embedded: false };
  try {
    const options = { mayWrite, usualStatus: REFUSAL_STATUS, announce: () => {}, onBrokenOff: () => {} };
    const ports = {
      clock: systemClock,
      exchange: async (outgoing: Outgoing): Promise<Exchanged> => {
        const exchanged = await transport.exchange(outgoing);
        return exchanged.kind === "answered" ? spoil(`${outgoing.method} ${outgoing.path}`, exchanged) : exchanged;
      },
      secrets: NO_SECRETS,
      stopping: new AbortController().signal,
    };
    return await calibrate(target, options, ports);
  } finally {
    await transport.close();
    look?.(sandbox.contents());
    await sandbox.close();
  }
}

/** Returns whether a finding is right about a service of this kind. */
export function isRight({ setting, found }: CalibrationFinding, { profile, dialect }: Speaking): boolean {
  const name = setting.join(".");
  const truth = setting.reduce<unknown>((part, each) => (part as Readonly<Record<string, unknown>> | undefined)?.[each], profile);
  const capability = {
    tokenIdUnique: "second token",
    vaultIdUnique: "second vault",
    sameVaultDepositRefused: "second deposit",
    overMintRefused: "over-mint",
  } as const;
  switch (name) {
    case "ledger.receipt.committed":
      return saysOnly(found, profile.ledger.receipt.committed[0], [
        ...profile.ledger.receipt.failed,
        profile.ledger.receipt.pending,
      ]);
    case "ledger.receipt.failed":
      return saysOnly(found, profile.ledger.receipt.failed[0], [
        ...profile.ledger.receipt.committed,
        profile.ledger.receipt.pending,
      ]);
    case "ledger.errors":
    case "investor.errors":
      return fitsErrors(found as readonly ErrorForm[], profile[name === "ledger.errors" ? "ledger" : "investor"].errors, dialect);
    case "ledger.lastBookmark":
      return found === (dialect.lastBookmark === "word" ? profile.ledger.lastBookmark : "");
    case "conditionStatus":
    case "successStatus":
    case "ledger.primaryKey":
      return true; // the values within it have findings of their own
    case "refusals": {
      const codes = (found as readonly Decimal[]).map((code) => code.approximate());
      const possible = [...DEFAULT_PROFILE.refusals, ...Object.values(profile.conditionStatus)];
      return codes.every((code) => possible.includes(code)) && DEFAULT_PROFILE.refusals.every((code) => codes.includes(code));
    }
  }
  const [first = "", second = "", third = ""] = setting;
  if (second === "capabilities") return found === !dialect.accepts.includes(capability[third as keyof typeof capability]);
  if (first === "conditionStatus")
    return isSame(found, profile.conditionStatus[second] ?? REFUSAL_STATUS[second as keyof typeof REFUSAL_STATUS]);
  return isSame(found, truth);
}

function isSame(found: Json, truth: unknown): boolean {
  return truth !== undefined && jsonEquals(found, parseJson(JSON.stringify(truth)));
}

function saysOnly(found: Json, word: string | undefined, others: readonly string[]): boolean {
  const words = found as readonly string[];
  return word !== undefined && words.includes(word) && !words.some((each) => others.includes(each));
}

// A form may require more than the service's own form, if every error has it. A form must never require less.
function fitsErrors(found: readonly ErrorForm[], truth: readonly ErrorForm[], dialect: Dialect): boolean {
  const [form = {}] = truth;
  const errors = (["asset not found", "invalid parameters"] as const).map(
    (condition) => errorBody(truth, { condition, message: `it is ${condition}` }, dialect) as Readonly<Record<string, unknown>>,
  );
  const asks = (given: ErrorForm, body: Readonly<Record<string, unknown>>): boolean =>
    Object.entries(given).every(([field, value]) =>
      value === true ? Boolean(body[field]) || body[field] === 0 : String(body[field]) === String(value),
    );
  const fitting = found.filter((each) => errors.every((body) => asks(each, body)) || "status" in each);
  return (
    fitting.length > 0 &&
    fitting.every((each) => Object.keys(form).every((field) => field in each || dialect.errorFields === "all"))
  );
}
