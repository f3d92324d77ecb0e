import { Decimal } from "../src/base/numbers/decimal.ts";
import type { DriftKind } from "../src/protocol/comparison.ts";
import { startSandbox } from "../src/sandbox/sandbox.ts";
import { Database } from "../src/sqlite/database.ts";
import { SANDBOX } from "../src/sandbox/store/tables.ts";

// A ledger in which every account has ten movements, and a balance that is their sum, except where an error is planted.

const ACCOUNTS = 100;
const MOVEMENTS = 10;
const ORG = "org1";

/** An error that is planted in an account. */
export type Planted =
  | "wrong by 0.000000000000000001"
  | "unit mix-up"
  | "missing in left"
  | "missing in right"
  | "duplicate"
  | "in flight";

/** One account, and the error that is planted in it. */
export interface Holding {
  readonly token: string;
  readonly holder: string;
  readonly planted: Planted | undefined;
}

/** How many errors of each kind are planted. */
export const PLANTED: Readonly<Record<Planted, number>> = {
  "wrong by 0.000000000000000001": 40,
  "unit mix-up": 22,
  "missing in left": 25,
  "missing in right": 25,
  duplicate: 25,
  "in flight": 13,
};
/** The kind of drift that a reconciliation must find. */
export const KINDS: Readonly<Record<Exclude<Planted, "in flight">, DriftKind>> = {
  "wrong by 0.000000000000000001": "differs",
  "unit mix-up": "unit",
  "missing in left": "missing-left",
  "missing in right": "missing-right",
  duplicate: "duplicate-left",
};

/** Fills a sandbox's file: each account has ten movements, and a balance that is their sum, except where an error is planted. */
export async function generate(path: string, count: number): Promise<readonly Holding[]> {
  const sandbox = await startSandbox({ path });
  await sandbox.close();
  const database = Database.open(path, SANDBOX);
  const holdings = planted(count);
  database.exec("PRAGMA synchronous = OFF");
  for (const token of tokenIds(count)) {
    database.transaction(() => {
      put(database, "token", { id: token, scope: "", body: tokenBody(token) });
      for (const holding of holdings) if (holding.token === token) putHolding(database, holding);
    });
  }
  database.close();
  return holdings;
}

// Spreads the errors evenly over all accounts.
function planted(count: number): readonly Holding[] {
  const wanted = Object.entries(PLANTED).flatMap(([name, times]) => Array.from({ length: times }, () => name as Planted));
  const every = Math.floor((count * ACCOUNTS) / wanted.length);
  return Array.from({ length: count * ACCOUNTS }, (_, at) => ({
    token: `T${Math.floor(at / ACCOUNTS)}`,
    holder: `user${at % ACCOUNTS}`,
    planted: at % every === 0 ? wanted[at / every] : undefined,
  }));
}

function tokenBody(id: string): object {
  const classification = { type: "fungible", unit: "fractional", valueType: "intrinsic", supply: "infinite" };
  const behaviour = { decimal: 18, transferable: true, burnable: true, maxMintQuantity: 0 };
  const amounts = { totalSupply: 0, totalMintedAmount: 0, burntAmount: 0 };
  const rest = {
    name: id,
    description: "",
    symbol: id,
    properties: {},
    tokenPermissions: [],
    nftFields: [],
    owners: [{ entity: entity("issuer") }],
  };
  return { id, classification, behaviour, ...amounts, ...rest, ...STAMPS, createdAt: STAMPS.updatedAt };
}

const STAMPS = { createdBy: entity("issuer"), updatedAt: "2026-11-20T00:00:00.000Z", updatedBy: entity("issuer") };

function entity(userId: string): object {
  return { orgId: ORG, userId };
}

function putHolding(database: Database, { token, holder, planted: what }: Holding): void {
  let balance = Decimal.of(0);
  let last = balance;
  for (let at = 0; at < MOVEMENTS; at++) {
    const isBurn = at === MOVEMENTS - 1;
    const amount = Decimal.fromJsonSource(isBurn ? "0.25" : `${at + 1}.000000000000000001`);
    last = isBurn ? amount.negated() : amount;
    balance = balance.plus(last);
    if (what !== "missing in right") putMovement(database, { token, holder, at, amount, isBurn });
  }
  if (what === "missing in left") return;
  putAccount(database, { token, holder, copy: 0, balance: shown(balance, last, what) });
  if (what === "duplicate") putAccount(database, { token, holder, copy: 1, balance });
}

const UNIT = Decimal.fromJsonSource("0.000000000000000001");
const OTHER_UNIT = Decimal.fromJsonSource("10000000000000000");

function shown(balance: Decimal, last: Decimal, what: Planted | undefined): Decimal {
  if (what === "wrong by 0.000000000000000001") return balance.plus(UNIT);
  if (what === "unit mix-up") return balance.times(OTHER_UNIT);
  return what === "in flight" ? balance.minus(last) : balance;
}

interface Movement {
  readonly token: string;
  readonly holder: string;
  readonly at: number;
  readonly amount: Decimal;
  readonly isBurn: boolean;
}

function putMovement(database: Database, { token, holder, at, amount, isBurn }: Movement): void {
  const id = `${token}.${holder}.${at}`;
  const detail = { tokenId: token, to: entity(holder), amount, timestampUnix: 1_795_000_000 };
  const body = {
    docType: "tkntx",
    id,
    type: isBurn ? "BURN" : "MINT",
    transactionDetails: [detail],
    owners: [entity(holder)],
    ...STAMPS,
    createdAt: STAMPS.updatedAt,
  };
  put(database, "tokenTransaction", { id, scope: "", body });
  put(database, "tokenTransactionOf", { id: JSON.stringify([token, id]), scope: token, body: { id } });
}

function putAccount(
  database: Database,
  { token, holder, copy, balance }: { token: string; holder: string; copy: number; balance: Decimal },
): void {
  const id = `account~${token}.${holder}.${copy}`;
  const body = {
    id,
    docType: "account",
    entity: entity(holder),
    tokenId: token,
    balance,
    approvedEntities: [],
    nftIds: [],
    owners: [entity(holder)],
    ...STAMPS,
    createdAt: null,
  };
  put(database, "account", { id, scope: token, body });
}

function put(database: Database, kind: string, { id, scope, body }: { id: string; scope: string; body: object }): void {
  database.run("INSERT INTO resources (kind, id, scope, body) VALUES (?, ?, ?, ?)", kind, id, scope, JSON.stringify(body));
}

/** Adds what was in flight to the ledger. */
export function land(path: string, holdings: readonly Holding[]): void {
  const database = Database.open(path, SANDBOX);
  database.transaction(() => {
    for (const { token, holder, planted: what } of holdings) {
      if (what !== "in flight") continue;
      const id = `account~${token}.${holder}.0`;
      const row = database.get("SELECT body FROM resources WHERE kind = 'account' AND id = ?", id);
      const late = String(row?.["body"]).replace(
        /"balance":(-?[\d.]+)/,
        (_, text: string) => `"balance":${Decimal.fromJsonSource(text).minus(Decimal.fromJsonSource("0.25")).text}`,
      );
      database.run("UPDATE resources SET body = ? WHERE kind = 'account' AND id = ?", late, id);
    }
  });
  database.close();
}

/** Returns the ids of this number of tokens. */
export function tokenIds(count: number): readonly string[] {
  return Array.from({ length: count }, (_, at) => `T${at}`);
}
