import type { Database } from "../../sqlite/database.ts";
import { SANDBOX_LIMITS } from "../limits.ts";
import { latestCommits, type LoggedCommit } from "../store/commits.ts";
import type { InvestorToken, Sale } from "../store/investor-resources.ts";
import type { StoredAsset, StoredToken, StoredVault } from "../store/ledger-resources.ts";
import type { Kind, Resources } from "../store/resources.ts";
import { World } from "../store/world.ts";

/** The number of some resources, and the newest of them. */
export interface Listing<T> {
  /** The total number. */
  readonly count: number;
  /** The newest of them, the newest first, at most `SANDBOX_LIMITS.pageRows`. */
  readonly latest: readonly T[];
}

/** A ledger transaction as the page shows it. */
type TransactionRow = Readonly<Record<"transactionId" | "operation" | "state" | "message", string>>;

/** The content of the sandbox. */
export interface Overview {
  /** The assets of the ledger. */
  readonly assets: Listing<StoredAsset>;
  /** The tokens of the ledger. */
  readonly tokens: Listing<StoredToken>;
  /** The vaults of the ledger. */
  readonly vaults: Listing<StoredVault>;
  /** The tokens of the investor interface. */
  readonly investorTokens: Listing<InvestorToken>;
  /** The sales of the investor interface. */
  readonly sales: Listing<Sale>;
  /** The writes that the ledger has accepted, whatever their state. */
  readonly transactions: Listing<TransactionRow>;
  /** The writes of both interfaces that have taken effect. */
  readonly commits: Listing<LoggedCommit>;
}

/** Reads the content of the sandbox. */
export function readOverview(database: Database): Overview {
  const world = new World(database);
  const listing = <K extends Kind>(kind: K): Listing<Resources[K]> => ({
    count: world.count(kind),
    latest: world.latest(kind, SANDBOX_LIMITS.pageRows),
  });
  return {
    assets: listing("asset"),
    tokens: listing("token"),
    vaults: listing("vault"),
    investorTokens: listing("investorToken"),
    sales: listing("sale"),
    transactions: transactions(database),
    commits: latestCommits(database, SANDBOX_LIMITS.pageRows),
  };
}

function transactions(database: Database): Listing<TransactionRow> {
  const count = Number(database.get("SELECT count(*) AS n FROM ledger_transactions")?.["n"]);
  const sql = "SELECT transaction_id, operation, state, message FROM ledger_transactions ORDER BY seq DESC LIMIT ?";
  const latest = database.all(sql, SANDBOX_LIMITS.pageRows).map((row) => ({
    transactionId: String(row["transaction_id"]),
    operation: String(row["operation"]),
    state: String(row["state"]),
    message: String(row["message"]),
  }));
  return { count, latest };
}
