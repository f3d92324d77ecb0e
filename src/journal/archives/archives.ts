import { command, type CommandLine } from "../../base/command-line.ts";
import { Failure } from "../../base/failure.ts";
import { openWrites } from "../../protocol/open-writes.ts";
import { stateOf } from "../../protocol/state.ts";
import type { SqlDatabase, SqlRow } from "../../sql/database.ts";
import type { SealedRun } from "./archive-file.ts";
import { isBroken, readRecords } from "../chain.ts";
import type { Leases } from "../leases.ts";
import { hasProof, targetOf } from "../proofs.ts";

/**
 * The archives that a journal has sealed, and what it must not forget of each run in them: its archive, its key and, if a transaction has
 * proven one of its writes, where it acted. The proofs themselves stay in their table.
 */
export const ARCHIVE_SCHEMA = `
CREATE TABLE archive (
  number INTEGER PRIMARY KEY, digest TEXT NOT NULL, file TEXT NOT NULL, sealed_at INTEGER NOT NULL
) STRICT;
CREATE TABLE archived_run (
  id TEXT PRIMARY KEY, archive INTEGER NOT NULL REFERENCES archive (number), outcome TEXT NOT NULL, key TEXT, target TEXT
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX archived_key ON archived_run (key) WHERE key IS NOT NULL;
`;

/** An archive that the journal knows. */
export interface KnownArchive {
  /** Its number in the chain of archives, from 1 on. */
  readonly number: number;
  /** The SHA-256 digest of all bytes before its last line, in hexadecimal. */
  readonly digest: string;
  /** The path where it was written. */
  readonly file: string;
  /** When it was sealed, in milliseconds since the Unix epoch. */
  readonly sealedAt: number;
}

/** A run in an archive. */
export interface RunInArchive {
  /** The run's id. */
  readonly id: string;
  /** How the run ended. */
  readonly outcome: string;
  /** The path where the archive was written. */
  readonly file: string;
}

/** What a journal keeps of an archived run. */
export interface KeptOfRun {
  /** How the run ended. */
  readonly outcome: string;
  /** The key that its caller gave it; null for none. */
  readonly key: string | null;
}

/** A run to which a caller gave a key. */
export interface KeyedRun {
  /** The run's id. */
  readonly id: string;
  readonly key: string;
  /** How the run ended; `undefined` while it is in progress, or if its process died. */
  readonly outcome: string | undefined;
  readonly isArchived: boolean;
}

/** A run that is old enough, but stays in the journal. */
export interface KeptRun {
  /** The run's id. */
  readonly id: string;
  /** The reason why it stays. */
  readonly because: KeptBecause;
}

/** Why a run stays in the journal. */
export type KeptBecause = "unfinished" | "held" | "open write" | "damaged" | "open drift" | "last of its playbook" | "done since";

// No other character sorts after this one.
const AFTER_ALL = "\u{10FFFF}";

// A person or a resumed run can still change any other outcome.
const FINISHED: ReadonlySet<unknown> = new Set(["passed", "failed", "drift"]);

const IS_LAST = `NOT EXISTS (SELECT 1 FROM run AS later WHERE later.identity = run.identity AND later.environment = run.environment
  AND (later.opened_at > run.opened_at OR (later.opened_at = run.opened_at AND later.id > run.id)))`;

const IN_ARCHIVE = "SELECT id, outcome, file FROM archived_run JOIN archive ON number = archive";

/** The archives of a journal. */
export class Archives {
  readonly #database: SqlDatabase;
  readonly #leases: Leases;

  constructor(database: SqlDatabase, leases: Leases) {
    this.#database = database;
    this.#leases = leases;
  }

  /** Returns all archives, beginning with the first. */
  all(): readonly KnownArchive[] {
    return this.#database.all("SELECT * FROM archive ORDER BY number").map(archiveOf);
  }

  /** Returns what the journal keeps of the runs in an archive, by their ids. */
  keptOf(number: number): ReadonlyMap<string, KeptOfRun> {
    const rows = this.#database.all("SELECT id, outcome, key FROM archived_run WHERE archive = ?", number);
    return new Map(
      rows.map(({ id, outcome, key }) => [String(id), { outcome: String(outcome), key: key === null ? null : String(key) }]),
    );
  }

