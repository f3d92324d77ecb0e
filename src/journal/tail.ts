import { hash } from "node:crypto";
import { command } from "../base/command-line.ts";
import { Failure } from "../base/failure.ts";
import { closePrivate, openPrivate, overwrite, readPrivate, replacePrivate } from "../files/private.ts";
import type { SqlDatabase, SqlRow } from "../sql/database.ts";
import { withFailures } from "../sqlite/failure.ts";

/** The record of a journal that was written last. */
export interface Last {
  /** The run's id. */
  readonly runId: string;
  /** Its number in the run, from 0 on. */
  readonly sequence: number;
  /** Its hash, in hexadecimal. */
  readonly hash: string;
}

/** The file beside a journal that names its last record. */
export interface TailFile {
  readonly path: string;
  /** Gives what it holds; `undefined` where it is not there. */
  read(): Buffer | undefined;
  /** Puts this content in its place, all or nothing; it is durable when this returns. */
  replace(content: Buffer): void;
  /** Overwrites a part of it. Throws when it is not there. */
  overwrite(part: Buffer, at: number): void;
  /** Closes the file, if it is open. */
  close(): void;
}

// A slot is a sector, so a loss of power leaves it old or new; were it torn all the same, the other one is whole.
const SLOT_BYTES = 512;
const SLOTS = 2;
const CHECK_CHARS = 16;

/**
 * Names the last record of a journal in a file beside it (decision 67). SQLite does not miss what was lost with a file that was cut, left out of a copy, or
 * put back from a backup: the journal would be that of an earlier moment, and what was sent since would be sent again.
 *
 * The file is created, and synced, before the first record of a journal; from the journal's format on one knows that it must be there. It is
 * overwritten after each commit, in turn in one of two places, and not synced: it may name an earlier record than the last, and never one
 * that is not durable. So every record that it names must be in the journal, whatever crash or loss of power came in between.
 */
export class Tail {
  readonly #file: TailFile | undefined;
  #next = 0;

  /** Without a file: of a journal that ends with its process. */
  constructor(file: TailFile | undefined) {
    this.#file = file;
  }

