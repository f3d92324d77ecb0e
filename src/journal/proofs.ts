import { hash } from "node:crypto";
import { isObject, parseJson } from "../base/json/json.ts";
import { LIMITS } from "../base/limits.ts";
import type { TargetHeading } from "../protocol/heading.ts";
import { type RunState, stateOf } from "../protocol/state.ts";
import type { SqlDatabase, SqlRow } from "../sql/database.ts";
import { readRecords } from "./chain.ts";

/**
 * The transactions and receipts of all runs that have proven a write. The table repeats what the records say, and is written with them:
 * searching the records of all runs at each write would take longer with each run.
 */
export const PROOF_TABLE = `
CREATE TABLE proof (
  id TEXT NOT NULL, run_id TEXT NOT NULL, step TEXT NOT NULL, PRIMARY KEY (id, run_id)
) STRICT, WITHOUT ROWID;
`;

/** Fills the table from the records of earlier formats. */
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

/** A write that a transaction or a receipt has proven. */
export interface Proof {
  /** The id of the run that made the write. */
  readonly runId: string;
  /** The address of the step that made it. */
  readonly step: string;
  /** Where its run acted; `undefined` if its first record cannot be read. */
  readonly target: TargetHeading | undefined;
}

/** Records that a transaction or a receipt has proven a write. Called only in the transaction that writes the record of this. */
export function prove(database: SqlDatabase, id: string, { runId, step }: Pick<Proof, "runId" | "step">): void {
  database.run("INSERT INTO proof (id, run_id, step) VALUES (?, ?, ?) ON CONFLICT DO NOTHING", keptId(id), runId, step);
}

/** Returns whether the table lists that a transaction or a receipt has proven a write of a run. */
export function hasProof(database: SqlDatabase, id: string, runId: string): boolean {
  // An earlier version stored a long id unchanged.
  return database.get("SELECT 1 FROM proof WHERE id IN (?, ?) AND run_id = ?", keptId(id), id, runId) !== undefined;
}

// A server cannot index texts as long as those that a service may send.
function keptId(id: string): string {
  return id.length <= LONGEST_ID ? id : `sha256 ${hash("sha256", id)}`;
}

const LONGEST_ID = 500;

/** Returns the writes of all runs except one that a transaction or a receipt has proven. */
export function proofsOf(database: SqlDatabase, id: string, exceptRun: string): readonly Proof[] {
  // An earlier version stored a long id unchanged.
  const found = database.all("SELECT run_id, step FROM proof WHERE id IN (?, ?) AND run_id <> ?", keptId(id), id, exceptRun);
  return found.map((row) => {
    const runId = String(row["run_id"]);
    return { runId, step: String(row["step"]), target: targetOf(database, runId) };
  });
}

// Selects the runs that are in progress or have left a write open, and those whose last writes are recent.
const BESIDE = "SELECT id, last_sequence FROM run WHERE id <> ? AND (written_until IS NULL OR written_until >= ?)";

interface ProvenRun {
  readonly last: number;
  readonly state: RunState;
}

/** A write of a run, and what is known of the time of its first readings. */
export interface WriteOfRun {
  readonly runId: string;
  /** The run's last record before the readings. */
  readonly sequence: number;
  /** The service's own time then, in milliseconds since the Unix epoch; `undefined` if the service gave none. */
  readonly since: number | undefined;
  /** How old the readings may have been, in milliseconds. */
  readonly readLagMs: number;
}

/**
 * The other runs that may have written since the baseline of a write, or at most `LIMITS.justBeforeMs` before the moment that the baseline shows. If
 * the service gives its own time, only that time counts, not the clock of any machine here (decision 217).
 */
export class RunsBeside {
  /** When the readings began, in milliseconds since the Unix epoch, by the clock of the records. */
  readonly begun: number;
  /** The service's own time then; `undefined` if the service gave none. */
  readonly since: number | undefined;
  readonly #database: SqlDatabase;
  readonly #runId: string;
  readonly #from: number;
  readonly #runs = new Map<string, ProvenRun>();

  constructor(database: SqlDatabase, { runId, sequence, since, readLagMs }: WriteOfRun) {
    this.#database = database;
    this.#runId = runId;
    this.begun = Number(database.get("SELECT at FROM record WHERE run_id = ? AND sequence = ?", runId, sequence)?.["at"] ?? 0);
    this.since = since;
    this.#from = (since ?? this.begun) - readLagMs - LIMITS.justBeforeMs;
  }

  /** Returns the states of these runs as they are now. */
  now(): readonly RunState[] {
    for (const row of this.#database.all(BESIDE, this.#runId, this.#from)) this.#read(row);
    return [...this.#runs.values()].map(({ state }) => state);
  }

  // Without a new record, a run's state is unchanged.
  #read(row: SqlRow): void {
    const [id, last] = [String(row["id"]), Number(row["last_sequence"])];
    if (this.#runs.get(id)?.last === last) return;
    this.#runs.set(id, { last, state: stateOf(readRecords(this.#database, id)) });
  }
}

/** Returns where a run acted, also for an archived run with a proof; `undefined` if its first record cannot be read. */
export function targetOf(database: SqlDatabase, runId: string): TargetHeading | undefined {
  const first = database.get("SELECT body FROM record WHERE run_id = ? AND sequence = 0", runId);
  try {
    if (first === undefined) return archivedTarget(database, runId);
    const opened = parseJson(String(first?.["body"]), LIMITS.recordDepth);
    return isObject(opened) && isObject(opened["target"]) ? (opened["target"] as unknown as TargetHeading) : undefined;
  } catch {
    return undefined; // whoever reads that run gets the error
  }
}

function archivedTarget(database: SqlDatabase, runId: string): TargetHeading | undefined {
  const target = database.get("SELECT target FROM archived_run WHERE id = ?", runId)?.["target"];
  return typeof target === "string" ? (JSON.parse(target) as TargetHeading) : undefined;
}
