import { Bug, invariant } from "../../base/failure.ts";
import { parseJson, writeJson } from "../../base/json/json.ts";
import type { SqlRow } from "../../sql/database.ts";
import type { Database } from "../../sqlite/database.ts";
import { newId, newTransactionId } from "../ids.ts";
import { found, ServiceRefusal, type Condition } from "../refusal.ts";
import { logCommit } from "../store/commits.ts";
import type { StoredEntity } from "../store/ledger-resources.ts";
import type { Past } from "../store/past.ts";
import { World } from "../store/world.ts";
import type { Commit } from "./call.ts";
import type { LedgerRules, ReceiptOutcome } from "./operations.ts";

/** A write as the caller requested it. */
export interface Request {
  /** The name of the operation, such as `ledger.token.mint`. */
  readonly operation: string;
  /** The acting entity: the one that the call names, or else the ledger entity. */
  readonly actor: StoredEntity;
  /** The body, already checked against the contract's schema. */
  readonly body: unknown;
  /** Whether the caller does not wait for the commit. Then a write that breaks a rule is accepted, and its receipt becomes FAILED. */
  readonly isAsync: boolean;
  /** The fault that affects the write inside the ledger. Left out if there is none. */
  readonly fault?: WriteFault;
}

/** A fault that affects a write inside the ledger. */
export interface WriteFault {
  /** How much later than others it commits. Others do not wait for it. */
  readonly holdMs?: number;
  /** If given, the write fails with this message when it should commit. */
  readonly doom?: string;
}

/** A write that the ledger has accepted. It takes effect or fails at `commitAt`. */
export interface Submission {
  /** The id of the ledger transaction: 64 hexadecimal digits. */
  readonly transactionId: string;
  /** The id of its receipt: 24 hexadecimal digits. */
  readonly receiptId: string;
  /** When it takes effect or fails, in virtual milliseconds since the Unix epoch. */
  readonly commitAt: number;
}

/** Where the chain is stored, and how fast it is. */
interface ChainOptions extends Pick<Commit<unknown>, "profile" | "settings" | "dialect"> {
  readonly database: Database;
  /** The earlier moments of the service, which record when each write takes effect. */
  readonly past: Past;
  /** How long a ledger write stays pending, in milliseconds. */
  readonly commitDelayMs: number;
  /** What each write does, by operation. */
  readonly writes: LedgerRules["writes"];
}

/**
 * The order of all ledger writes. A write is rehearsed and stored as pending. When its time has come, the next request in any process commits it or lets it
 * fail. So nothing depends on a timer, or on a process that stays alive.
 */
export class Chain {
  readonly #database: Database;
  readonly #world: World;
  readonly #options: ChainOptions;

  constructor(options: ChainOptions) {
    this.#database = options.database;
    this.#world = new World(options.database);
    this.#options = options;
  }

  /** Accepts a write. Throws a refusal if the current ledger refuses it, unless the caller reads the outcome from the receipt. */
  submit(request: Request, now: number): Submission {
    const transactionId = newTransactionId();
    const { operation, actor, body, isAsync } = request;
    return this.#database.transaction(() => {
      if (!isAsync) rehearse(this.#database, () => this.#perform(operation, { actor, body, now, transactionId }));
      const submission = { transactionId, receiptId: newId(), commitAt: this.#nextCommit(now) + (request.fault?.holdMs ?? 0) };
      this.#insert(request, submission);
      return submission;
    });
  }

  /** Settles every pending write whose time has come, in order. The rules are applied to the state at that point. */
  advance(now: number): void {
    if (this.#options.past.isShown || this.#due(now).length === 0) return;
    this.#database.transaction(() => {
      for (const row of this.#due(now)) this.#options.past.happens(Number(row["commit_at"]), () => this.#settle(row));
    });
  }

  /** Returns the outcome of a submitted write. */
  outcome(transactionId: string): ReceiptOutcome {
    const row = this.#database.get("SELECT * FROM ledger_transactions WHERE transaction_id = ?", transactionId);
    invariant(row, `the ledger has lost the transaction ${transactionId}`);
    return asOutcome(row);
  }