  /** Creates the file, or puts a new one in its place. */
  create(last: Last | undefined): void {
    const { path = "" } = this.#file ?? {};
    withFailures(path, () => this.#file?.replace(Buffer.concat(Array.from({ length: SLOTS }, () => slotOf(last)))));
  }

  /** Names the record that is the last, now that it is durable. */
  keep(last: Last): void {
    this.#file?.overwrite(slotOf(last), this.#next * SLOT_BYTES);
    this.#next = (this.#next + 1) % SLOTS;
  }

  /** Throws a Failure when a journal that must have a tail has none, or has lost a record that it named. */
  assertKept(journal: SqlDatabase): void {
    if (this.#file === undefined) return;
    const named = readSlots(this.#file.read());
    if (typeof named === "string") throw unsure(journal, this.#file.path, named);
    this.#assertHolds(journal, named);
  }

  /** The same for a journal of an earlier format, whose tail may be missing, or torn by a loss of power. */
  assertNotAhead(journal: SqlDatabase): void {
    const content = this.#file?.read();
    const named = readSlots(content);
    this.#assertHolds(journal, typeof named === "string" ? readFirstFormat(content) : named);
  }

  /** Throws a Failure when the journal itself is gone, though a record of it was named. */
  assertNothingLost(journal: string): void {
    const content = this.#file?.read();
    if (content === undefined || this.#file === undefined) return;
    const named = readSlots(content);
    const [last] = typeof named === "string" ? readFirstFormat(content) : named.toSorted((a, b) => b.sequence - a.sequence);
    if (last !== undefined) throw lost(journal, last);
    if (typeof named === "string") throw goneFailure(journal, `${this.#file.path} cannot be read either`);
  }

  /** Closes the file, if it is open. */
  close(): void {
    this.#file?.close();
  }

  #assertHolds(journal: SqlDatabase, named: readonly Last[]): void {
    const [missing] = named.filter((last) => !holds(journal, last)).toSorted((a, b) => b.sequence - a.sequence);
    if (missing !== undefined) throw lost(journal.path, missing);
  }
}

/** The tail's file of a journal. */
export function tailFileOf(journal: string): TailFile {
  const path = journal.replace(/(?:\.db)?$/, ".tail");
  let descriptor: number | undefined;
  return {
    path,
    read: () => withFailures(path, () => readPrivate(path)),
    replace: (content) => replacePrivate(path, content),
    overwrite: (part, at) => {
      descriptor ??= openPrivate(path, "write");
      overwrite(descriptor, part, at);
    },
    close: () => {
      if (descriptor !== undefined) closePrivate(descriptor);
      descriptor = undefined;
    },
  };
}

const NOTHING = "- -1 -";

function slotOf(last: Last | undefined): Buffer {
  const text = last === undefined ? NOTHING : `${last.runId} ${last.sequence} ${last.hash}`;
  return Buffer.from(`${`${text} ${checkOf(text)}`.padEnd(SLOT_BYTES - 1)}\n`, "latin1");
}

function checkOf(text: string): string {
  return hash("sha256", text).slice(0, CHECK_CHARS);
}

// One slot that is torn says nothing, as long as the other one does.
function readSlots(content: Buffer | undefined): readonly Last[] | "missing" | "damaged" {
  if (content === undefined) return "missing";
  if (content.length !== SLOTS * SLOT_BYTES) return "damaged";
  const texts = Array.from({ length: SLOTS }, (_, slot) =>
    content.toString("latin1", slot * SLOT_BYTES, (slot + 1) * SLOT_BYTES).trimEnd(),
  );
  const whole = texts.flatMap((text) => {
    const [, said = "", check] = /^(.*) ([0-9a-f]+)$/.exec(text) ?? [];
    return check === checkOf(said) ? [said] : [];
  });
  if (whole.length === 0) return "damaged";
  return whole.flatMap((text) => (text === NOTHING ? [] : lastIn(text)));
}

function readFirstFormat(content: Buffer | undefined): readonly Last[] {
  return lastIn(content?.toString("utf8").replace(/ *\n$/, "") ?? "");
}

function lastIn(text: string): readonly Last[] {
  const [, runId = "", sequence, own = ""] = /^(\S+) (\d+) ([0-9a-f]{64})$/.exec(text) ?? [];
  return own === "" ? [] : [{ runId, sequence: Number(sequence), hash: own }];
}

function holds(journal: SqlDatabase, { runId, sequence, hash: own }: Last): boolean {
  const isThere = journal.get("SELECT 1 FROM sqlite_schema WHERE name = 'record'") !== undefined;
  if (!isThere) return false;
  const row = journal.get("SELECT hash FROM record JOIN run ON id = run_id WHERE run_id = ? AND sequence = ?", runId, sequence);
  return row?.["hash"] === own || isArchived(journal, runId);
}

// Nothing comes to a run once it is in an archive, and its records were all there when they were removed.
function isArchived(journal: SqlDatabase, runId: string): boolean {
  const hasArchives = journal.get("SELECT 1 FROM sqlite_schema WHERE name = 'archived_run'") !== undefined;
  return hasArchives && journal.get("SELECT 1 FROM archived_run WHERE id = ?", runId) !== undefined;
}

/** The record that was written last, of all runs, by their times. */
export function lastRecordOf(journal: SqlDatabase): Last | undefined {
  const row = journal.get("SELECT run_id, sequence, hash FROM record ORDER BY at DESC, sequence DESC LIMIT 1");
  return row === undefined ? undefined : lastOf(row);
}

/** Returns the record of a row of the journal. */
export function lastOf(row: SqlRow): Last {
  return { runId: String(row["run_id"]), sequence: Number(row["sequence"]), hash: String(row["hash"]) };
}

const WHY = "what was sent since then would be sent again, so nothing is sent";
const ACCEPT = ["or look into the ledger, and continue without the lost records:", command`runs accept-loss --because TEXT`];

function lost(journal: string, { runId, sequence }: Last): Failure {
  return new Failure({
    code: "journal.lost",
    message: `${journal} has lost records: it does not have record ${sequence} of run ${runId}, which was the last that was written`,
    why: WHY,
    next: [`put back the files of its folder that belong together (${journal}, ${journal}-wal), all as they were`, ...ACCEPT],
  });
}

function unsure(journal: SqlDatabase, path: string, how: "missing" | "damaged"): Failure {
  const last = lastRecordOf(journal);
  const has = last === undefined ? "it has no record" : `the last that it has is record ${last.sequence} of run ${last.runId}`;
  return new Failure({
    code: "journal.no-tail",
    message: `${journal.path} may have lost records: ${path}, which names the last one, ${how === "missing" ? "is missing" : "is damaged"}; ${has}`,
    why: WHY,
    next: ["put back the files of its folder that belong together, all as they were", ...ACCEPT],
  });
}

/** Says that a journal is gone, although something of it is left. */
export function goneFailure(journal: string, left: string): Failure {
  return new Failure({
    code: "journal.lost",
    message: `${journal} is missing or empty, and had records: ${left}`,
    why: WHY,
    next: ["put back the files of its folder that belong together, all as they were", ...ACCEPT],
  });
}
