import { hash } from "node:crypto";
import { Failure } from "../base/failure.ts";
import { parseJson, writeJson } from "../base/json/json.ts";
import { LIMITS } from "../base/limits.ts";
import { masked, type Redact } from "../base/secret.ts";
import type { ComparisonName, DriftKind, Quantity } from "../protocol/comparison.ts";
import type { ExplainedDrift, KnownComparison, KnownDrift } from "../protocol/drift.ts";
import type { SqlDatabase } from "../sql/database.ts";
import type { StatePlace } from "../sql/place.ts";
import { replaceTables } from "../state/copy.ts";
import { existingTables, lookAtTables, openTables, type StatePart } from "../state/tables.ts";
import { driftOf, historyOfSighting, historyOfWord, knownDrift, nameIn, titleIn } from "./drift-rows.ts";
import type { Acknowledgement, Closing, ComparisonWords, DriftsAfterRun, FoundDrifts, Sighting } from "./sighting.ts";
import { DRIFTS, newer, prepare, ROWS } from "./drift-tables.ts";

const PART: StatePart = { entry: "drift.db", layout: DRIFTS };
const ID_CHARS = 12;

/** What is remembered of drifts from run to run: one file in the state directory. */
export class DriftBook {
  readonly #database: SqlDatabase;
  readonly #redact: Redact;

  private constructor(database: SqlDatabase, redact: Redact) {
    this.#database = database;
    this.#redact = redact;
  }

  /** Opens the book, and creates it where there is none. Throws a Failure. */
  static open(place: StatePlace, redact: Redact = (text) => text): DriftBook {
    return DriftBook.#over(openTables(place, PART), redact);
  }

  /** Opens the book where there is one; otherwise gives an empty one that leaves nothing. Throws a Failure. */
  static existing(place: StatePlace): DriftBook {
    return DriftBook.#over(existingTables(place, PART), (text) => text);
  }