  /** Returns whether the journal lists that a transaction or a receipt has proven a write of a run. */
  hasProof(id: string, runId: string): boolean {
    return hasProof(this.#database, id, runId);
  }

  /** Returns the last archive. */
  last(): KnownArchive | undefined {
    return this.#database.all("SELECT * FROM archive ORDER BY number DESC LIMIT 1").map(archiveOf)[0];
  }

  /** Returns the archived run with this id or, if there is none, the runs whose ids contain the name. */
  named(name: string, limit: number): readonly RunInArchive[] {
    const exact = this.#database.all(`${IN_ARCHIVE} WHERE id = ?`, name);
    const rows =
      exact.length > 0 ? exact : this.#database.all(`${IN_ARCHIVE} WHERE instr(id, ?) > 0 ORDER BY id DESC LIMIT ?`, name, limit);
    return rows.map(runOf);
  }

  /** Returns the id of the run in the journal to which a caller gave this key. Throws a Failure if that run is archived. */
  runWithKey(key: string): string | undefined {
    const found = this.keyed(key);
    if (found?.isArchived === true) this.#assertNotArchived(key);
    return found?.id;
  }

  /** Returns the run to which a caller gave this key, even if it is archived. */
  keyed(key: string): KeyedRun | undefined {
    return this.#keyed("key = ?", key)[0];
  }

  /** Returns the runs whose keys begin with a text, including archived ones. */
  runsWithKeysFrom(beginning: string): readonly KeyedRun[] {
    return this.#keyed("key >= ? AND key < ?", beginning, `${beginning}${AFTER_ALL}`);
  }

  // One query, because each query takes a round trip to a server.
  #keyed(which: string, ...values: readonly string[]): readonly KeyedRun[] {
    const both = `SELECT id, key, outcome, 0 AS archived FROM run WHERE ${which}
      UNION ALL SELECT id, key, outcome, 1 FROM archived_run WHERE ${which}`;
    return this.#database.all(both, ...values, ...values).map((row) => ({
      id: String(row["id"]),
      key: String(row["key"]),
      outcome: row["outcome"] === null ? undefined : String(row["outcome"]),
      isArchived: row["archived"] === 1,
    }));
  }

  #assertNotArchived(key: string): void {
    const [archived] = this.#database.all(`${IN_ARCHIVE} WHERE key = ?`, key).map(runOf);
    if (archived !== undefined) throw keyIsArchived(archived);
  }

  /**
   * Yields the runs whose last record is older than a moment, and whose writes no other run can find any more, the earliest first. Each run is
   * examined when it is requested. `neededFor` returns why a run is still needed.
   */
  *older(before: number, neededFor: (run: string) => KeptBecause | undefined): Generator<SealedRun | KeptRun> {
    const rows = this.#database.all(
      `SELECT id, CASE WHEN ${IS_LAST} THEN 1 ELSE 0 END AS is_last FROM run
       JOIN record ON run_id = id AND sequence = last_sequence
       WHERE opened_at < ? AND at < ? AND COALESCE(written_until, 0) < ? ORDER BY opened_at, id`,
      before,
      before,
      before,
    );
    for (const { id, is_last: isLast } of rows) {
      const row = this.#database.get("SELECT * FROM run WHERE id = ?", id ?? null);
      if (row === undefined) continue; // another process has archived it in the meantime
      const run = headingOf(row);
      const needed = Number(isLast) === 1 ? "last of its playbook" : neededFor(run.id);
      const because = this.#unfit(row) ?? needed;
      yield because === undefined ? run : { id: run.id, because };
    }
  }

  #unfit(row: SqlRow): KeptBecause | undefined {
    const id = String(row["id"]);
    const reason = this.#inUse(row);
    if (reason !== undefined) return reason;
    try {
      return openWrites(stateOf(readRecords(this.#database, id))).length > 0 ? "open write" : undefined;
    } catch (error) {
      if (isBroken(error)) return "damaged";
      throw error;
    }
  }

  #inUse({ id, outcome }: SqlRow): KeptBecause | undefined {
    if (!FINISHED.has(outcome)) return "unfinished";
    return this.#leases.holding(String(id)) === undefined ? undefined : "held";
  }

  /** Whether the journal has each of these runs, with at least as many records. */
  holdsAll(runs: readonly SealedRun[]): boolean {
    return runs.every(({ id, end }) => {
      const run = this.#database.get("SELECT last_sequence FROM run WHERE id = ?", id);
      if (run === undefined || Number(run["last_sequence"]) < end.sequence) return false;
      const record = this.#database.get("SELECT hash FROM record WHERE run_id = ? AND sequence = ?", id, end.sequence);
      return record?.["hash"] === end.hash;
    });
  }

  /** Whether the journal has each of these runs as it was sealed. They could be removed then, so they can be removed now if nobody uses them. */
  areUnchanged(runs: readonly SealedRun[]): boolean {
    return runs.every(({ id, end }) => {
      const row = this.#database.get("SELECT * FROM run WHERE id = ?", id);
      return row?.["last_hash"] === end.hash && Number(row["last_sequence"]) === end.sequence && this.#inUse(row) === undefined;
    });
  }

  /**
   * Removes sealed runs from the journal, and remembers their archive, in one commit. During the commit, `place` gives the file its name. Throws
   * a Failure if a run has changed since it was sealed, or another process has sealed an archive. Then nothing is removed.
   */
  remove(archive: KnownArchive, runs: readonly SealedRun[], place: () => void = () => undefined): void {
    const { number, digest, file, sealedAt } = archive;
    const isRemoved = this.whileNext(number, () => {
      if (!this.areUnchanged(runs)) throw changedFailure(file);
      place();
      this.#database.run(
        "INSERT INTO archive (number, digest, file, sealed_at) VALUES (?, ?, ?, ?)",
        number,
        digest,
        file,
        sealedAt,
      );
      for (const { id, outcome } of runs) this.#remove(id, number, outcome);
    });
    // Another process may have completed the same archive.
    if (!isRemoved && this.last()?.digest !== digest) throw changedFailure(file);
  }

  /**
   * Does the work in a transaction if the next archive has this number, so that no other process archives at the same time. Returns whether
   * it has this number.
   */
  whileNext(number: number, work: () => void): boolean {
    return this.#database.transaction(() => {
      if ((this.last()?.number ?? 0) !== number - 1) return false;
      work();
      return true;
    });
  }

  #remove(id: string, archive: number, outcome: string): void {
    const key = this.#database.get("SELECT key FROM run WHERE id = ?", id)?.["key"] ?? null;
    const hasProofs = this.#database.get("SELECT 1 FROM proof WHERE run_id = ? LIMIT 1", id) !== undefined;
    const target = hasProofs ? targetOf(this.#database, id) : undefined;
    this.#database.run(
      "INSERT INTO archived_run (id, archive, outcome, key, target) VALUES (?, ?, ?, ?, ?)",
      id,
      archive,
      outcome,
      key,
      target === undefined ? null : JSON.stringify(target),
    );
    this.#database.run("DELETE FROM record WHERE run_id = ?", id);
    this.#database.run("DELETE FROM lease WHERE run_id = ?", id);
    this.#database.run("DELETE FROM run WHERE id = ?", id);
  }
}