  /** Returns the outcome of a write by its receipt. Refuses an unknown receipt. */
  outcomeOfReceipt(receiptId: string): ReceiptOutcome {
    const row = this.#database.get("SELECT * FROM ledger_transactions WHERE receipt_id = ?", receiptId);
    return asOutcome(found(row, "transaction not found", `there is no receipt ${receiptId}`));
  }

  // Commits keep the order of submission, even if processes with different delays share the file. A write that is held back does not block those after it.
  #nextCommit(now: number): number {
    const last = this.#database.get("SELECT commit_at FROM ledger_transactions WHERE held = 0 ORDER BY seq DESC LIMIT 1");
    return Math.max(now + this.#options.commitDelayMs, Number(last?.["commit_at"] ?? 0));
  }

  #insert({ operation, actor, body, fault }: Request, { transactionId, receiptId, commitAt }: Submission): void {
    this.#database.run(
      `INSERT INTO ledger_transactions (transaction_id, receipt_id, operation, actor, body, commit_at, held, doom, state, message)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'PENDING', '')`,
      transactionId,
      receiptId,
      operation,
      writeJson(actor),
      writeJson(body),
      commitAt,
      fault?.holdMs === undefined ? 0 : 1,
      fault?.doom ?? null,
    );
  }

  #due(now: number): readonly SqlRow[] {
    return this.#database.all(
      "SELECT * FROM ledger_transactions WHERE state = 'PENDING' AND commit_at <= ? ORDER BY commit_at, seq",
      now,
    );
  }

  #settle(row: SqlRow): void {
    const transactionId = String(row["transaction_id"]);
    try {
      attempt(this.#database, () => this.#commit(row, transactionId));
      this.#close(transactionId, { state: "COMMITTED", message: "Success" });
    } catch (error) {
      if (error instanceof ServiceRefusal)
        this.#close(transactionId, { state: "FAILED", condition: error.condition, message: error.message });
      else if (error instanceof Bug)
        this.#close(transactionId, { state: "FAILED", condition: "server error", message: error.message });
      else throw error;
    }
  }

  #commit(row: SqlRow, transactionId: string): void {
    if (row["doom"] !== null) throw new ServiceRefusal("server error", String(row["doom"]));
    const operation = String(row["operation"]);
    const actor = parseJson(String(row["actor"])) as unknown as StoredEntity;
    const body = parseJson(String(row["body"]));
    const at = Number(row["commit_at"]);
    this.#perform(operation, { actor, body, now: at, transactionId });
    logCommit(this.#database, { at, transactionId, interface: "ledger", operation, actor, body });
  }

  #perform(operation: string, given: Pick<Commit<unknown>, "actor" | "body" | "now" | "transactionId">): void {
    const { profile, settings, dialect, writes } = this.#options;
    const write = writes[operation];
    invariant(write, `the ledger knows no write ${operation}`);
    write({ ...given, world: this.#world, profile, settings, dialect, params: {} });
  }

  #close(transactionId: string, { state, condition, message }: Omit<ReceiptOutcome, "transactionId">): void {
    this.#database.run(
      "UPDATE ledger_transactions SET state = ?, condition = ?, message = ? WHERE transaction_id = ?",
      state,
      condition ?? null,
      message,
      transactionId,
    );
  }
}

function asOutcome(row: SqlRow): ReceiptOutcome {
  const outcome = {
    transactionId: String(row["transaction_id"]),
    state: row["state"] as ReceiptOutcome["state"],
    message: String(row["message"]),
  };
  return row["condition"] === null ? outcome : { ...outcome, condition: row["condition"] as Condition };
}

// Runs work inside the open transaction and undoes it, to find out whether it would be refused.
function rehearse(database: Database, work: () => void): void {
  database.exec("SAVEPOINT rehearsal");
  try {
    work();
  } finally {
    database.exec("ROLLBACK TO rehearsal; RELEASE rehearsal");
  }
}

// Runs work inside the open transaction. If it throws, only its own changes are undone.
function attempt(database: Database, work: () => void): void {
  database.exec("SAVEPOINT attempt");
  try {
    work();
  } catch (error) {
    database.exec("ROLLBACK TO attempt; RELEASE attempt");
    throw error;
  }
  database.exec("RELEASE attempt");
}