  static #over(database: SqlDatabase, redact: Redact): DriftBook {
    const book = new DriftBook(database, redact);
    database.transaction(() => prepare(database));
    return book;
  }

  /** Copies all that it holds into another book, in place of what is there. */
  copyTo(other: DriftBook): void {
    replaceTables(this.#database, other.#database, DRIFTS);
  }

  /** Opens the book to look into it and changes nothing; `undefined` where there is none. Throws a Failure. */
  static look(place: StatePlace): DriftBook | undefined {
    const database = lookAtTables(place, PART);
    return database && new DriftBook(database, (text) => text);
  }

  /** Whether there is something in it that this version can read; a file that was only just made has nothing. Throws a Failure. */
  isReadable(): boolean {
    const format = this.#database.formatOf(DRIFTS);
    if (format > DRIFTS.newest) throw newer(this.#database.path, format);
    return format > 0;
  }

  /** What of the file is broken; nothing when it is whole. */
  damage(): readonly string[] {
    return this.#database.quickCheck().map((each) => `${this.#database.path}: ${each}`);
  }

  /** Since when a difference has had these values, as far as earlier runs saw; `undefined` when the last one did not see it so. */
  unchangedSince(name: ComparisonName, difference: Omit<Sighting, "evidence">): number | undefined {
    const id = this.#idOf(name, difference.key, difference.kind);
    const [left, right] = this.#valuesOf(difference);
    const seen = [
      this.#database.get("SELECT * FROM drift WHERE id = ? AND cleared_at IS NULL", id),
      this.#database.get("SELECT * FROM young WHERE id = ?", id),
    ];
    const alike = seen.find((row) => row?.["left"] === left && row["right"] === right);
    return alike === undefined ? undefined : Number(alike["first_alike_at"]);
  }

  /** Records what a run found; the same run again takes the place of what it found before. */
  record(name: ComparisonName, words: ComparisonWords, found: FoundDrifts): DriftsAfterRun {
    return this.#database.transaction(() => {
      const comparison = this.#comparison(name, words);
      this.#undo(comparison, found.run);
      const ids = found.sightings.map((sighting) => this.#see({ comparison, name, found }, sighting));
      const seen = new Set(ids);
      const open = this.#database.all("SELECT id, key FROM drift WHERE comparison = ? AND cleared_at IS NULL", comparison);
      const gone = open.filter((row) => !seen.has(String(row["id"])) && found.isGone(String(row["key"])));
      for (const { id } of gone) this.#clear(String(id), found);
      this.#keepYoung(comparison, name, found);
      const cleared = this.#database.all("SELECT id FROM drift WHERE comparison = ? AND cleared_run = ?", comparison, found.run);
      return {
        drifts: ids.map((id) => driftOf(this.#known(id, found.at))),
        cleared: cleared.map(({ id }) => driftOf(this.#known(String(id), found.at))),
      };
    });
  }

  #comparison({ environment, playbook, comparison, scope }: ComparisonName, words: ComparisonWords): number {
    const about = writeJson(masked(words, this.#redact));
    this.#database.run(
      `INSERT INTO comparison (environment, playbook, name, scope, words) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (environment, playbook, name, scope) DO UPDATE SET words = excluded.words`,
      ...[environment, playbook, comparison, scope].map(this.#redact),
      about,
    );
    const row = this.#database.get(
      "SELECT id FROM comparison WHERE environment = ? AND playbook = ? AND name = ? AND scope = ?",
      ...[environment, playbook, comparison, scope].map(this.#redact),
    );
    return Number(row?.["id"]);
  }

  // A resumed run compares again, so a drift that it reported before is either found again or cleared.
  #undo(comparison: number, run: string): void {
    this.#database.run(
      "UPDATE drift SET cleared_at = NULL, cleared_run = NULL WHERE comparison = ? AND cleared_run = ?",
      comparison,
      run,
    );
    this.#database.run(
      "DELETE FROM sighting WHERE run = ? AND drift IN (SELECT id FROM drift WHERE comparison = ?)",
      run,
      comparison,
    );
  }

  // Only what the last run saw counts: a difference that was gone in between is young again.
  #keepYoung(comparison: number, name: ComparisonName, { young, sightings, isGone }: FoundDrifts): void {
    const seen = new Set([...young, ...sightings].map(({ key }) => this.#keptKey(key)));
    for (const { id, key } of this.#database.all("SELECT id, key FROM young WHERE comparison = ?", comparison))
      if (seen.has(String(key)) || isGone(String(key))) this.#database.run("DELETE FROM young WHERE id = ?", String(id));
    for (const difference of young) {
      const [left, right] = this.#valuesOf(difference);
      const { key, kind, since } = difference;
      this.#database.run(
        'INSERT INTO young (id, comparison, key, "left", "right", first_alike_at) VALUES (?, ?, ?, ?, ?, ?)',
        this.#idOf(name, key, kind),
        comparison,
        this.#keptKey(key),
        left,
        right,
        since,
      );
    }
  }

  #keptKey(key: readonly string[]): string {
    return this.#redact(writeJson(key));
  }

  #see(
    { comparison, name, found }: { comparison: number; name: ComparisonName; found: FoundDrifts },
    sighting: Sighting,
  ): string {
    const { key, kind } = sighting;
    const id = this.#idOf(name, key, kind);
    const values = this.#valuesOf(sighting);
    const before = this.#database.get("SELECT * FROM drift WHERE id = ?", id);
    const isOpen = before !== undefined && before["cleared_at"] === null;
    const isAlike = isOpen && before["left"] === values[0] && before["right"] === values[1];
    this.#database.run(
      `INSERT INTO drift (id, comparison, key, kind, "left", "right", difference, evidence, since_at, since_run, first_alike_at, last_at, last_run)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET "left" = excluded."left", "right" = excluded."right", difference = excluded.difference,
         evidence = excluded.evidence, since_at = excluded.since_at, since_run = excluded.since_run,
         first_alike_at = excluded.first_alike_at, last_at = excluded.last_at, last_run = excluded.last_run,
         cleared_at = NULL, cleared_run = NULL`,
      id,
      comparison,
      this.#keptKey(key),
      kind,
      ...values,
      writeJson(masked(sighting.evidence, this.#redact)),
      isOpen ? (before["since_at"] ?? null) : found.at,
      isOpen ? (before["since_run"] ?? null) : found.run,
      isAlike ? (before["first_alike_at"] ?? null) : found.at,
      found.at,
      found.run,
    );
    this.#database.run(
      'INSERT INTO sighting (drift, run, at, "left", "right", difference, cleared) VALUES (?, ?, ?, ?, ?, ?, 0)',
      id,
      found.run,
      found.at,
      ...values,
    );
    return id;
  }

  // Made of what is kept: a digest of a secret would let whoever reads the file try short ones.
  #idOf(name: ComparisonName, key: readonly string[], kind: DriftKind): string {
    return driftId(name, key.map(this.#redact), kind);
  }

  #valuesOf({
    left,
    right,
    difference,
  }: Omit<Sighting, "evidence">): readonly [Quantity | null, Quantity | null, Quantity | null] {
    const kept = (value: Quantity | null): Quantity | null => (value === null ? null : this.#redact(value));
    return [kept(left), kept(right), kept(difference)];
  }

  #clear(id: string, { run, at }: FoundDrifts): void {
    this.#database.run("UPDATE drift SET cleared_at = ?, cleared_run = ? WHERE id = ?", at, run, id);
    this.#database.run("INSERT INTO sighting (drift, run, at, cleared) VALUES (?, ?, ?, 1)", id, run, at);
  }

  /** Drifts, the newest first: those that are there, or all that ever were. */
  list({ all, limit, now }: { readonly all: boolean; readonly limit: number; readonly now: number }): readonly KnownDrift[] {
    const rows = this.#database.all(
      `SELECT id FROM drift WHERE ? = 1 OR cleared_at IS NULL ORDER BY since_at DESC, id LIMIT ?`,
      all ? 1 : 0,
      limit,
    );
    return rows.map(({ id }) => this.#known(String(id), now));
  }

  /** How many there are: those that are there, or all that ever were. */
  count(all: boolean): number {
    return Number(this.#database.get("SELECT count(*) AS n FROM drift WHERE ? = 1 OR cleared_at IS NULL", all ? 1 : 0)?.["n"]);
  }

  /** Returns how many comparisons have been read on both sides by some run. Without one, having no drift means nothing. */
  comparisons(): number {
    return Number(this.#database.get("SELECT count(*) AS n FROM comparison")?.["n"]);
  }

  /** The ids that begin so. */
  idsLike(beginning: string): readonly string[] {
    const rows = this.#database.all("SELECT id FROM drift WHERE substr(id, 1, ?) = ? LIMIT 10", beginning.length, beginning);
    return rows.map(({ id }) => String(id));
  }

  /** Returns the runs that first and last saw the drifts that are there. */
  runsOfOpen(): ReadonlySet<string> {
    const rows = this.#database.all("SELECT since_run, last_run FROM drift WHERE cleared_at IS NULL");
    return new Set(rows.flatMap((row) => [String(row["since_run"]), String(row["last_run"])]));
  }

  /** Every id, for whoever was misspelt. */
  ids(): readonly string[] {
    return this.#database.all("SELECT id FROM drift ORDER BY last_at DESC LIMIT ?", LIMITS.drifts).map(({ id }) => String(id));
  }

  /** One drift with its history; the id must be known. */
  explain(id: string, now: number): ExplainedDrift {
    const { evidence = "null" } = this.#database.get("SELECT evidence FROM drift WHERE id = ?", id) ?? {};
    const sightings = this.#database.all("SELECT * FROM sighting WHERE drift = ? ORDER BY at", id).map(historyOfSighting);
    const words = this.#database.all("SELECT * FROM acknowledgement WHERE drift = ? ORDER BY at", id).map(historyOfWord);
    const history = [...sightings, ...words].toSorted((a, b) => a.at - b.at);
    return { ...this.#known(id, now), evidence: parseJson(String(evidence), LIMITS.recordDepth), history };
  }

  /** Takes a person's word for a drift, as its values are now. */
  acknowledge(acknowledgement: Acknowledgement): void {
    this.#database.transaction(() => this.#takeWord(acknowledgement, 0));
  }

  /** Closes drifts that no run would clear, because their comparison is no longer made. One that is found again is new. */
  closeDrifts(closings: readonly Closing[]): void {
    this.#database.transaction(() => {
      for (const closing of closings) {
        this.#takeWord({ ...closing, until: closing.at }, 1);
        this.#database.run("UPDATE drift SET cleared_at = ?, cleared_run = NULL WHERE id = ?", closing.at, closing.id);
      }
    });
  }

  #takeWord({ id, who, because, until, at }: Acknowledgement, closes: 0 | 1): void {
    this.#database.run(
      `INSERT INTO acknowledgement (drift, at, who, because, until, closes, "left", "right", difference, rows)
       SELECT id, CAST(? AS BIGINT), ?, ?, CAST(? AS BIGINT), CAST(? AS BIGINT), "left", "right", difference, ${ROWS} FROM drift WHERE id = ?`,
      at,
      this.#redact(who),
      this.#redact(because),
      until,
      closes,
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

  /** Returns every comparison that a run has made, and its title. */
  known(): readonly KnownComparison[] {
    const rows = this.#database.all("SELECT * FROM comparison ORDER BY name, playbook, environment, scope");
    return rows.map((row) => ({ of: nameIn(row), title: titleIn(row) }));
  }

  /** Returns the drifts of a comparison that are there or that this run cleared, the first ones explained, and how many there are. */
  driftsOf(
    { environment, playbook, comparison, scope }: ComparisonName,
    { run, limit, now }: { readonly run: string; readonly limit: number; readonly now: number },
  ): { readonly drifts: readonly ExplainedDrift[]; readonly total: number } {
    const rows = this.#database.all(
      `SELECT drift.id FROM drift JOIN comparison ON comparison.id = comparison
       WHERE environment = ? AND playbook = ? AND name = ? AND scope = ? AND (cleared_at IS NULL OR cleared_run = ?)
       ORDER BY since_at, drift.id`,
      environment,
      playbook,
      comparison,
      scope,
      run,
    );
    return { drifts: rows.slice(0, limit).map(({ id }) => this.explain(String(id), now)), total: rows.length };
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
      `SELECT drift.*, ${ROWS} AS rows, environment, playbook, name, scope, words
       FROM drift JOIN comparison ON comparison.id = comparison WHERE drift.id = ?`,
      id,
    );
    if (row === undefined)
      throw new Failure({ code: "drift.unknown", message: `there is no drift ${id}`, next: "tokenbook drift list" });
    const word = this.#database.get("SELECT * FROM acknowledgement WHERE drift = ? ORDER BY at DESC, id DESC LIMIT 1", id);
    return knownDrift(row, word, now);
  }

  /** Closes its file or its connection. */
  close(): void {
    this.#database.close();
  }
}

// By which a drift is known: the same in each run that finds it again.
function driftId(name: ComparisonName, key: readonly string[], kind: DriftKind): string {
  const { environment, playbook, comparison, scope } = name;
  return hash("sha256", writeJson([environment, playbook, comparison, scope, key, kind])).slice(0, ID_CHARS);
}
