import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { Failure, messageOf } from "../base/failure.ts";
import { quoted } from "../base/text.ts";
import { makeFolder } from "../files/folder.ts";
import { createDurable } from "../files/output.ts";
import { FOLDER_MODE, removePrivate } from "../files/private.ts";
import {
  archiveName,
  archiveText,
  FIRST_PREVIOUS,
  type ReadArchive,
  readArchive,
  type SealedRun,
  UNSEALED,
} from "./archive-file.ts";
import type { Archives, KeptRun, KnownArchive } from "./archives.ts";
import type { JournalStore } from "./store.ts";

/** What is archived, and where. */
export interface Archiving {
  readonly folder: string;
  /** Runs whose last record is older than this are archived. Milliseconds since the Unix epoch. */
  readonly before: number;
  readonly now: number;
  /** Whether a drift that is remembered names a run. */
  readonly isNeeded: (run: string) => boolean;
  /** Called when the file of an archive is durable, before its runs are removed from the journal. */
  readonly written?: (file: string) => void;
}

/** An archive that a command has completed. */
export interface CompletedArchive extends KnownArchive {
  readonly runs: readonly string[];
  readonly records: number;
  /** Whether an earlier command wrote the file, and ended before it removed the runs from the journal. */
  readonly wasBegun: boolean;
}

/** What archiving runs has done. */
export interface ArchivedRuns {
  readonly archives: readonly CompletedArchive[];
  readonly kept: readonly KeptRun[];
}

/**
 * Seals finished runs into a file that follows from the archive before it, and removes them from the journal once the file is durable and
 * was read back. Whenever the process is killed, each run is in the journal, in an archive, or in both, and the next call completes what is
 * in both. Throws a Failure.
 */
export function archiveRuns(store: JournalStore, archiving: Archiving): ArchivedRuns {
  const { archives } = store;
  makeArchiveFolder(archiving.folder);
  assertSameChain(archives, archiving.folder);
  const completed: CompletedArchive[] = [];
  for (let begun = completeBegun(archives, archiving); begun !== undefined; begun = completeBegun(archives, archiving))
    completed.push(begun);
  const { runs, kept } = archives.older(archiving.before, archiving.isNeeded);
  if (runs.length > 0) completed.push(seal(store, archiving, runs));
  return { archives: completed, kept };
}

interface Next {
  readonly number: number;
  readonly previous: string;
  readonly file: string;
}

function nextOf(archives: Archives, folder: string): Next {
  const { number = 0, digest = FIRST_PREVIOUS } = archives.last() ?? {};
  return { number: number + 1, previous: digest, file: join(folder, archiveName(number + 1)) };
}

function seal(store: JournalStore, archiving: Archiving, runs: readonly SealedRun[]): CompletedArchive {
  const { number, previous, file } = nextOf(store.archives, archiving.folder);
  const heading = { number, previous, sealedAt: archiving.now };
  try {
    createDurable(
      file,
      archiveText(heading, runs, (run) => store.chain(run)),
    );
  } catch (error) {
    throw error instanceof Failure ? error : unwritable(file, error);
  }
  archiving.written?.(file);
  return { ...complete(store.archives, file, readArchive(file)), wasBegun: false };
}

// What the file holds is what counts: it was read back from the disk.
function complete(archives: Archives, file: string, read: ReadArchive): Omit<CompletedArchive, "wasBegun"> {
  const { heading, runs, records, digest, problem } = read;
  if (heading === undefined || digest === undefined || problem !== undefined) throw problem ?? foreign(file);
  const archive: KnownArchive = { number: heading.number, digest, file, sealedAt: heading.sealedAt };
  archives.remove(archive, runs);
  return { ...archive, runs: runs.map(({ id }) => id), records };
}

// The journal does not know the next archive, and yet its file is there: a process ended before its runs were removed.
function completeBegun(archives: Archives, { folder }: Archiving): CompletedArchive | undefined {
  const { number, previous, file } = nextOf(archives, folder);
  if (!existsSync(file)) return undefined;
  const read = readArchive(file);
  if (read.problem !== undefined && read.problem.code !== UNSEALED) throw damaged(file, read.problem);
  const isOurs = read.heading === undefined || (read.heading.previous === previous && read.heading.number === number);
  if (!isOurs || !archives.holdsAll(read.runs)) throw foreign(file);
  if (read.problem === undefined && archives.areUnchanged(read.runs))
    return { ...complete(archives, file, read), wasBegun: true };
  // The journal holds all that is in it, so it is written again.
  removePrivate(file);
  return undefined;
}

// Archives of another journal, or a last archive that was changed, would break the chain.
function assertSameChain(archives: Archives, folder: string): void {
  const last = archives.last();
  const file = last && join(folder, archiveName(last.number));
  if (file === undefined || !existsSync(file)) return;
  const { digest, problem } = readArchive(file);
  if (problem !== undefined) throw problem;
  if (digest !== last?.digest) throw foreign(file);
}

function makeArchiveFolder(folder: string): void {
  try {
    makeFolder(folder, FOLDER_MODE);
  } catch (error) {
    throw unwritable(folder, error);
  }
}

function foreign(file: string): Failure {
  return new Failure({
    code: "archive.of-another",
    message: `${file} is not an archive of this journal, or the journal was restored from a backup that is older than the archive`,
    why: "each archive holds the digest of the one before it; nothing was written or removed",
    next: `verify the archives of that folder, or name another one with --to:\ntokenbook runs verify --archive ${quoted(dirname(file))}`,
  });
}

function damaged(file: string, { code, message, why }: Failure): Failure {
  return new Failure({
    code,
    message,
    ...(why === undefined ? {} : { why }),
    next: `put another copy of it in its place. If the journal was never restored from a backup, all runs in it are still in the journal, and you can remove it:\nrm ${quoted(file)}`,
  });
}

function unwritable(path: string, error: unknown): Failure {
  return new Failure({
    code: "archive.cannot-write",
    message: `${path} cannot be written: ${messageOf(error)}`,
    why: "a run is removed from the journal only when its archive is durable; nothing was removed",
    next: "make room, or name a folder in which you may write: --to DIR",
    cause: error,
  });
}
