import { dirname, join } from "node:path";
import { EXIT } from "../base/exit.ts";
import { Failure } from "../base/failure.ts";
import { didYouMean } from "../base/text.ts";
import type { Fact, Holder, RunOpened, RunRecord } from "../protocol/record.ts";
import { type Cell, Database } from "../sqlite/database.ts";
import { CHAIN_START, type ChainedRecord, type History, readChain, readHistory } from "./chain.ts";
import { Commits } from "./commits.ts";
import { Holders, type Life, type Liveness, spellHolder } from "./holder.ts";
import { type HeldRun, type JournalPorts, RunJournal } from "./journal.ts";
import { PROOF_SCHEMA } from "./proofs.ts";
import { Tail } from "./tail.ts";
import { type Claim, type Lease, LEASE_SCHEMA, Leases, NOTHING_ELSE, type Taken } from "./leases.ts";

// Records are rows by number: in the tree of a key a body of more than a kilobyte would take a page of its own.
const SCHEMA = `
CREATE TABLE run (
  id TEXT PRIMARY KEY, playbook TEXT NOT NULL, environment TEXT NOT NULL, opened_at INTEGER NOT NULL,
  outcome TEXT, epoch INTEGER NOT NULL, holder TEXT
) STRICT;
CREATE TABLE record (
  run_id TEXT NOT NULL REFERENCES run (id), sequence INTEGER NOT NULL, epoch INTEGER NOT NULL, at INTEGER NOT NULL,
  kind TEXT NOT NULL, body TEXT NOT NULL, previous TEXT NOT NULL, hash TEXT NOT NULL,
  PRIMARY KEY (run_id, sequence)
) STRICT;
`;

const GROUP_SCHEMA = `
CREATE TABLE group_hold (
  name TEXT PRIMARY KEY, run_id TEXT NOT NULL, holder TEXT NOT NULL, since INTEGER NOT NULL
) STRICT;
`;

// Where each run's chain of records ends.
const END_SCHEMA = `
ALTER TABLE run ADD COLUMN last_sequence INTEGER NOT NULL DEFAULT -1;
ALTER TABLE run ADD COLUMN last_hash TEXT NOT NULL DEFAULT '';
UPDATE run SET last_sequence = COALESCE((SELECT MAX(sequence) FROM record WHERE run_id = id), -1);
UPDATE run SET last_hash = COALESCE((SELECT hash FROM record WHERE run_id = id AND sequence = last_sequence), '');
`;

// What each version adds to the one before: a journal of any of them is brought up to the last, and loses nothing.
const MIGRATIONS: readonly string[] = [SCHEMA, GROUP_SCHEMA, LEASE_SCHEMA, END_SCHEMA, PROOF_SCHEMA];

/** The format that this version writes. */
export const FORMAT: number = MIGRATIONS.length;

/** A line of `tokenbook runs`. */
export interface RunSummary {
  readonly id: string;
  readonly playbook: string;
  readonly environment: string;
  readonly openedAt: number;
  /** `undefined` while the run is under way, or when its process died. */
  readonly outcome: string | undefined;
  /** Who may be acting for it, and since when. */
  readonly held: { readonly holder: Holder; readonly since: number; readonly life: Life } | undefined;
}

/** A run that may be written for, and all that is known of it. */
export interface Held {
  readonly journal: RunJournal;
  readonly records: readonly RunRecord[];
}

/** All runs of one state directory. */
export class JournalStore {
  readonly leases: Leases;
  readonly #database: Database;
  readonly #tail: Tail;
  readonly #commits: Commits;
  readonly #ports: JournalPorts;
  readonly #liveness: Liveness;

