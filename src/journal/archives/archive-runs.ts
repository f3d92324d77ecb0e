import { randomBytes } from "node:crypto";
import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { command } from "../../base/command-line.ts";
import { Failure, messageOf } from "../../base/failure.ts";
import { LIMITS } from "../../base/limits.ts";
import { quoted } from "../../base/text/text.ts";
import { present } from "../../base/present.ts";
import { makeFolder } from "../../files/folder.ts";
import { createDurable } from "../../files/output.ts";
import { FOLDER_MODE, removePrivate, renameDurable } from "../../files/private.ts";
import {
  archiveName,
  archiveText,
  draftName,
  FIRST_PREVIOUS,
  isDraft,
  type ReadArchive,
  readArchive,
  type SealedRun,
} from "./archive-file.ts";
import { type Archives, changedFailure, type KeptBecause, type KeptRun, type KnownArchive } from "./archives.ts";
import type { JournalStore } from "../store.ts";

/** What is archived, and where. */
export interface Archiving {
  /** The folder of the archives, which is created if it is missing. */
  readonly folder: string;
  /** Runs whose last record is older than this time are archived, in milliseconds since the Unix epoch. */
  readonly before: number;
  /** The present time, in milliseconds since the Unix epoch. */
  readonly now: number;
  /** Returns why a run is still needed, for reasons that the journal itself does not know. */
  readonly neededFor: (run: string) => KeptBecause | undefined;
  /**
   * Called when the text of an archive is durable, and again when its file has its final name. Both happen before its runs are removed from
   * the journal.
   */
  readonly reached?: (moment: "written" | "named") => void;
  /** Called with each archive after its runs were removed from the journal. */
  readonly removed?: (archive: CompletedArchive) => void;
}

/** An archive that a command has completed. */
export interface CompletedArchive extends KnownArchive {
  /** The ids of its runs. */
  readonly runs: readonly string[];
  /** How many records it holds. */
  readonly records: number;
  /** Whether an earlier command wrote the file, but ended before it removed the runs from the journal. */
  readonly wasBegun: boolean;
}

/** The result of archiving runs. */
export interface ArchivedRuns {
  /** The archives in the order of their numbers; empty if there was nothing to archive. */
  readonly archives: readonly CompletedArchive[];
  /** The runs that are old enough, but stay in the journal. */
  readonly kept: readonly KeptRun[];
}

/**
 * Seals finished runs into files. The runs of a file are removed from the journal once the file is durable and was read back. Each file is chained to the
 * archive before it. It holds no more runs than one short transaction can remove, so that no other process waits for long. Whenever the process is killed, each
 * run is in the journal, in an archive, or in both; the next call completes what is in both. Throws a Failure.
 */
export function archiveRuns(store: JournalStore, archiving: Archiving): ArchivedRuns {
  const { archives } = store;
  makeArchiveFolder(archiving.folder);
  for (const name of readdirSync(archiving.folder).filter(isDraft)) removePrivate(join(archiving.folder, name));
  assertSameChain(archives, archiving.folder);
  const completed: CompletedArchive[] = [];
  const add = (archive: CompletedArchive): void => {
    completed.push(archive);
    archiving.removed?.(archive);
  };
  for (let begun = completeBegun(archives, archiving); begun !== undefined; begun = completeBegun(archives, archiving))
    add(begun);
  const kept: KeptRun[] = [];
  let batch: SealedRun[] = [];
  let records = 0;
  const sealBatch = (): void => {
    if (batch.length > 0) add(seal(store, archiving, batch));
    batch = [];
    records = 0;
  };
  for (const run of archives.older(archiving.before, archiving.neededFor)) {
    if ("because" in run) {
      kept.push(run);
      continue;
    }
    const more = run.end.sequence + 1;
    if (batch.length >= LIMITS.archiveRuns || records + more > LIMITS.archiveRecords) sealBatch();
    batch.push(run);
    records += more;
  }
  sealBatch();
  return { archives: completed, kept };
}

const DRAFT_BYTES = 4;

interface NextArchive {
  readonly number: number;
  readonly previous: string;
  readonly file: string;
}

