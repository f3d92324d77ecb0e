import { hostname } from "node:os";
import { join } from "node:path";
import { EXIT } from "../base/exit.ts";
import { Failure } from "../base/failure.ts";
import type { Clock } from "../base/ports.ts";
import type { Redact } from "../base/secret.ts";
import type { Holder, RunOpened, RunRecord } from "../protocol/record.ts";
import { Database } from "../sqlite/database.ts";
import { GROUP_SCHEMA, Groups } from "./groups.ts";
import { CHAIN_START, type HeldRun, readRecords, RunJournal } from "./journal.ts";
import { isAlive, thisProcess } from "./holder.ts";

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

// What each version adds to the one before: a journal of any of them is brought up to the last, and loses nothing.
const MIGRATIONS: readonly string[] = [SCHEMA, GROUP_SCHEMA];

/** A line of `tokenbook runs`. */
export interface RunSummary {
  readonly id: string;
  readonly playbook: string;
  readonly environment: string;
  readonly openedAt: number;
  /** `undefined` while the run is under way, or when its process died. */
  readonly outcome: string | undefined;
  /** Whether somebody may still be acting for it. */
  readonly held: boolean;
}

/** All runs of one state directory. */
export class JournalStore {
  readonly groups: Groups;
  readonly #database: Database;
  readonly #ports: { readonly clock: Clock; readonly redact: Redact };

  private constructor(database: Database, ports: { clock: Clock; redact: Redact }) {
    this.#database = database;
    this.#ports = ports;
    this.groups = new Groups(database, ports);
  }

  static open(stateDirectory: string, ports: { clock: Clock; redact: Redact }): JournalStore {
    const database = Database.open(join(stateDirectory, "journal.db"));
    migrate(database);
    return new JournalStore(database, ports);
  }

  /** Begins a run: its first record is durable, and the run is held, when this returns. */
  begin(opened: RunOpened, environment: string): { readonly journal: RunJournal; readonly records: readonly RunRecord[] } {
    const holder = thisProcess();
    const opening = (): void => {
      this.#database.run(
        "INSERT INTO run (id, playbook, environment, opened_at, epoch, holder) VALUES (?, ?, ?, ?, 1, ?)",
        opened.runId,
        opened.playbook.file,
        environment,
        this.#ports.clock.now(),
        JSON.stringify(holder),
      );
    };
    const tail = { sequence: -1, hash: CHAIN_START };
    const journal = this.#journal({ runId: opened.runId, epoch: 1, tail, opening });
    const records = [journal.note(opened), journal.write({ kind: "run.claimed", holder })];
    return { journal, records };
  }

  /** Takes over a run that nobody holds. Throws a Failure (exit 6) that names the holder when somebody does. */
  claim(runId: string): { readonly journal: RunJournal; readonly records: readonly RunRecord[] } {
    const holder = thisProcess();
    const epoch = this.#database.transaction(() => this.#takeOver(runId, holder));
    const records = [...readRecords(this.#database, runId)];
    const last = records.at(-1);
    const tail = { sequence: last?.sequence ?? -1, hash: last?.hash ?? CHAIN_START };
    const journal = this.#journal({ runId, epoch, tail });
    return { journal, records: [...records, journal.write({ kind: "run.claimed", holder })] };
  }

  #takeOver(runId: string, holder: Holder): number {
    const row = this.#database.get("SELECT epoch, holder FROM run WHERE id = ?", runId);
    if (row === undefined) throw noSuchRun(runId);
    const present = readHolder(row["holder"]);
    if (present !== undefined && isAlive(present)) throw held(runId, present);
    const epoch = Number(row["epoch"]) + 1;
    this.#database.run("UPDATE run SET epoch = ?, holder = ?, outcome = NULL WHERE id = ?", epoch, JSON.stringify(holder), runId);
    return epoch;
  }

  /** Lets go of a run, with its outcome; its last records become durable in the same commit. */
  release(journal: RunJournal, outcome: string): void {
    const update = (): void => {
      this.#database.run("UPDATE run SET holder = NULL, outcome = ? WHERE id = ?", outcome, journal.runId);
    };
    journal.flush(update);
  }

  /** The records of a run, each checked against the chain. */
  read(runId: string): readonly RunRecord[] {
    if (this.#database.get("SELECT 1 FROM run WHERE id = ?", runId) === undefined) throw noSuchRun(runId);
    return [...readRecords(this.#database, runId)];
  }

  /** Runs, the latest first. */
  list(limit: number): readonly RunSummary[] {
    return this.#database.all("SELECT * FROM run ORDER BY opened_at DESC, id DESC LIMIT ?", limit).map((row) => ({
      id: String(row["id"]),
      playbook: String(row["playbook"]),
      environment: String(row["environment"]),
      openedAt: Number(row["opened_at"]),
      outcome: row["outcome"] === null ? undefined : String(row["outcome"]),
      held: isHeld(readHolder(row["holder"])),
    }));
  }

  close(): void {
    this.#database.close();
  }

  #journal(run: HeldRun): RunJournal {
    return new RunJournal(this.#database, run, this.#ports);
  }
}

function migrate(database: Database): void {
  const version = versionOf(database);
  if (version === MIGRATIONS.length) return;
  if (version > MIGRATIONS.length) {
    throw new Failure({
      code: "journal.newer",
      message: `${database.path} was written by a newer tokenbook (format ${version})`,
      next: "update tokenbook, or name another state directory with --state DIR",
    });
  }
  database.transaction(() => {
    for (const migration of MIGRATIONS.slice(versionOf(database))) database.exec(migration);
    database.exec(`PRAGMA user_version = ${MIGRATIONS.length}`);
  });
}

function versionOf(database: Database): number {
  return Number(database.get("PRAGMA user_version")?.["user_version"] ?? 0);
}

function isHeld(holder: Holder | undefined): boolean {
  return holder !== undefined && isAlive(holder);
}

function readHolder(text: unknown): Holder | undefined {
  return typeof text === "string" ? (JSON.parse(text) as Holder) : undefined;
}

function noSuchRun(runId: string): Failure {
  return new Failure({
    code: "journal.no-such-run",
    message: `there is no run "${runId}" in this state directory`,
    next: "tokenbook runs",
  });
}

function held(runId: string, holder: Holder): Failure {
  const where = holder.host === hostname() ? "on this host" : `on ${holder.host}`;
  return new Failure({
    code: "journal.held",
    message: `the run ${runId} is held by process ${holder.pid} ${where}`,
    why: "two processes acting for one run could send a write twice",
    next: "wait for that process to end, or stop it; then run the same command again",
    exit: EXIT.locked,
  });
}
