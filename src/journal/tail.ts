import { closeSync, constants, openSync, readFileSync, writeSync } from "node:fs";
import { Failure } from "../base/failure.ts";
import type { Database } from "../sqlite/database.ts";

/** Which record of which run stands last in a journal. */
interface Last {
  readonly runId: string;
  readonly sequence: number;
  readonly hash: string;
}

// More than any has, so that each covers the one before it.
const LINE_CHARS = 200;

/**
 * The last record of a journal, told in a file beside it once it is durable there. SQLite does not miss what was lost with a file that was
 * cut, left out of a copy, or put back from a backup: the journal would be that of an earlier moment, and what was sent since would be
 * sent again. The file is never synced, so it may tell of an earlier record than the last; it never tells of one that was not there.
 */
export class Tail {
  /** Left out by a journal that ends with its process. */
  readonly #path: string | undefined;
  #descriptor: number | undefined;
  #isChecked = false;

  constructor(journal: Database) {
    this.#path = journal.isInMemory ? undefined : journal.path.replace(/(?:\.db)?$/, ".tail");
  }

  /** Tells which record is the last, now that it is durable. */
  keep({ runId, sequence, hash }: Last): void {
    if (this.#path === undefined) return;
    this.#descriptor ??= openSync(this.#path, constants.O_RDWR | constants.O_CREAT, 0o600);
    writeSync(this.#descriptor, `${`${runId} ${sequence} ${hash}`.padEnd(LINE_CHARS - 1)}\n`, 0);
  }

  /** Throws a Failure when the journal has lost the record that it was told to end with. */
  assertKept(database: Database): void {
    if (this.#isChecked || this.#path === undefined) return;
    const last = readTail(this.#path);
    if (last !== undefined && !holds(database, last)) throw lost(database.path, this.#path, last);
    this.#isChecked = true;
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }
}

// One that a loss of power has torn tells nothing.
function readTail(path: string): Last | undefined {
  try {
    const [, runId = "", sequence, hash = ""] = /^(\S+) (\d+) ([0-9a-f]{64}) *\n$/.exec(readFileSync(path, "utf8")) ?? [];
    return hash === "" ? undefined : { runId, sequence: Number(sequence), hash };
  } catch {
    return undefined; // a new journal has none
  }
}

function holds(database: Database, { runId, sequence, hash }: Last): boolean {
  const row = database.get("SELECT hash FROM record JOIN run ON id = run_id WHERE run_id = ? AND sequence = ?", runId, sequence);
  return row?.["hash"] === hash;
}

function lost(journal: string, tail: string, { runId, sequence }: Last): Failure {
  return new Failure({
    code: "journal.lost",
    message: `${journal} has lost records: it no longer has record ${sequence} of run ${runId}, which was the last`,
    why: "what was sent since then would be sent again, so nothing is sent",
    next: `put back the files that belong to it (${journal}-wal), all as they were; or, after looking at the ledger, go on with what is there: rm ${tail}`,
  });
}