  private constructor(database: Database, ports: JournalPorts) {
    this.#database = database;
    this.#tail = new Tail(database);
    this.#commits = new Commits(database, ports.inNextTurn);
    this.#ports = ports;
    this.#liveness = ports.liveness ?? new Holders(database.isInMemory ? undefined : dirname(database.path));
    this.leases = new Leases(database, { ...ports, liveness: this.#liveness });
  }

  static open(stateDirectory: string, ports: JournalPorts): JournalStore {
    return JournalStore.over(Database.open(join(stateDirectory, "journal.db")), ports);
  }

  /** Looks into the journal of a state directory and changes nothing. It must be of the format that this version writes. */
  static look(database: Database, ports: JournalPorts): JournalStore {
    return new JournalStore(database, ports);
  }

  /** The runs that an open database holds, whatever it lies on. */
  static over(database: Database, ports: JournalPorts): JournalStore {
    migrate(database);
    return JournalStore.look(database, ports);
  }

  /** Begins a run: its first records are durable, and the run is held, when the promise is kept. Without a claim it takes one. */
  async begin(opened: RunOpened, environment: string, taken?: Claim): Promise<Held> {
    const { runId } = opened;
    const claim = taken ?? { runId, epoch: 1 };
    const opening = (): void => {
      if (taken === undefined) claimed(this.leases.takeWithin(runId, NOTHING_ELSE));
      this.#database.run(
        "INSERT INTO run (id, playbook, environment, opened_at) VALUES (?, ?, ?, ?)",
        runId,
        opened.playbook.file,
        environment,
        this.#ports.clock.now(),
      );
    };
    return this.#held({ claim, end: CHAIN_START, opening }, [], opened);
  }

  /** Takes a run and nothing else, and writes nothing for it yet. Throws a Failure (exit 6) that names the holder when there is one. */
  take(runId: string): Claim {
    this.#assertKnown(runId);
    return claimed(this.leases.take(runId, NOTHING_ELSE));
  }

  /**
   * Takes over a run that nobody holds; what is known of it need not be read again. Throws a Failure (exit 6) that names the holder when
   * somebody does. Without a claim it takes one.
   */
  async claim(runId: string, taken?: Claim, known?: History): Promise<Held> {
    const claim = taken ?? this.take(runId);
    const { records, end } = readHistory(this.#database, runId, known);
    const opening = (): void => void this.#database.run("UPDATE run SET outcome = NULL WHERE id = ?", runId);
    return this.#held({ claim, end, opening }, records);
  }

  // Nobody but whoever holds the run can write what comes here, and it is durable before anything else.
  async #held(run: HeldRun, before: readonly RunRecord[], ...first: readonly Fact[]): Promise<Held> {
    this.assertWhole();
    const stored = {
      database: this.#database,
      commits: this.#commits,
      leases: this.leases,
      liveness: this.#liveness,
      tail: this.#tail,
    };
    const journal = new RunJournal(stored, run, this.#ports);
    const last: Fact = { kind: "run.claimed", holder: this.#liveness.me() };
    const noted = [...first, last].map((fact) => journal.note(fact));
    await journal.flushed();
    return { journal, records: [...before, ...noted] };
  }

  /** Lets go of a run, with its outcome; its last records become durable in the same commit. Open: it leaves writes whose effect is not known. */
  async release(journal: RunJournal, outcome: string, leavesOpen = false): Promise<void> {
    await journal.ended(() => {
      this.#database.run("UPDATE run SET outcome = ? WHERE id = ?", outcome, journal.claim.runId);
      this.leases.releaseWithin(journal.claim, leavesOpen);
    });
  }

  /** The records of a run, each checked against the chain. */
  read(runId: string): readonly RunRecord[] {
    return this.history(runId).records;
  }

  /** The same, with where they end; reads on from what is known, and gives that itself when nothing has come to it. */
  history(runId: string, known?: History): History {
    this.#assertKnown(runId);
    return readHistory(this.#database, runId, known);
  }

  /** The records of a run with their hashes, one by one, each checked. */
  chain(runId: string): Iterable<ChainedRecord> {
    this.#assertKnown(runId);
    return readChain(this.#database, runId);
  }

  /** Whether there is a run of this name. */
  knows(runId: string): boolean {
    return this.#database.get("SELECT 1 FROM run WHERE id = ?", runId) !== undefined;
  }

  /** How many records a run has: what is cheap to ask again and again. */
  count(runId: string): number {
    this.#assertKnown(runId);
    return Number(this.#database.get("SELECT last_sequence FROM run WHERE id = ?", runId)?.["last_sequence"] ?? -1) + 1;
  }

  /** The names of all runs, the earliest first. */
  ids(): readonly string[] {
    return this.#database.all("SELECT id FROM run ORDER BY opened_at, id").map(({ id }) => String(id));
  }

  /** Throws a Failure when the journal has lost records that it ended with. */
  assertWhole(): void {
    this.#tail.assertKept(this.#database);
  }

  /** Runs, the latest first. */
  list(limit: number): readonly RunSummary[] {
    return this.#summaries("ORDER BY opened_at DESC, id DESC LIMIT ?", limit);
  }

  /** How many runs there are. */
  total(): number {
    return Number(this.#database.get("SELECT COUNT(*) AS total FROM run")?.["total"]);
  }

  /** How a run stands. Throws a Failure when there is none of this name. */
  summary(runId: string): RunSummary {
    const [found] = this.#summaries("WHERE id = ?", runId);
    return found ?? this.#unknown(runId);
  }

  /** Runs that have not passed, the latest first. */
  notPassed(limit: number): readonly RunSummary[] {
    return this.#summaries("WHERE outcome IS NOT 'passed' ORDER BY opened_at DESC, id DESC LIMIT ?", limit);
  }

  #summaries(which: string, ...values: Cell[]): readonly RunSummary[] {
    return this.#database.all(`SELECT * FROM run ${which}`, ...values).map((row) => ({
      id: String(row["id"]),
      playbook: String(row["playbook"]),
      environment: String(row["environment"]),
      openedAt: Number(row["opened_at"]),
      outcome: row["outcome"] === null ? undefined : String(row["outcome"]),
      held: heldBy(this.leases.holding(String(row["id"]))),
    }));
  }

  close(): void {
    this.#tail.close();
    this.#liveness.close();
    this.#database.close();
  }

  #assertKnown(runId: string): void {
    if (!this.knows(runId)) this.#unknown(runId);
  }

  #unknown(runId: string): never {
    this.assertWhole();
    throw noSuchRun(runId, this.ids());
  }
}

function heldBy(lease: Lease | undefined): RunSummary["held"] {
  return lease?.holder === undefined ? undefined : { holder: lease.holder, since: lease.since, life: lease.life };
}

function claimed(taken: Taken): Claim {
  if ("claim" in taken) return taken.claim;
  throw runHeld(taken.inTheWay);
}

function migrate(database: Database): void {
  const version = versionOf(database);
  if (version === FORMAT) return;
  if (version > FORMAT) {
    throw new Failure({
      code: "journal.newer",
      message: `${database.path} was written by a newer tokenbook (format ${version})`,
      next: "update tokenbook, or name another state directory with --state DIR",
    });
  }
  database.transaction(() => {
    for (const migration of MIGRATIONS.slice(versionOf(database))) database.exec(migration);
    database.exec(`PRAGMA user_version = ${FORMAT}`);
  });
}

/** The format in which a journal was written. */
export function versionOf(database: Database): number {
  return Number(database.get("PRAGMA user_version")?.["user_version"] ?? 0);
}

/** Says that there is no run of this name among those that there are. */
export function noSuchRun(runId: string, ids: readonly string[]): Failure {
  const near = nearRun(runId, ids);
  return new Failure({
    code: "journal.no-such-run",
    message: `there is no run "${runId}" in this state directory`,
    next: near === undefined ? "tokenbook runs" : `did you mean ${near}? All of them: tokenbook runs`,
  });
}

// A part of a name stands for the one that has it. Names of one day are alike, so few edits tell one from another.
function nearRun(name: string, ids: readonly string[]): string | undefined {
  const [only, ...others] = name === "" ? [] : ids.filter((id) => id.startsWith(name) || id.endsWith(name));
  return others.length === 0 && only !== undefined ? only : didYouMean(name, ids, 2);
}

/** Says that somebody holds a run. */
export function runHeld(lease: Lease): Failure {
  const { runId, holder } = lease;
  return new Failure({
    code: "journal.held",
    message: `the run ${runId} is held by ${holder === undefined ? "nobody" : spellHolder(holder)}`,
    why: "two processes acting for one run could send a write twice",
    next: `wait for that process to end, or stop it; then try this run again${releaseHint(lease)}`,
    exit: EXIT.locked,
  });
}

/** What to do about a holder when nobody here can know whether it is alive; nothing about one that is. */
export function releaseHint({ runId, holder, life }: Lease): string {
  if (holder === undefined || life !== "unknown") return "";
  return `. If it is gone for good (look on ${holder.host}): tokenbook runs release ${runId} --because TEXT`;
}
