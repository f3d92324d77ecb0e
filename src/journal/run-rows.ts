import { LIMITS } from "../base/limits.ts";
import { isMasked } from "../base/secret.ts";
import { DAY_MS, isoTime } from "../base/time/date.ts";
import { identityOf, nameOfIdentity, placeOf, type PlaybookPlace } from "../protocol/identity.ts";
import { leftWrites } from "../protocol/open-writes.ts";
import type { RunState } from "../protocol/state.ts";
import type { Cell, SqlDatabase, SqlRow } from "../sql/database.ts";
import type { Leases } from "./leases.ts";
import { hasProof } from "./proofs.ts";
import { type RunSummary, summariesIn } from "./run-summary.ts";

/** The runs of one day with the same outcome. */
export interface RunsOfDay {
  /** The day since the Unix epoch, in UTC. */
  readonly day: number;
  /** The outcome; `undefined` if they are in progress, or their processes died. */
  readonly outcome: string | undefined;
  /** How many runs there are. */
  readonly runs: number;
}

// A loss of records that a person has accepted ends a run.
const IS_NOT_LOST = "run.id NOT IN (SELECT run_id FROM ended_run)";
const NOT_PASSED = `outcome IS DISTINCT FROM 'passed' AND ${IS_NOT_LOST}`;

/** The runs of a journal, selected by queries, without reading their records. */
export class RunRows {
  readonly #database: SqlDatabase;
  readonly #leases: Leases;

  constructor(database: SqlDatabase, leases: Leases) {
    this.#database = database;
    this.#leases = leases;
  }

  /** Returns the latest runs, the latest first. */
  latest(limit: number): readonly RunSummary[] {
    return this.#summaries("ORDER BY opened_at DESC, id DESC LIMIT ?", limit);
  }

  /** Returns the run with an id. */
  find(id: string): RunSummary | undefined {
    return this.#summaries("WHERE id = ?", id)[0];
  }

  /** Returns the ids of all runs, the earliest first. */
  ids(): readonly string[] {
    return this.#database.all("SELECT id FROM run ORDER BY opened_at, id").map(({ id }) => String(id));
  }

