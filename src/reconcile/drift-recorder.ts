import { hash, randomBytes } from "node:crypto";
import { type Json, writeJson } from "../base/json/json.ts";
import { masked, type Redact } from "../base/secret.ts";
import type { ComparisonName, Quantity } from "../protocol/comparison.ts";
import type { KnownDrift } from "../protocol/drift.ts";
import type { SqlDatabase, SqlRow } from "../sql/database.ts";
import { Digests } from "./drift-digests.ts";
import { fileIn, isAsAcknowledged, partsIn } from "./drift-rows.ts";
import { insertRow } from "../state/copy.ts";
import { type DigestedReads, FoundReads, isNewer } from "./found-reads.ts";
import type { ComparisonWords, Difference, FoundDrifts, KeptWords, Sighting } from "./sighting.ts";

const ID_CHARS = 12;
const SALT_BYTES = 16;
// The mark after the scope of a comparison that looks like another one.
const MARK = /^ ?\([\w-]{12}\)$/;
// Found by its digest or, in a record of an earlier version, by its masked key.
const KNOWN = "(key_digest = ? OR (key_digest IS NULL AND key = ?))";

/** Returns the name in the project of a run's playbook; `undefined` if unknown. */
export type PlaybookOf = (run: string) => string | undefined;

/** What a recorder needs from the book. */
interface BookParts {
  readonly database: SqlDatabase;
  readonly redact: Redact;
  readonly playbookOf: PlaybookOf;
  /** Returns a kept drift. */
  readonly known: (id: string, now: number) => KnownDrift;
}

/** The ids of drifts after a run was recorded. */
interface RecordedDrifts {
  /** The comparison's name as it is kept. */
  readonly of: ComparisonName;
  /** The drifts that the run saw, in the order of its sightings. */
  readonly seen: readonly string[];
  /** The drifts that the run found gone. */
  readonly cleared: readonly string[];
}

/** A comparison that is being recorded. */
interface Recording {
  readonly comparison: number;
  /** The comparison's name as it is kept. */
  readonly name: readonly string[];
  readonly found: FoundDrifts;
  readonly reads: FoundReads;
  /** The drifts that an earlier version recorded, by kind and masked key. */
  readonly earlier: ReadonlyMap<string, string>;
}

/** Records what runs find, always within a transaction of the caller. */
export class DriftRecorder {
  readonly #database: SqlDatabase;
  readonly #redact: Redact;
  readonly #playbookOf: PlaybookOf;
  readonly #known: BookParts["known"];
  readonly #digests: Digests;

  constructor({ database, redact, playbookOf, known }: BookParts) {
    this.#database = database;
    this.#redact = redact;
    this.#playbookOf = playbookOf;
    this.#known = known;
    this.#digests = new Digests(redact, () => this.#salt());
  }

  /** Returns the file of the playbook that last made a comparison; `undefined` if unknown. */
  fileOf(name: ComparisonName): string | undefined {
    const known = this.#comparisonOf(name);
    return known === undefined ? undefined : fileIn(known);
  }

