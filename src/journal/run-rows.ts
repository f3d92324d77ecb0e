import { DAY_MS } from "../base/time/date.ts";
import { LIMITS } from "../base/limits.ts";
import { identityOf, type PlaybookPlace } from "../protocol/identity.ts";
import type { Cell, SqlDatabase } from "../sql/database.ts";
import type { Leases } from "./leases.ts";
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

  #summaries(which: string, ...values: Cell[]): readonly RunSummary[] {
    return summariesIn(this.#database, this.#leases, { which, values });
  }
}
