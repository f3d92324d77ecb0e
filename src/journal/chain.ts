import { hash } from "node:crypto";
import { Failure } from "../base/failure.ts";
import type { RunRecord } from "../protocol/record.ts";
import type { SqlDatabase, SqlRow } from "../sql/database.ts";
import { decode } from "./codec.ts";

/** The end of a run's chain of records. */
export interface ChainEnd {
  /** The number of the last record; -1 without records. */
  readonly sequence: number;
  /** The hash of the last record, in hexadecimal; 64 zeros without records. */
  readonly hash: string;
}

/** The start of a run's chain, before its first record. */
export const CHAIN_START: ChainEnd = { sequence: -1, hash: "0".repeat(64) };

/** Returns the hash of a record, which covers the previous hash and everything in the record. */
export function link(previous: string, { sequence, epoch, at, kind }: RecordPlace, body: string): string {
  return hash("sha256", `${previous}\n${[sequence, epoch, at, kind, body].join("\n")}`);
}

type RecordPlace = Pick<RunRecord, "sequence" | "epoch" | "at" | "kind">;

/** A record with its place in the chain. */
export interface ChainedRecord {
  /** The record itself, with its place. */
  readonly record: RunRecord;
  /** The SHA-256 hash of the previous hash and everything in the record, in hexadecimal. */
  readonly hash: string;
  /** The hash of the previous record; 64 zeros for the first record. */
  readonly previous: string;
  /** The record without its place, as the text of a JSON object. The hash covers this text. */
  readonly body: string;
}

// One query, so that its rows are from one moment: another process may continue or archive the run in the meantime.
const RECORDS_AND_END = `SELECT record.*, last_sequence, last_hash FROM run
  LEFT JOIN record ON run_id = id AND sequence > ? WHERE id = ? ORDER BY sequence`;

/**
 * Yields the records of a run after a place in it, each checked against the chain. Calls `unknown` if the journal has no such run. Throws a
 * Failure that names the first broken record.
 */
export function* readChain(
  database: SqlDatabase,
  runId: string,
  unknown: () => void,
  after: ChainEnd = CHAIN_START,
): Generator<ChainedRecord> {
  let { sequence, hash: previous } = after;
  let end: ChainEnd | undefined;
  for (const row of database.iterate(RECORDS_AND_END, sequence, runId)) {
    if (end === undefined) {
      end = { sequence: Number(row["last_sequence"]), hash: String(row["last_hash"]) };
      if (sequence >= 0 && sequence >= end.sequence && previous !== end.hash) throw broken(runId, sequence);
      if (row["sequence"] === null) break;
    }
    sequence++;
    // Checked before the body is parsed, because a damaged body may not even be JSON.
    const body = String(row["body"]);
    const own = link(previous, placeOf(row), body);
    if (row["sequence"] !== sequence || row["previous"] !== previous || row["hash"] !== own) throw broken(runId, sequence);
    if (sequence === end.sequence && own !== end.hash) throw broken(runId, sequence);
    yield { record: decode(row), hash: own, previous, body };
    previous = own;
  }
  if (end === undefined) unknown();
  // SQLite may return a part of a damaged file as if it were the whole.
  else if (sequence < Math.max(end.sequence, 0)) throw broken(runId, sequence + 1);
}

/** The records of a run that were read, and the end of its chain at that time. */
export interface RunHistory {
  /** The records in order. */
  readonly records: readonly RunRecord[];
  /** The end of the chain when it was read. */
  readonly end: ChainEnd;
}

const NOTHING_YET: RunHistory = { records: [], end: CHAIN_START };

/**
 * Returns the records of a run, reading only those after the known ones; returns `known` itself if there are none. Calls and throws like
 * `readChain`.
 */
export function readHistory(
  database: SqlDatabase,
  runId: string,
  unknown: () => void,
  known: RunHistory = NOTHING_YET,
): RunHistory {
  const news = [...readChain(database, runId, unknown, known.end)];
  const last = news.at(-1);
  if (last === undefined) return known;
  const records = [...known.records, ...news.map(({ record }) => record)];
  return { records, end: { sequence: last.record.sequence, hash: last.hash } };
}

/** Yields the records of a run, each checked against the chain; none if there is no such run. Throws a Failure that names the first broken record. */
export function* readRecords(database: SqlDatabase, runId: string): Generator<RunRecord> {
  for (const { record } of readChain(database, runId, () => undefined)) yield record;
}

function placeOf(row: SqlRow): RecordPlace {
  return {
    sequence: Number(row["sequence"]),
    epoch: Number(row["epoch"]),
    at: Number(row["at"]),
    kind: String(row["kind"]) as RunRecord["kind"],
  };
}

/** Returns whether an error says that the records of a run are damaged. */
export function isBroken(error: unknown): error is Failure {
  return error instanceof Failure && error.code === "journal.broken";
}

function broken(runId: string, sequence: number): Failure {
  return new Failure({
    code: "journal.broken",
    message: `the journal of run ${runId} is damaged at record ${sequence}`,
    why: "a record does not follow from the one before it; what happened cannot be known from here, so nothing is sent",
    next: "restore the state directory from a backup, or begin a new run after looking at the ledger",
  });
}