  /** Assigns each drift that an earlier version recorded under a typed path, or under this name, to the playbook that saw it last. */
  takeOver(name: ComparisonName, words: ComparisonWords, typed: string): void {
    for (const playbook of new Set([name.playbook, typed])) {
      const from = this.#comparisonOf({ ...name, playbook })?.["id"] ?? null;
      const where = "comparison = ? AND key_digest IS NULL";
      for (const { id, kind, key, last_run: run } of this.#database.all(`SELECT * FROM drift WHERE ${where}`, from)) {
        const owner = this.#playbookOf(String(run)) ?? playbook;
        if (owner === playbook) continue;
        const owned = { ...name, playbook: owner };
        const to = this.#comparisonOf(owned)?.["id"] ?? this.#comparison(owned, { ...words, file: owner }).id;
        const same = "SELECT 1 FROM drift WHERE comparison = ? AND kind = ? AND key = ?";
        if (this.#database.get(same, to, kind ?? null, key ?? null) === undefined)
          this.#database.run("UPDATE drift SET comparison = ? WHERE id = ?", to, id ?? null);
      }
    }
  }

  /** Returns since when earlier runs have seen a difference with these values; `undefined` if the last run did not see it so. */
  unchangedSince(name: ComparisonName, difference: Difference): number | undefined {
    const { key, kind } = difference;
    const comparison = this.#comparisonOf(name)?.["id"];
    if (comparison === undefined) return undefined;
    const digest = this.#digests.of(key);
    const seen = [
      this.#database.get(
        `SELECT * FROM drift WHERE comparison = ? AND ${KNOWN} AND kind = ? AND cleared_at IS NULL`,
        comparison,
        digest,
        this.#keptKey(key),
        kind,
      ),
      this.#database.get("SELECT * FROM young WHERE comparison = ? AND kind = ? AND key_digest = ?", comparison, kind, digest),
    ];
    const alike = seen.find((row) => row !== undefined && this.#isAlike(row, difference));
    return alike === undefined ? undefined : Number(alike["first_alike_at"]);
  }

  /** Records that a run begins to compare. Until it has compared everything, there may be unknown drifts. */
  begin(name: ComparisonName, words: ComparisonWords): void {
    this.#comparison(name, { ...words, isWhole: false });
  }

  /** Records what a run found. If the same run records again, this replaces what it found before. */
  record(name: ComparisonName, words: ComparisonWords, found: FoundDrifts): RecordedDrifts {
    const isWhole = found.read.isComplete && found.moving.length === 0;
    const { id: comparison, kept } = this.#comparison(name, { ...words, isWhole });
    this.#undo(comparison, found.run);
    const reads = new FoundReads(found, this.#digests);
    const recording = { comparison, name: kept, found, reads, earlier: this.#earlier(comparison, found) };
    const seen = found.sightings.map((sighting) => this.#see(recording, sighting));
    this.#clearGone(recording, new Set(seen));
    this.#keepYoung(recording);
    const cleared = this.#database.all("SELECT id FROM drift WHERE comparison = ? AND cleared_run = ?", comparison, found.run);
    const [environment = "", playbook = "", called = "", scope = ""] = kept;
    return { of: { environment, playbook, comparison: called, scope }, seen, cleared: cleared.map(({ id }) => String(id)) };
  }

  // Two names that look the same when they are masked belong to two comparisons. The second one is kept with a mark.
  #comparison(name: ComparisonName, words: KeptWords): { readonly id: number; readonly kept: readonly string[] } {
    const digest = this.#digests.of(namesIn(name));
    const known = this.#comparisonOf(name);
    const about = writeJson(masked(words, this.#redact));
    if (known !== undefined) {
      const { id = 0 } = known;
      this.#keepParts(known, about);
      this.#database.run("UPDATE comparison SET words = ?, digest = ? WHERE id = ?", about, digest, id);
      return { id: Number(id), kept: [known["environment"], known["playbook"], known["name"], known["scope"]].map(String) };
    }
    const kept = namesIn(name).map(this.#redact);
    if (this.#named(kept) !== undefined) kept.push(`${kept.pop() ?? ""} (${digest.slice(0, ID_CHARS)})`.trim());
    this.#database.run(
      "INSERT INTO comparison (environment, playbook, name, scope, words, digest) VALUES (?, ?, ?, ?, ?, ?)",
      ...kept,
      about,
      digest,
    );
    return { id: Number(this.#named(kept)?.["id"]), kept };
  }

  // If the keys have other parts from now on, the kept drifts keep the names of theirs.
  #keepParts({ id = 0, words }: SqlRow, about: string): void {
    const parts = partsIn(words);
    if (parts === partsIn(about)) return;
    this.#database.run("UPDATE drift SET parts = ? WHERE comparison = ? AND parts IS NULL", parts, id);
    this.#database.run("DELETE FROM young WHERE comparison = ?", id);
  }

  /** Returns whether a kept comparison has a scope, or a scope that looks like it when masked. */
  isOfScope({ scope: kept }: SqlRow, scope: string): boolean {
    const shown = this.#redact(scope);
    return kept === shown || (String(kept).startsWith(shown) && MARK.test(String(kept).slice(shown.length)));
  }

  // A comparison from an earlier version has no digest.
  #comparisonOf(name: ComparisonName): SqlRow | undefined {
    const names = namesIn(name);
    const known = this.#database.get("SELECT * FROM comparison WHERE digest = ?", this.#digests.of(names));
    if (known !== undefined) return known;
    const earlier = this.#named(names.map(this.#redact));
    return earlier?.["digest"] === null ? earlier : undefined;
  }

  #named(names: readonly string[]): SqlRow | undefined {
    const where = "environment = ? AND playbook = ? AND name = ? AND scope = ?";
    return this.#database.get(`SELECT * FROM comparison WHERE ${where}`, ...names);
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

  // An earlier version took two keys that look the same when masked for one. Then its record belongs to neither of them.
  #earlier(comparison: number, { sightings }: FoundDrifts): ReadonlyMap<string, string> {
    const where = "comparison = ? AND key_digest IS NULL";
    const rows = this.#database.all(`SELECT id, kind, key FROM drift WHERE ${where}`, comparison);
    if (rows.length === 0) return new Map();
    const seen = Map.groupBy(sightings, ({ kind, key }) => `${kind} ${this.#keptKey(key)}`);
    return new Map(
      rows
        .map(({ id, kind, key }) => [`${String(kind)} ${String(key)}`, String(id)] as const)
        .filter(([name]) => seen.get(name)?.length === 1),
    );
  }

  #keptKey(key: readonly string[]): string {
    return this.#redact(writeJson(key));
  }

  #see(recording: Recording, sighting: Sighting): string {
    const { comparison, earlier, found } = recording;
    const { key, kind } = sighting;
    const digest = this.#digests.of(key);
    const where = "comparison = ? AND kind = ? AND key_digest = ?";
    const known = this.#database.get(`SELECT id FROM drift WHERE ${where}`, comparison, kind, digest)?.["id"];
    const id = String(known ?? earlier.get(`${kind} ${this.#keptKey(key)}`) ?? this.#newId(recording.name, sighting));
    const before = this.#database.get("SELECT * FROM drift WHERE id = ?", id);
    if (!this.#isSeenLater(before, found)) this.#keep(recording, sighting, { id, digest, before });
    this.#database.run(
      'INSERT INTO sighting (drift, run, at, "left", "right", difference, cleared) VALUES (?, ?, ?, ?, ?, ?, 0)',
      id,
      found.run,
      found.at,
      ...this.#valuesOf(sighting),
    );
    return id;
  }

  // What another run has seen since this run began stays unchanged, unless somebody has acknowledged it.
  #isSeenLater(before: SqlRow | undefined, found: FoundDrifts): boolean {
    if (before === undefined || before["cleared_at"] !== null || !isNewer(before, found)) return false;
    return this.#known(String(before["id"]), found.at).state !== "acknowledged";
  }

  #keep(
    { comparison, found, reads }: Recording,
    sighting: Sighting,
    { id, digest, before }: { readonly id: string; readonly digest: string; readonly before: SqlRow | undefined },
  ): void {
    const { key, kind, evidence } = sighting;
    const values = this.#digests.of([sighting.values]);
    const isOpen = before !== undefined && before["cleared_at"] === null;
    const isAlike = isOpen && this.#isAlike(before, sighting);
    const [left, right, difference] = this.#valuesOf(sighting);
    this.#putDrift({
      id,
      comparison,
      key: this.#keptKey(key),
      kind,
      left,
      right,
      difference,
      evidence: writeJson(masked(evidence, this.#redact)),
      since_at: isOpen ? (before["since_at"] ?? null) : this.#opensAt(id, found.at),
      since_run: isOpen ? (before["since_run"] ?? null) : found.run,
      first_alike_at: Math.min(sighting.since, isAlike ? Number(before["first_alike_at"]) : found.at),
      last_at: found.at,
      last_run: found.run,
      cleared_at: null,
      cleared_run: null,
      key_digest: digest,
      values_digest: values,
      reads: this.#keptReads(reads.of(key)),
      parts: null,
    });
    if (before?.["values_digest"] === null) this.#takeOverWords(id, sighting);
  }

  // The clocks of two machines differ. A drift that returns gets a time after all earlier statements about it.
  #opensAt(id: string, now: number): number {
    const last = this.#database.get("SELECT max(at) AS at FROM acknowledgement WHERE drift = ?", id)?.["at"] ?? null;
    return last === null ? now : Math.max(now, Number(last) + 1);
  }

  #putDrift(values: SqlRow): void {
    const names = Object.keys(values).map((name) => `"${name}"`);
    const marks = names.map(() => "?").join(", ");
    const updated = names.map((name) => `${name} = excluded.${name}`).join(", ");
    const insert = `INSERT INTO drift (${names.join(", ")}) VALUES (${marks}) ON CONFLICT (id) DO UPDATE SET ${updated}`;
    this.#database.run(insert, ...Object.values(values));
  }