function nextOf(archives: Archives, folder: string): NextArchive {
  const { number = 0, digest = FIRST_PREVIOUS } = archives.last() ?? {};
  return { number: number + 1, previous: digest, file: join(folder, archiveName(number + 1)) };
}

function seal(store: JournalStore, archiving: Archiving, runs: readonly SealedRun[]): CompletedArchive {
  const { number, previous, file } = nextOf(store.archives, archiving.folder);
  const heading = { number, previous, sealedAt: archiving.now };
  const draft = join(archiving.folder, draftName(number, randomBytes(DRAFT_BYTES).toString("hex")));
  try {
    createDurable(
      draft,
      archiveText(heading, runs, (run) => store.chain(run)),
    );
  } catch (error) {
    throw error instanceof Failure ? error : unwritable(draft, error);
  }
  archiving.reached?.("written");
  // Another process that archives runs took this file for an abandoned draft.
  if (!existsSync(draft)) throw changedFailure(file);
  // Only what the file holds counts, so it is read back from the disk.
  const completed = complete(store.archives, file, readArchive(draft), () => {
    if (existsSync(file)) throw foreignFailure(file);
    renameDurable(draft, file);
    archiving.reached?.("named");
  });
  return { ...completed, wasBegun: false };
}

function complete(
  archives: Archives,
  file: string,
  { heading, runs, records, digest, problem }: ReadArchive,
  place?: () => void,
): Omit<CompletedArchive, "wasBegun"> {
  if (heading === undefined || digest === undefined || problem !== undefined) throw problem ?? foreignFailure(file);
  const archive: KnownArchive = { number: heading.number, digest, file, sealedAt: heading.sealedAt };
  archives.remove(archive, runs, place);
  return { ...archive, runs: runs.map(({ id }) => id), records };
}

// The file of the next archive exists, but the journal does not know it: a process ended before it removed the runs from the journal.
function completeBegun(archives: Archives, { folder }: Archiving): CompletedArchive | undefined {
  const { number, previous, file } = nextOf(archives, folder);
  if (!existsSync(file)) return undefined;
  const read = readArchive(file);
  if (read.problem !== undefined) throw damaged(file, read.problem);
  if (read.heading?.previous !== previous || read.heading.number !== number) throw foreignFailure(file);
  if (archives.areUnchanged(read.runs)) return { ...complete(archives, file, read), wasBegun: true };
  archives.whileNext(number, () => {
    // In this case the journal holds everything that is in the file, so the file is written again.
    if (!archives.holdsAll(read.runs)) throw foreignFailure(file);
    removePrivate(file);
  });
  return undefined;
}

// Archives of another journal, or a changed last archive, would break the chain.
function assertSameChain(archives: Archives, folder: string): void {
  const last = archives.last();
  const file = last && join(folder, archiveName(last.number));
  if (file === undefined || !existsSync(file)) return;
  const { digest, problem } = readArchive(file);
  if (problem !== undefined) throw problem;
  if (digest !== last?.digest) throw foreignFailure(file);
}

function makeArchiveFolder(folder: string): void {
  try {
    makeFolder(folder, FOLDER_MODE);
  } catch (error) {
    throw unwritable(folder, error);
  }
}

function foreignFailure(file: string): Failure {
  return new Failure({
    code: "archive.of-another",
    message: `${file} is not an archive of this journal, or the journal was restored from a backup that is older than the archive`,
    why: "each archive names the one before it by a hash of its content, and the journal knows the last one: this file has another hash, so it is neither continued nor replaced",
    next: ["name another folder with --to, or verify the archives of that one:", command`runs verify --archive ${dirname(file)}`],
  });
}

function damaged(file: string, { code, message, why }: Failure): Failure {
  return new Failure({
    code,
    message,
    ...present({ why }),
    next: `put another copy of it in its place. If the journal was never restored from a backup, all runs in it are still in the journal, and you can remove it:\nrm ${quoted(file)}`,
  });
}

function unwritable(path: string, error: unknown): Failure {
  return new Failure({
    code: "archive.cannot-write",
    message: `${path} cannot be written: ${messageOf(error)}`,
    why: "a run is removed from the journal only when its archive is durable, so these runs are still in the journal",
    next: "make room, or name a folder in which you may write: --to DIR",
    cause: error,
  });
}
