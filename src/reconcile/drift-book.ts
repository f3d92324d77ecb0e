import { isDeepStrictEqual } from "node:util";
import { command } from "../base/command-line.ts";
import { Failure } from "../base/failure.ts";
import { parseJson } from "../base/json/json.ts";
import { LIMITS } from "../base/limits.ts";
import type { Clock } from "../base/ports.ts";
import type { Redact } from "../base/secret.ts";
import { isoTime } from "../base/time/date.ts";
import { type ComparisonName, type Drift, openFirst } from "../protocol/comparison.ts";
import type { ExplainedDrift, KnownComparison, KnownDrift } from "../protocol/drift.ts";
import type { SqlDatabase, SqlRow } from "../sql/database.ts";
import type { StatePlace } from "../sql/place.ts";
import { lookAtPart, openPart } from "../state/tables.ts";
import { DriftRecorder, type PlaybookOf } from "./drift-recorder.ts";
import {
  closedWords,
  comparisonIn,
  driftOf,
  historyOfSighting,
  historyOfWord,
  isClosedIn,
  isUnfinishedIn,
  knownDrift,
  rowsIn,
  unreachedWords,
} from "./drift-rows.ts";
import type { Acknowledgement, Closing, ComparisonWords, Difference, DriftsAfterRun, FoundDrifts } from "./sighting.ts";
import { DRIFT_PART } from "./drift-tables.ts";

/** A comparison that a run has not made. */
interface UnmadeComparison {
  /** The scope in which the run would have made it; `undefined` if unknown. */
  readonly scope: string | undefined;
}

/** What was closed of a playbook. */
export interface ClosedOfPlaybook {
  /** The drifts that were open. */
  readonly drifts: readonly KnownDrift[];
  /** The comparisons that were unfinished. */
  readonly comparisons: readonly KnownComparison[];
}

/** The drifts that are remembered from run to run, in a part of the state. */
export class DriftBook {
  /** The clock of the state. */
  readonly clock: Clock;
  readonly #database: SqlDatabase;
  readonly #redact: Redact;
  readonly #recorder: DriftRecorder;

  private constructor(database: SqlDatabase, redact: Redact = (text) => text, playbookOf: PlaybookOf = () => undefined) {
    this.clock = database.clock;
    this.#database = database;
    this.#redact = redact;
    this.#recorder = new DriftRecorder({ database, redact, playbookOf, known: (id, now) => this.#known(id, now) });
  }

  /** Opens the book, and creates it if there is none. `playbookOf` returns the playbook of a run, by its name in the project. Throws a Failure. */
  static open(place: StatePlace, redact?: Redact, playbookOf?: PlaybookOf): DriftBook {
    return new DriftBook(openPart(place, DRIFT_PART), redact, playbookOf);
  }

  /** Opens the book if there is one; otherwise returns an empty book that leaves no file. Throws a Failure. */
  static existing(place: StatePlace): DriftBook {
    return new DriftBook(openPart(place, DRIFT_PART, "existing"));
  }

  /** Opens the book without changing anything; returns `undefined` if there is none, or it is empty. Throws a Failure. */
  static look(place: StatePlace): DriftBook | undefined {
    const database = lookAtPart(place, DRIFT_PART);
    return database && new DriftBook(database);
  }

  /** Returns the damaged parts of the file; none if it is intact. */
  damage(): readonly string[] {
    return this.#database.quickCheck().map((each) => `${this.#database.path}: ${each}`);
  }

  /** Returns the file of the playbook that last made a comparison, relative to the project's folder; `undefined` if unknown. */
  fileOf(name: ComparisonName): string | undefined {
    return this.#recorder.fileOf(name);
  }

  /**
   * Takes over the records of an earlier version about a comparison. It identified the playbook by the path that was typed, which may
   * belong to several files. Each drift goes to the playbook of the run that saw it last.
   */
  takeOver(name: ComparisonName, words: ComparisonWords, typed: string): void {
    this.#database.transaction(() => this.#recorder.takeOver(name, words, typed));
  }

