import { hash } from "node:crypto";
import { command } from "../base/command-line.ts";
import { Failure } from "../base/failure.ts";
import { closePrivate, openPrivate, overwrite, readPrivate, replacePrivate } from "../files/private.ts";
import type { SqlDatabase, SqlRow } from "../sql/database.ts";
import { withFailures } from "../sqlite/failure.ts";

/** The last record that was written to a journal. */
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
  /** Returns the content of the file; `undefined` if it does not exist. */
  read(): Buffer | undefined;
  /** Replaces the file by this content atomically. The content is durable when this returns. */
  replace(content: Buffer): void;
  /** Overwrites a part of the file. Throws if the file does not exist. */
  overwrite(part: Buffer, at: number): void;
  /** Closes the file, if it is open. */
  close(): void;
}

/** Notices that a journal has lost the last records. */
export interface Tail {
  /** Names the last record of a journal that is new or was replaced, or whose loss was accepted. */
  create(journal: SqlDatabase): void;
  /** Names the last record, now that it is durable. */
  keep(last: Last): void;
  /** Throws a Failure if the journal has lost a record that was named, or may have. */
  assertKept(journal: SqlDatabase): void;
  /** Does the same for a journal of an earlier format. */
  assertNotAhead(journal: SqlDatabase): void;
  /** Closes what is open. */
  close(): void;
}

// A slot is one disk sector, so after a power loss it is old or new. Even if it were torn, the other slot would be intact.
const SLOT_BYTES = 512;
const SLOTS = 2;
const CHECK_CHARS = 16;

/**
 * Names the last record of a journal in a file beside it (decision 67). SQLite does not notice what was lost with a file that was cut off, left out of a
 * copy, or restored from a backup. The journal would then be that of an earlier moment, and what was sent since then would be sent again.
 *
 * The file is created and synced before the first record of a journal; the journal's format says whether it must exist. It is overwritten after each
 * commit, alternately in one of two slots, without a sync. So it may name an earlier record than the last, but never one that is not durable. Therefore
 * every record that it names must be in the journal, whatever crash or power loss happened.
 */
export class FileTail implements Tail {
  readonly #file: TailFile | undefined;
  #next = 0;

  /** Without a file, for a journal that ends with its process. */
  constructor(file: TailFile | undefined) {
    this.#file = file;
  }

  /** Creates the file, or replaces it. */
  create(journal: SqlDatabase): void {
    const { path = "" } = this.#file ?? {};
    const last = lastRecordOf(journal);
    withFailures(path, () => this.#file?.replace(Buffer.concat(Array.from({ length: SLOTS }, () => slotOf(last)))));
  }

  /** Names the last record, now that it is durable. */
  keep(last: Last): void {
    this.#file?.overwrite(slotOf(last), this.#next * SLOT_BYTES);
    this.#next = (this.#next + 1) % SLOTS;
  }

  /** Throws a Failure if a journal must have a tail and has none, or has lost a record that the tail named. */
  assertKept(journal: SqlDatabase): void {
    if (this.#file === undefined) return;
    const named = readSlots(this.#file.read());
    if (typeof named === "string") throw unsure(journal, this.#file.path, named);
    this.#assertHolds(journal, named);
  }

  /** Does the same for a journal of an earlier format. Its tail may be missing, or torn by a power loss. */
  assertNotAhead(journal: SqlDatabase): void {
    const content = this.#file?.read();
    const named = readSlots(content);
    this.#assertHolds(journal, typeof named === "string" ? readFirstFormat(content) : named);
  }

  /** Throws a Failure if the journal itself is gone, although the tail names one of its records. */
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

/** Returns the tail file of a journal. */
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
  return sealedSlot(last === undefined ? NOTHING : `${last.runId} ${last.sequence} ${last.hash}`);
}

/** Returns a slot with a text and its check. */
export function sealedSlot(text: string): Buffer {
  return Buffer.from(`${`${text} ${checkOf(text)}`.padEnd(SLOT_BYTES - 1)}\n`, "latin1");
}

function checkOf(text: string): string {
  return hash("sha256", text).slice(0, CHECK_CHARS);
}

/** Returns the text of a slot; undefined if the slot is torn. */
export function textOfSlot(slot: Buffer): string | undefined {
  const [, text = "", check] = /^(.*) ([0-9a-f]+)$/.exec(slot.toString("latin1").trimEnd()) ?? [];
  return check === checkOf(text) ? text : undefined;
}

// One torn slot does no harm, as long as the other one is intact.
function readSlots(content: Buffer | undefined): readonly Last[] | "missing" | "damaged" {
  if (content === undefined) return "missing";
  if (content.length !== SLOTS * SLOT_BYTES) return "damaged";
  const slots = Array.from({ length: SLOTS }, (_, slot) => content.subarray(slot * SLOT_BYTES, (slot + 1) * SLOT_BYTES));
  const whole = slots.map(textOfSlot).filter((text) => text !== undefined);
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

// An archived run gets no more records, and all its records were there when they were removed.
function isArchived(journal: SqlDatabase, runId: string): boolean {
  const hasArchives = journal.get("SELECT 1 FROM sqlite_schema WHERE name = 'archived_run'") !== undefined;
  return hasArchives && journal.get("SELECT 1 FROM archived_run WHERE id = ?", runId) !== undefined;
}

/** Returns the record of all runs that was written last, judging by their times. */
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
    message: `${journal} has lost records: record ${sequence} of run ${runId}, the last that was written, is gone`,
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

/** Returns the failure for a journal that is gone, although a part of it is left. */
export function goneFailure(journal: string, left: string): Failure {
  return new Failure({
    code: "journal.lost",
    message: `${journal} is missing or empty, and had records: ${left}`,
    why: WHY,
    next: ["put back the files of its folder that belong together, all as they were", ...ACCEPT],
  });
}