  /** Returns how many runs there are. */
  total(): number {
    return Number(this.#database.get("SELECT COUNT(*) AS total FROM run")?.["total"]);
  }

  /** Returns the path of a run's playbook from the folder of its project; `undefined` if there is no such run, or it began without a project. */
  playbookInProject(id: string): string | undefined {
    const row = this.#database.get("SELECT identity FROM run WHERE id = ?", id);
    return row === undefined ? undefined : nameOfIdentity(String(row["identity"]));
  }

  /** Returns the runs whose outcome a person or a resumed run may still change, so that they are not archived. */
  unfinished(): readonly RunSummary[] {
    return this.#summaries(`WHERE (outcome IS NULL OR outcome NOT IN ('passed', 'failed', 'drift')) AND ${IS_NOT_LOST}`);
  }

  /** Returns the runs that have not passed, the latest first, without those that a loss has ended. */
  notPassed(limit: number): readonly RunSummary[] {
    return this.#summaries(`WHERE ${NOT_PASSED} ORDER BY opened_at DESC, id DESC LIMIT ?`, limit);
  }

  /** Returns those of them that are the last run of their playbook in their environment. */
  lastNotPassed(limit: number): readonly RunSummary[] {
    const later = `SELECT 1 FROM run AS later WHERE later.identity = run.identity AND later.environment = run.environment
      AND (later.opened_at > run.opened_at OR later.opened_at = run.opened_at AND later.id > run.id)`;
    return this.#summaries(`WHERE ${NOT_PASSED} AND NOT EXISTS (${later}) ORDER BY opened_at DESC, id DESC LIMIT ?`, limit);
  }

  /** Returns how many runs of each day have which outcome, from a day on. */
  outcomesByDay(from: number): readonly RunsOfDay[] {
    const counts = `SELECT opened_at / ${DAY_MS} AS day, outcome, COUNT(*) AS runs FROM run WHERE opened_at >= ? GROUP BY 1, outcome`;
    return this.#database.all(counts, from * DAY_MS).map(({ day, outcome, runs }) => ({
      day: Number(day),
      outcome: outcome === null ? undefined : String(outcome),
      runs: Number(runs),
    }));
  }

  /**
   * Returns the runs that may have left a write open, the latest first: runs in progress, runs whose process died, and runs that recorded
   * an open write at their end. Runs that a loss has ended are left out, because the person who accepted the loss has checked the ledger.
   */
  unsettled(): readonly RunSummary[] {
    return this.#summaries(`WHERE settled = 0 AND ${IS_NOT_LOST} ORDER BY opened_at DESC, id DESC`);
  }

  /** Returns the runs that left no write open, but had to look for the outcome of one, and may still have a request in flight at a given time. */
  mayArriveAfter(at: number): readonly RunSummary[] {
    const looked = "EXISTS (SELECT 1 FROM record WHERE run_id = run.id AND kind = 'attempt.settled')";
    return this.#summaries(`WHERE settled = 1 AND written_until > ? AND ${looked} ORDER BY opened_at DESC, id DESC`, at);
  }

  /** Returns the last run of a playbook in an environment. */
  lastOf(place: PlaybookPlace, environment: string): RunSummary | undefined {
    const which = "WHERE identity = ? AND environment = ? ORDER BY opened_at DESC, id DESC LIMIT 1";
    return this.#summaries(which, identityOf(place), environment)[0];
  }

  /** Returns the runs of a playbook in an environment that have begun since a given time, the latest first. */
  begunSince(place: PlaybookPlace, environment: string, at: number): readonly RunSummary[] {
    const which = "WHERE identity = ? AND environment = ? AND opened_at >= ? ORDER BY opened_at DESC, id DESC LIMIT ?";
    return this.#summaries(which, identityOf(place), environment, at, LIMITS.laterRuns);
  }

  /** Returns the runs without a key of a playbook in an environment that have not passed, the latest first. */
  notPassedOf(place: PlaybookPlace, environment: string): readonly RunSummary[] {
    const which = `WHERE identity = ? AND environment = ? AND key IS NULL AND ${NOT_PASSED}`;
    const values = [identityOf(place), environment, LIMITS.unfinishedRuns];
    return this.#summaries(`${which} ORDER BY opened_at DESC, id DESC LIMIT ?`, ...values);
  }

  /** Returns the runs without a key of the same playbook and environment that have begun since this run and have passed, the latest first. */
  passedSince({ id, openedAt }: RunSummary): readonly RunSummary[] {
    const alike = "(identity, environment) = (SELECT identity, environment FROM run WHERE id = ?)";
    const which = `WHERE ${alike} AND opened_at >= ? AND outcome = 'passed' AND key IS NULL AND id <> ?`;
    return this.#summaries(`${which} ORDER BY opened_at DESC, id DESC LIMIT ?`, id, openedAt, id, LIMITS.laterRuns);
  }

  /** Returns the row of a run, and whether a loss has ended the run; `undefined` if there is no such run. */
  rowOf(runId: string): SqlRow | undefined {
    return this.#database.get(`SELECT run.*, CASE WHEN ${IS_NOT_LOST} THEN 0 ELSE 1 END AS lost FROM run WHERE id = ?`, runId);
  }

  /** Returns how the row of a run, or the list of proofs, contradicts the records of the run; `undefined` if they agree. */
  contradiction(row: SqlRow, state: RunState): string | undefined {
    const id = String(row["id"]);
    const found = statementsIn(row, state).find(([ofRow, ofRecords]) => ofRow !== ofRecords);
    if (found !== undefined) return `the row of run ${id} says that ${found[0]}, and its records say that ${found[1]}`;
    const missing = [...state.spent].find(([proof]) => !isMasked(proof) && !hasProof(this.#database, proof, id));
    return missing && `the journal no longer lists ${missing[0]}, which proved the step ${missing[1].step} of run ${id}`;
  }

  #summaries(which: string, ...values: Cell[]): readonly RunSummary[] {
    return summariesIn(this.#database, this.#leases, { which, values });
  }
}

// The row is made in the first commit, for which a run waits while a server is away.
const OPENED_APART_MS = 2 * (LIMITS.databaseAwayMs + LIMITS.databaseAnswerMs);

/** What the row of a run says, and what its records say about the same. */
type Statements = readonly [ofRow: string, ofRecords: string];

// The chain covers only the records, but the row decides whether the run keeps others from beginning, which run has a key, and what counts as evidence.
function statementsIn(row: SqlRow, state: RunState): readonly Statements[] {
  const { opened } = state;
  if (opened === undefined) return [];
  const known = identityOf(placeOf(opened));
  return [
    ...endsIn(row, state),
    about("key", row["key"], opened.idempotencyKey ?? null),
    about("file", row["playbook"], opened.playbook.file),
    about("playbook", row["identity"] || known, known), // formats before the seventh had none
    about("environment", row["environment"], opened.target.environment),
    ...timesIn(row, state),
  ];
}

function about(what: string, ofRow: unknown, ofRecords: string | null): Statements {
  const said = (value: unknown): string => `its ${what} is ${value === null ? "none" : JSON.stringify(value)}`;
  return [said(isMasked(ofRecords) ? ofRecords : ofRow), said(ofRecords)];
}

function endsIn({ outcome, settled, lost }: SqlRow, state: RunState): readonly Statements[] {
  const { closed } = state;
  const says = outcome === null || outcome === "interrupted" ? [] : [`it ended ${String(outcome)}`];
  // A person who accepts a loss settles what the records leave open.
  const left = settled === 1 && lost !== 1 && leftWrites(state, false).length > 0;
  return [
    ...says.map((each): Statements => [each, closed === undefined ? "it is not finished" : `it ended ${closed.outcome}`]),
    ...(left ? [["it left no write open", "it did"] as const] : []),
  ];
}

function timesIn({ lost, settled, opened_at: openedAt, written_until: until }: SqlRow, state: RunState): readonly Statements[] {
  const began = Number(openedAt);
  const isApart = Math.abs(began - state.openedAt) > OPENED_APART_MS;
  const isEarly = settled === 1 && lost !== 1 && until !== null && Number(until) < state.learntAt;
  return [
    ...(isApart ? [timed("it began at", began, state.openedAt)] : []),
    ...(isEarly ? [timed("others may find its writes until", Number(until), state.learntAt)] : []),
  ];
}

function timed(what: string, ofRow: number, ofRecords: number): Statements {
  return [`${what} ${Math.abs(ofRow) <= LAST_MS ? isoTime(ofRow) : ofRow}`, `${what} ${isoTime(ofRecords)}`];
}

/** The last time that a date can hold. Somebody may have written a later one. */
const LAST_MS = 8.64e15;