  /** Returns since when earlier runs have seen a difference with these values; `undefined` if the last run did not see it so. */
  unchangedSince(name: ComparisonName, difference: Difference): number | undefined {
    return this.#recorder.unchangedSince(name, difference);
  }

  /** Records that a run begins to compare. Until it has compared everything, there may be unknown drifts. */
  begin(name: ComparisonName, words: ComparisonWords): void {
    this.#database.transaction(() => this.#recorder.begin(name, words));
  }

  /**
   * Records that a run of a playbook ended without making some comparisons, so they may have unknown drifts. `unmade` returns, for the kept
   * name of a comparison, whether it is one of these, and in which scope. If the scope is unknown, all scopes count.
   */
  noteUnmade(
    { environment, playbook }: Pick<ComparisonName, "environment" | "playbook">,
    unmade: (name: string) => UnmadeComparison | undefined,
  ): void {
    this.#database.transaction(() => {
      const of = "SELECT * FROM comparison WHERE environment = ? AND playbook = ?";
      for (const row of this.#database.all(of, this.#redact(environment), this.#redact(playbook))) {
        const found = unmade(String(row["name"]));
        const isUnmade = found !== undefined && (found.scope === undefined || this.#recorder.isOfScope(row, found.scope));
        if (isUnmade && !isClosedIn(row))
          this.#database.run("UPDATE comparison SET words = ? WHERE id = ?", unreachedWords(row), row["id"] ?? null);
      }
    });
  }

  /** Records what a run found. If the same run records again, this replaces what it found before. */
  record(name: ComparisonName, words: ComparisonWords, found: FoundDrifts): DriftsAfterRun {
    return this.#database.transaction(() => {
      const { of, seen, cleared } = this.#recorder.record(name, words, found);
      const drift = (id: string): Drift => driftOf(this.#known(id, found.at));
      return { of, drifts: seen.map(drift), cleared: cleared.map(drift) };
    });
  }

  /** Returns drifts, the newest first: those that exist, or all that ever existed. */
  list({ all, limit, now }: { readonly all: boolean; readonly limit: number; readonly now: number }): readonly KnownDrift[] {
    const rows = this.#database.all(
      `SELECT id FROM drift WHERE ? = 1 OR cleared_at IS NULL ORDER BY since_at DESC, id LIMIT ?`,
      all ? 1 : 0,
      limit,
    );
    return rows.map(({ id }) => this.#known(String(id), now));
  }

  /** Returns how many drifts exist, or ever existed. */
  count(all: boolean): number {
    return Number(this.#database.get("SELECT count(*) AS n FROM drift WHERE ? = 1 OR cleared_at IS NULL", all ? 1 : 0)?.["n"]);
  }

  /** Returns the ids that begin with a text. */
  idsLike(beginning: string): readonly string[] {
    const rows = this.#database.all("SELECT id FROM drift WHERE substr(id, 1, ?) = ? LIMIT 10", beginning.length, beginning);
    return rows.map(({ id }) => String(id));
  }

  /** Returns the runs that first and last saw the existing drifts. */
  runsOfOpen(): ReadonlySet<string> {
    const rows = this.#database.all("SELECT since_run, last_run FROM drift WHERE cleared_at IS NULL");
    return new Set(rows.flatMap((row) => [String(row["since_run"]), String(row["last_run"])]));
  }

  /** Returns the latest ids, for suggestions about a misspelt id. */
  ids(): readonly string[] {
    return this.#database.all("SELECT id FROM drift ORDER BY last_at DESC LIMIT ?", LIMITS.drifts).map(({ id }) => String(id));
  }

  /** Returns one drift with its history. The id must be known. */
  explain(id: string, now: number): ExplainedDrift {
    const { evidence = "null" } = this.#database.get("SELECT evidence FROM drift WHERE id = ?", id) ?? {};
    const sightings = this.#database.all("SELECT * FROM sighting WHERE drift = ? ORDER BY at", id).map(historyOfSighting);
    const words = this.#database.all("SELECT * FROM acknowledgement WHERE drift = ? ORDER BY at", id).map(historyOfWord);
    const history = [...sightings, ...words].toSorted((a, b) => a.at - b.at);
    return { ...this.#known(id, now), evidence: parseJson(String(evidence), LIMITS.recordDepth), history };
  }

  /**
   * Records a person's acknowledgement of a drift with its present values, and returns the drift. The same word is recorded once, so a command that was
   * killed can be repeated. Throws a Failure if the drift was cleared.
   */
  acknowledge(acknowledgement: Acknowledgement): KnownDrift {
    const { id, who, because, until, at } = acknowledgement;
    const word = { until, who: this.#redact(who), because: this.#redact(because) };
    // The result is read here too: if the database goes away right after it, a command that failed would hide that the word is kept.
    return this.#database.transaction(() => {
      const { state, acknowledged } = this.#uncleared(id, at);
      const isKept = state === "acknowledged" && isDeepStrictEqual(acknowledged, word);
      if (!isKept) this.#takeWord(acknowledgement, 0);
      return this.#known(id, at);
    });
  }

  /**
   * Closes drifts that no run would clear, because their comparison is no longer made, and returns them. A drift that is found again is new. Throws a
   * Failure if one was cleared.
   */
  closeDrifts(ids: readonly string[], closing: Closing): readonly KnownDrift[] {
    return this.#database.transaction(() => this.#closeWithin(ids, closing));
  }

  /**
   * Closes everything that is open of a playbook: its drifts, and its unfinished comparisons, because no run makes them any more. If a run begins such a
   * comparison again, it counts again.
   */
  closePlaybook(playbook: string, closing: Closing): ClosedOfPlaybook {
    const { who, because, at } = closing;
    const closed = { who: this.#redact(who), because: this.#redact(because), at: isoTime(at) };
    return this.#database.transaction(() => {
      const unfinished = this.#unfinished().filter((row) => row["playbook"] === playbook);
      for (const row of unfinished)
        this.#database.run("UPDATE comparison SET words = ? WHERE id = ?", closedWords(row, closed), row["id"] ?? null);
      return { drifts: this.#closeWithin(this.openOf(playbook), closing), comparisons: unfinished.map(comparisonIn) };
    });
  }

  #closeWithin(ids: readonly string[], closing: Closing): readonly KnownDrift[] {
    const { at } = closing;
    return ids.map((id) => {
      this.#uncleared(id, at);
      this.#takeWord({ ...closing, id, until: at }, 1);
      this.#database.run("UPDATE drift SET cleared_at = ?, cleared_run = NULL WHERE id = ?", at, id);
      return this.#known(id, at);
    });
  }

  #uncleared(id: string, now: number): KnownDrift {
    const drift = this.#known(id, now);
    if (drift.clearedAt === null) return drift;
    const end = this.explain(id, now).history.findLast(({ what }) => what === "cleared" || what === "closed");
    const by = end === undefined ? "" : end.what === "closed" ? ` by ${end.by}: ${end.because}` : ` by the run ${end.by}`;
    throw new Failure({
      code: "drift.cleared",
      message: `${id} was ${end?.what ?? "cleared"} at ${isoTime(drift.clearedAt)}${by}`,
      why: "nothing was changed",
      next: command`drift list`,
    });
  }

  // The clocks of two machines differ. A statement is about what is in the book, so its time is never earlier than that.
  #takeWord({ id, who, because, until, at }: Acknowledgement, closes: 0 | 1): void {
    const { evidence, since_at: since } = this.#database.get("SELECT evidence, since_at FROM drift WHERE id = ?", id) ?? {};
    this.#database.run(
      `INSERT INTO acknowledgement (drift, at, who, because, until, closes, "left", "right", difference, rows, values_digest)
       SELECT id, CAST(? AS BIGINT), ?, ?, CAST(? AS BIGINT), CAST(? AS BIGINT), "left", "right", difference, ?, values_digest FROM drift WHERE id = ?`,
      Math.max(at, Number(since ?? at)),
      this.#redact(who),
      this.#redact(because),
      until,
      closes,
      rowsIn(evidence),
      id,
    );
  }

  /** Returns the ids of the open drifts of a playbook. */
  openOf(playbook: string): readonly string[] {
    const rows = this.#database.all(
      `SELECT drift.id FROM drift JOIN comparison ON comparison.id = comparison
       WHERE cleared_at IS NULL AND playbook = ? ORDER BY since_at, drift.id`,
      playbook,
    );
    return rows.map(({ id }) => String(id));
  }

  /** Returns every comparison that a run has begun, with its title, and whether its last run may have left unknown drifts. */
  known(): readonly KnownComparison[] {
    return this.#comparisons().map(comparisonIn);
  }

  /** Returns the comparisons that may have unknown drifts: their last run did not finish them, and nobody has closed them since. */
  unfinished(): readonly KnownComparison[] {
    return this.#unfinished().map(comparisonIn);
  }

  #unfinished(): readonly SqlRow[] {
    return this.#comparisons().filter((row) => isUnfinishedIn(row) && !isClosedIn(row));
  }

  #comparisons(): readonly SqlRow[] {
    return this.#database.all("SELECT * FROM comparison ORDER BY name, playbook, environment, scope");
  }

  /**
   * Returns the drifts of a comparison that exist or that this run cleared, and how many there are. The first ones are explained.
   * Unacknowledged drifts come first and cleared ones last, the newest first within each group.
   */
  driftsOf(
    { environment, playbook, comparison, scope }: ComparisonName,
    { run, limit, now }: { readonly run: string; readonly limit: number; readonly now: number },
  ): { readonly drifts: readonly ExplainedDrift[]; readonly total: number } {
    const rows = this.#database.all(
      `SELECT drift.id FROM drift JOIN comparison ON comparison.id = comparison
       WHERE environment = ? AND playbook = ? AND name = ? AND scope = ? AND (cleared_at IS NULL OR cleared_run = ?)
       ORDER BY since_at DESC, drift.id`,
      environment,
      playbook,
      comparison,
      scope,
      run,
    );
    const { open = [], cleared = [] } = Object.groupBy(
      rows.map(({ id }) => this.#known(String(id), now)),
      ({ clearedAt }) => (clearedAt === null ? "open" : "cleared"),
    );
    const first = [...openFirst(open), ...cleared].slice(0, limit);
    return { drifts: first.map(({ id }) => this.explain(id, now)), total: rows.length };
  }

  /** Returns the playbooks that have open drifts. */
  playbooks(): readonly string[] {
    const rows = this.#database.all(
      `SELECT DISTINCT playbook FROM drift JOIN comparison ON comparison.id = comparison WHERE cleared_at IS NULL ORDER BY playbook`,
    );
    return rows.map(({ playbook }) => String(playbook));
  }

  #known(id: string, now: number): KnownDrift {
    const row = this.#database.get(
      `SELECT drift.*, environment, playbook, name, scope, words
       FROM drift JOIN comparison ON comparison.id = comparison WHERE drift.id = ?`,
      id,
    );
    if (row === undefined)
      throw new Failure({ code: "drift.unknown", message: `there is no drift ${id}`, next: command`drift list` });
    const word = this.#database.get("SELECT * FROM acknowledgement WHERE drift = ? ORDER BY id DESC LIMIT 1", id);
    return knownDrift(row, word, now);
  }

  /** Closes its file or its connection. */
  close(): void {
    this.#database.close();
  }

  /** Closes the book at the end of its scope (`using`). */
  [Symbol.dispose](): void {
    this.close();
  }
}