function archiveOf({ number, digest, file, sealed_at }: SqlRow): KnownArchive {
  return { number: Number(number), digest: String(digest), file: String(file), sealedAt: Number(sealed_at) };
}

function runOf({ id, outcome, file }: SqlRow): RunInArchive {
  return { id: String(id), outcome: String(outcome), file: String(file) };
}

function headingOf(row: SqlRow): SealedRun {
  return {
    id: String(row["id"]),
    playbook: String(row["playbook"]),
    environment: String(row["environment"]),
    openedAt: Number(row["opened_at"]),
    outcome: String(row["outcome"]),
    end: { sequence: Number(row["last_sequence"]), hash: String(row["last_hash"]) },
  };
}

/** Returns the failure for a run that was continued, or for runs that another process archived, in the meantime. */
export function changedFailure(file: string): Failure {
  return new Failure({
    code: "archive.changed",
    message: `a run in ${file} was continued, or another process archived runs, while the archive was written`,
    why: "an archive must hold whole runs, so those of this one are still in the journal",
    next: "type the same command again",
  });
}

const IN_FILE = "its records are no longer in the journal";

/** The code of the failure for an archived run. */
export const RUN_ARCHIVED = "run.archived";

/** Looks at a run of a list. Returns `undefined` if another process has archived the run since the list was read. */
export function unlessArchived<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    if (error instanceof Failure && error.code === RUN_ARCHIVED) return undefined;
    throw error;
  }
}

/** Returns the failure that names the archive of a run. */
export function runIsArchived({ id, outcome, file }: RunInArchive): Failure {
  return new Failure({
    code: RUN_ARCHIVED,
    message: `the run ${id}, which ended ${outcome}, is in the archive ${file}`,
    why: IN_FILE,
    next: showIt({ id, file }),
  });
}

/** Returns the failure for a key that an archived run has. */
function keyIsArchived({ id, outcome, file }: RunInArchive): Failure {
  return new Failure({
    code: RUN_ARCHIVED,
    message: `the key names the run ${id}, which ended ${outcome} and is in the archive ${file}`,
    why: `a key names one run, so nothing was sent; ${IN_FILE}`,
    next: ["look at that run first; a run with another key would repeat any write of that run:", showIt({ id, file })],
  });
}

function showIt({ id, file }: Pick<RunInArchive, "id" | "file">): CommandLine {
  return command`runs show ${id} --archive ${file}`;
}
