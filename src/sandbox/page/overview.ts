import type { Database } from "../../sqlite/database.ts";
import { SANDBOX_LIMITS } from "../limits.ts";
import { latestCommits, type LoggedCommit } from "../store/commits.ts";
import type { InvestorToken, Sale } from "../store/investor-resources.ts";
import type { StoredAsset, StoredToken, StoredVault } from "../store/ledger-resources.ts";
import type { Kind, Resources } from "../store/resources.ts";
import { World } from "../store/world.ts";

/** How many there are, and the newest of them, newest first. */
export interface Listing<T> {
  readonly count: number;
  readonly latest: readonly T[];
}

/** A ledger transaction as the page shows it. */
export interface TransactionRow {
  readonly transactionId: string;
  readonly operation: string;
  readonly state: string;
  readonly message: string;
}

/** What the sandbox holds. */
export interface Overview {
  readonly assets: Listing<StoredAsset>;
  readonly tokens: Listing<StoredToken>;
  readonly vaults: Listing<StoredVault>;
  readonly investorTokens: Listing<InvestorToken>;
  readonly sales: Listing<Sale>;
  readonly transactions: Listing<TransactionRow>;
  readonly commits: Listing<LoggedCommit>;
}

/** Reads what the sandbox holds. */
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
