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

/** The writes of all runs but one that a transaction, or a receipt, has proven. */
export function proofsOf(database: SqlDatabase, id: string, exceptRun: string): readonly Proof[] {
  return database.all("SELECT run_id, step FROM proof WHERE id = ? AND run_id <> ?", id, exceptRun).map((row) => {
    const runId = String(row["run_id"]);
    return { runId, step: String(row["step"]), target: targetOf(database, runId) };
  });
}

/** A run that may have written at the time of a write of another one. */
export interface RunBeside {
  readonly state: RunState;
  /** What it had completed by then, in milliseconds since the Unix epoch, was there before that write. */
  readonly begun: number;
}

const RECENT =
  "SELECT id, last_sequence FROM run JOIN record ON run_id = id AND sequence = last_sequence WHERE id <> ? AND at >= ?";
const UNDER_WAY = "SELECT id, last_sequence FROM run WHERE id <> ? AND (settled = 0 OR opened_at >= ?)";
const LAST = "SELECT id, last_sequence FROM run WHERE id = ?";

interface ReadRun {
  readonly last: number;
  readonly state: RunState;
}

/**
 * The other runs that may have written since a record of a run, or at most `LIMITS.justBeforeMs` before it: those that are under way or have
 * left a write open, those that had just ended, and those that begin or are resumed.
 */
export class RunsBeside {
  readonly #database: SqlDatabase;
  readonly #runId: string;
  readonly #begun: number;
  readonly #runs = new Map<string, ReadRun>();
  #underWay: ReadonlySet<string> = new Set();

  /** Looks at the last records of all runs, which takes longer with each run. */
  constructor(database: SqlDatabase, runId: string, sequence: number) {
    this.#database = database;
    this.#runId = runId;
    this.#begun = Number(database.get("SELECT at FROM record WHERE run_id = ? AND sequence = ?", runId, sequence)?.["at"] ?? 0);
    for (const row of database.all(RECENT, runId, this.#begun - LIMITS.justBeforeMs)) this.#read(row);
    this.#follow();
  }

  /** Returns them as they are now. */
  now(): readonly RunBeside[] {
    this.#follow();
    return [...this.#runs.values()].map(({ state }) => ({ state, begun: this.#begun }));
  }

  #follow(): void {
    const rows = this.#database.all(UNDER_WAY, this.#runId, this.#begun);
    const underWay = new Set(rows.map(({ id }) => String(id)));
    for (const row of rows) this.#read(row);
    // A run that has ended since may have written until then.
    for (const id of this.#underWay) if (!underWay.has(id)) this.#read(this.#database.get(LAST, id));
    this.#underWay = underWay;
  }

  // A run without a new record is as it was.
  #read(row: SqlRow | undefined): void {
    if (row === undefined) return;
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