  // The record of an earlier version shows values: equal values count as the same, unless they are masked.
  #isAlike(before: SqlRow, difference: Difference): boolean {
    if (before["values_digest"] !== null) return before["values_digest"] === this.#digests.of([difference.values]);
    const { left, right } = difference;
    return this.#isShown(difference) && before["left"] === left && before["right"] === right;
  }

  #isShown({ values }: Pick<Difference, "values">): boolean {
    return this.#redact(values) === values;
  }

  // A statement about the values that an earlier version showed covers everything that is compared now.
  #takeOverWords(id: string, sighting: Sighting): void {
    if (!this.#isShown(sighting)) return;
    const row = this.#database.get("SELECT * FROM drift WHERE id = ?", id);
    const words = this.#database.all("SELECT * FROM acknowledgement WHERE drift = ? AND values_digest IS NULL", id);
    for (const word of words)
      if (row !== undefined && isAsAcknowledged(word, { ...row, values_digest: null }))
        this.#database.run(
          "UPDATE acknowledgement SET values_digest = ? WHERE id = ?",
          row["values_digest"] ?? null,
          word["id"] ?? null,
        );
  }

  // An id reveals nothing that is masked. If another drift has the same id, the digest is included too.
  #newId(name: readonly string[], { key, kind }: Sighting): string {
    const shown = [...name, key.map(this.#redact), kind];
    let id = idOf(shown);
    for (let mark = 1; this.#database.get("SELECT 1 FROM drift WHERE id = ?", id) !== undefined; mark++)
      id = idOf([...shown, this.#digests.of(key), String(mark)]);
    return id;
  }

  #valuesOf({ left, right, difference }: Difference): readonly [MaskedQuantity, MaskedQuantity, MaskedQuantity] {
    const kept = (value: MaskedQuantity): MaskedQuantity => (value === null ? null : this.#redact(value));
    return [kept(left), kept(right), kept(difference)];
  }

  #keptReads({ digest, list }: DigestedReads): string {
    this.#database.run("INSERT INTO drift_reads (digest, reads) VALUES (?, ?) ON CONFLICT (digest) DO NOTHING", digest, list);
    return digest;
  }

  #clearGone(recording: Recording, seen: ReadonlySet<string>): void {
    const { comparison, found } = recording;
    const open = `SELECT ${GONE}, parts FROM drift WHERE comparison = ? AND cleared_at IS NULL`;
    for (const row of this.#database.all(open, comparison)) {
      const id = String(row["id"]);
      if (seen.has(id) || !this.#isGone(row, recording)) continue;
      this.#database.run("UPDATE drift SET cleared_at = ?, cleared_run = ? WHERE id = ?", found.at, found.run, id);
      this.#database.run("INSERT INTO sighting (drift, run, at, cleared) VALUES (?, ?, ?, 1)", id, found.run, found.at);
    }
  }

  // A drift that was not seen is gone only if all its reads were repeated after it was last seen (decision 193).
  #isGone(row: SqlRow, { found, reads }: Recording): boolean {
    if (isNewer(row, found) || reads.isMoving(row)) return false;
    if (row["reads"] === null) return found.read.hasLookedFor(String(row["key"]));
    const before = this.#database.get("SELECT reads FROM drift_reads WHERE digest = ?", row["reads"] ?? null);
    return before !== undefined && reads.haveRepeated(row, String(before["reads"]));
  }

  // Only what the last run saw counts: a difference that was gone in between is young again.
  #keepYoung(recording: Recording): void {
    const { comparison, found, reads } = recording;
    const seen = new Set([...found.young, ...found.sightings].map(({ key }) => this.#digests.of(key)));
    for (const row of this.#database.all(`SELECT ${GONE} FROM young WHERE comparison = ?`, comparison))
      if (seen.has(String(row["key_digest"])) || this.#isGone(row, recording))
        this.#database.run("DELETE FROM young WHERE id = ?", row["id"] ?? null);
    for (const difference of found.young) {
      const { key, kind, since, values } = difference;
      const digest = this.#digests.of(key);
      const [left, right] = this.#valuesOf(difference);
      insertRow(this.#database, "young", {
        id: idOf([String(comparison), digest, kind]),
        comparison,
        key: this.#keptKey(key),
        kind,
        left,
        right,
        first_alike_at: since,
        key_digest: digest,
        values_digest: this.#digests.of([values]),
        reads: this.#keptReads(reads.of(key)),
        last_at: found.at,
        last_run: found.run,
      });
    }
  }

  #salt(): string {
    const salt = randomBytes(SALT_BYTES).toString("base64url");
    this.#database.run("INSERT INTO drift_salt (one, salt) VALUES (1, ?) ON CONFLICT (one) DO NOTHING", salt);
    return String(this.#database.get("SELECT salt FROM drift_salt")?.["salt"]);
  }
}

/** A masked quantity; null if there is none. */
type MaskedQuantity = Quantity | null;

// The columns that decide whether a drift, or a young difference, is gone.
const GONE = "id, key, key_digest, reads, last_at, last_run";

function namesIn({ environment, playbook, comparison, scope }: ComparisonName): readonly string[] {
  return [environment, playbook, comparison, scope];
}

function idOf(parts: Json): string {
  return hash("sha256", writeJson(parts)).slice(0, ID_CHARS);
}
