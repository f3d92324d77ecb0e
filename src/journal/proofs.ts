import { hash } from "node:crypto";
import { isObject, parseJson } from "../base/json/json.ts";
import { LIMITS } from "../base/limits.ts";
import type { TargetHeading } from "../protocol/heading.ts";
import { type RunState, stateOf } from "../protocol/state.ts";
import type { SqlDatabase, SqlRow } from "../sql/database.ts";
import { readRecords } from "./chain.ts";

/**
 * The transactions and receipts that have proven a write, of all runs. It says no more than the records do, and is written with them:
 * to look through the records of all runs at each write would take longer with each run.
 */
export const PROOF_TABLE = `
CREATE TABLE proof (
  id TEXT NOT NULL, run_id TEXT NOT NULL, step TEXT NOT NULL, PRIMARY KEY (id, run_id)
) STRICT, WITHOUT ROWID;
`;

/** Fills the table from the records of the formats before it. */
export const FIRST_PROOFS = `
INSERT OR IGNORE INTO proof
WITH whole AS MATERIALIZED (
  SELECT run_id, kind, body FROM record
  WHERE kind IN ('attempt.answered', 'receipt.read', 'attempt.settled') AND json_valid(body)
), named AS (
  SELECT body ->> '$.payload.transactionId' AS id, run_id, body FROM whole WHERE kind = 'attempt.answered'
  UNION ALL SELECT body ->> '$.payload.result.transactionId', run_id, body FROM whole WHERE kind = 'attempt.answered'
  UNION ALL SELECT 'receipt ' || nullif(body ->> '$.payload.receiptId', ''), run_id, body FROM whole
  WHERE kind = 'attempt.answered' AND coalesce(body ->> '$.payload.transactionId', '') = ''
  UNION ALL SELECT body ->> '$.receipt.transactionId', run_id, body FROM whole WHERE kind = 'receipt.read'
  UNION ALL SELECT body ->> '$.spends', run_id, body FROM whole WHERE kind = 'attempt.settled'
)
SELECT id, run_id, body ->> '$.step' FROM named WHERE typeof(id) = 'text' AND id <> '' AND body ->> '$.step' IS NOT NULL;
`;

/** A write that a transaction, or a receipt, has proven. */
export interface Proof {
  /** The id of the run that made the write. */
  readonly runId: string;
  /** The address of the step that made it. */
  readonly step: string;
  /** Where its run acted; `undefined` when its first record cannot be read. */
  readonly target: TargetHeading | undefined;
}

/** Keeps that a transaction, or a receipt, has proven a write. Only within the transaction that keeps the record of it. */
export function prove(database: SqlDatabase, id: string, { runId, step }: Pick<Proof, "runId" | "step">): void {
  database.run("INSERT INTO proof (id, run_id, step) VALUES (?, ?, ?) ON CONFLICT DO NOTHING", keptId(id), runId, step);
}

// A server has no index of texts as long as a service may send.
function keptId(id: string): string {
  return id.length <= LONGEST_ID ? id : `sha256 ${hash("sha256", id)}`;
}

const LONGEST_ID = 500;

/** The writes of all runs but one that a transaction, or a receipt, has proven. */
export function proofsOf(database: SqlDatabase, id: string, exceptRun: string): readonly Proof[] {
  // An earlier version kept a long id as it is.
  const found = database.all("SELECT run_id, step FROM proof WHERE id IN (?, ?) AND run_id <> ?", keptId(id), id, exceptRun);
  return found.map((row) => {
    const runId = String(row["run_id"]);
    return { runId, step: String(row["step"]), target: targetOf(database, runId) };
  });
}

// Those that are under way or have left a write open, and those whose last writes are recent.
const BESIDE = "SELECT id, last_sequence FROM run WHERE id <> ? AND (written_until IS NULL OR written_until >= ?)";

interface ReadRun {
  readonly last: number;
  readonly state: RunState;
}

/** A write of a run, and what is known of the moment of its first readings. */
export interface WriteOfRun {
  readonly runId: string;
  /** The run's last record before them. */
  readonly sequence: number;
  /** The service's own time then, in milliseconds since the Unix epoch; `undefined` when it gave none. */
  readonly since: number | undefined;
  /** How old the readings may have been, in milliseconds. */
  readonly readLagMs: number;
}

/**
 * The other runs that may have written since the readings before a write of a run, or at most `LIMITS.justBeforeMs` before what they show. The time of
 * that is the service's: nobody's clock here counts where the service gives its own (decision 217).
 */
export class RunsBeside {
  /** When the readings began, in milliseconds since the Unix epoch, by the clock of records. */
  readonly begun: number;
  /** The service's own time then; `undefined` when it gave none. */
  readonly since: number | undefined;
  readonly #database: SqlDatabase;
  readonly #runId: string;
  readonly #from: number;
  readonly #runs = new Map<string, ReadRun>();

  constructor(database: SqlDatabase, { runId, sequence, since, readLagMs }: WriteOfRun) {
    this.#database = database;
    this.#runId = runId;
    this.begun = Number(database.get("SELECT at FROM record WHERE run_id = ? AND sequence = ?", runId, sequence)?.["at"] ?? 0);
    this.since = since;
    this.#from = (since ?? this.begun) - readLagMs - LIMITS.justBeforeMs;
  }

  /** Returns them as they are now. */
  now(): readonly RunState[] {
    for (const row of this.#database.all(BESIDE, this.#runId, this.#from)) this.#read(row);
    return [...this.#runs.values()].map(({ state }) => state);
  }

  // A run without a new record is as it was.
  #read(row: SqlRow): void {
    const [id, last] = [String(row["id"]), Number(row["last_sequence"])];
    if (this.#runs.get(id)?.last === last) return;
    this.#runs.set(id, { last, state: stateOf(readRecords(this.#database, id)) });
  }
}

/** Returns where a run acted, also an archived run with a proof; `undefined` when its first record cannot be read. */
export function targetOf(database: SqlDatabase, runId: string): TargetHeading | undefined {
  const first = database.get("SELECT body FROM record WHERE run_id = ? AND sequence = 0", runId);
  try {
    if (first === undefined) return archivedTarget(database, runId);
    const opened = parseJson(String(first?.["body"]), LIMITS.recordDepth);
    return isObject(opened) && isObject(opened["target"]) ? (opened["target"] as unknown as TargetHeading) : undefined;
  } catch {
    return undefined; // reading that run reports what is wrong with it
  }
}

function archivedTarget(database: SqlDatabase, runId: string): TargetHeading | undefined {
  const target = database.get("SELECT target FROM archived_run WHERE id = ?", runId)?.["target"];
  return typeof target === "string" ? (JSON.parse(target) as TargetHeading) : undefined;
}
