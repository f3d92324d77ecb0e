import { readdirSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { Failure, messageOf } from "../../base/failure.ts";
import { archiveName, archiveNumber, FIRST_PREVIOUS, readArchive } from "./archive-file.ts";
import type { KnownArchive } from "./archives.ts";

/** An archive that was verified. */
export interface VerifiedArchive {
  /** The name of its file, without the folder. */
  readonly file: string;
  /** Its number in the chain of archives, from 1 on. */
  readonly number: number;
  /** How many runs it holds. */
  readonly runs: number;
  /** How many records it holds. */
  readonly records: number;
  /** Its digest; null if it has no seal. */
  readonly digest: string | null;
  /** The digest of the archive before it; null if its first line is missing. */
  readonly previous: string | null;
  /** When it was sealed according to its first line, in milliseconds since the Unix epoch. */
  readonly sealedAt: number | undefined;
  /** Whether the present journal wrote this archive, with this digest. */
  readonly compared: boolean;
  /** The problem of the archive, or of its place in the chain; null if it is intact. */
  readonly problem: Failure | null;
}

/**
 * Verifies the archives of a folder, and the chain between them. The folder may begin with a later archive than the first. `known` are all
 * archives that a journal has written. If the folder has one of them, or is where they were written, they show whether the last archives are
 * missing or were replaced. Throws a Failure if the folder cannot be read, or holds no archive.
 */
export function verifyArchives(folder: string, known: readonly KnownArchive[]): readonly VerifiedArchive[] {
  const there = filesIn(folder).map((file) => verifyOne(folder, file));
  const expected = new Map(writtenWith(folder, there, known).map(({ number, digest }) => [number, digest]));
  const first = there[0]?.number ?? Math.min(...expected.keys());
  if (there.length === 0 && expected.size === 0) throw noArchive(folder);
  const verified: VerifiedArchive[] = [];
  for (const found of inTurn(folder, there, Math.max(first - 1, ...expected.keys()))) {
    const last = verified.at(-1);
    // A damaged or missing archive was reported itself, so its successor is not reported too.
    const before = found.number === 1 ? FIRST_PREVIOUS : last?.problem === null ? last.digest : undefined;
    const digest = expected.get(found.number);
    const compared = found.digest !== null && found.digest === digest;
    verified.push({ ...found, compared, problem: found.problem ?? linkProblem(found, before, digest) });
  }
  return verified;
}

// The archives that exist and, for each gap between them and before `end`, its first missing archive. `there` is in the order of numbers.
function inTurn(folder: string, there: readonly VerifiedArchive[], end: number): readonly VerifiedArchive[] {
  const [first] = there;
  const all: VerifiedArchive[] = [];
  let next = first?.number ?? 1;
  for (const found of there) {
    if (found.number > next) all.push(missing(folder, next, found.number - 1));
    all.push(found);
    next = Math.max(next, found.number + 1);
  }
  return end >= next ? [...all, missing(folder, next, end)] : all;
}

/**
 * Returns the archives of a journal that belong in a folder. A copy has another path, so it is recognized by its content: an archive is the journal's
 * if it has the same digest, or was sealed at the same time. Then all archives that were written beside it belong here.
 */
function writtenWith(folder: string, there: readonly VerifiedArchive[], known: readonly KnownArchive[]): readonly KnownArchive[] {
  const found = new Map(there.map((archive) => [archive.number, archive]));
  const isHere = (archive: KnownArchive): boolean => {
    const { digest, sealedAt } = found.get(archive.number) ?? {};
    return digest === archive.digest || sealedAt === archive.sealedAt || isSamePlace(dirname(archive.file), folder);
  };
  const folders = new Set(known.filter(isHere).map(({ file }) => dirname(file)));
  return known.filter(({ file }) => folders.has(dirname(file)));
}

function isSamePlace(one: string, two: string): boolean {
  return one === two || realPath(one) === realPath(two);
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** Archives that are intact. */
export interface WholeArchives {
  /** Their paths, in the order of their numbers. */
  readonly files: readonly string[];
  /** Whether the present journal wrote one of them. */
  readonly compared: boolean;
}

/**
 * Returns the archives at a path: one file, or all files of a folder. Throws a Failure if an archive is damaged, does not follow from the
 * one before it, or differs from the one that the journal has written.
 */
export function wholeArchives(path: string, known: readonly KnownArchive[]): WholeArchives {
  if (!isFile(path)) {
    const verified = verifyArchives(path, known);
    for (const { problem } of verified) if (problem !== null) throw problem;
    return { files: verified.map(({ file }) => join(path, file)), compared: verified.some(({ compared }) => compared) };
  }
  const { heading, digest, problem } = readArchive(path);
  if (problem !== undefined) throw problem;
  const written = known.find(({ number }) => number === heading?.number);
  const compared = written !== undefined && written.digest === digest;
  const isOurs = written?.sealedAt === heading?.sealedAt || (written !== undefined && isSamePlace(written.file, path));
  if (written !== undefined && isOurs && !compared) throw otherJournalFailure(basename(path), written.digest);
  return { files: [path], compared };
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

// Returns the files in the order of their numbers.
function filesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => archiveNumber(name) !== undefined)
      .toSorted((one, two) => (archiveNumber(one) ?? 0) - (archiveNumber(two) ?? 0) || (one < two ? -1 : 1));
  } catch (error) {
    throw new Failure({
      code: "archive.unreadable",
      message: `the folder ${folder} cannot be read: ${messageOf(error)}`,
      next: "name the folder of the archives: --archive DIR",
      cause: error,
    });
  }
}

function verifyOne(folder: string, file: string): VerifiedArchive {
  const number = archiveNumber(file) ?? 0;
  const { heading, runs, records, digest, problem } = readArchive(join(folder, file));
  const { previous = null, sealedAt } = heading ?? {};
  const found = { file, number, runs: runs.length, records, digest: digest ?? null, previous, sealedAt, compared: false };
  const isRenamed = heading !== undefined && archiveName(heading.number) !== file;
  return { ...found, problem: problem ?? (isRenamed ? renamed(file, heading.number) : null) };
}

function linkProblem(
  { file, digest, previous }: VerifiedArchive,
  before: string | null | undefined,
  known: string | undefined,
): Failure | null {
  if (known !== undefined && digest !== known) {
    return otherJournalFailure(file, known);
  }
  if (typeof before === "string" && previous !== before) {
    return inChain(
      "archive.broken-chain",
      `${file} does not follow from the archive before it: it names ${previous}, and that is ${before}`,
    );
  }
  return null;
}

function otherJournalFailure(file: string, known: string): Failure {
  return inChain(
    "archive.other",
    `${file} is intact, but it is not the archive that the journal wrote: that one has the digest ${known}`,
  );
}

function missing(folder: string, first: number, last: number): VerifiedArchive {
  const file = archiveName(first);
  const are = first === last ? `${file} is` : `${file} to ${archiveName(last)} are`;
  return {
    file,
    number: first,
    runs: 0,
    records: 0,
    digest: null,
    previous: null,
    sealedAt: undefined,
    compared: false,
    problem: inChain("archive.missing", `${are} missing in ${folder}`),
  };
}

function renamed(file: string, number: number): Failure {
  return inChain("archive.renamed", `${file} is archive ${number}: somebody gave it another name`);
}

function inChain(code: string, message: string): Failure {
  return new Failure({
    code,
    message,
    why: "runs may be missing from the archives, or may have been replaced by others",
    next: "put another copy of the archives in their place",
  });
}

function noArchive(folder: string): Failure {
  return new Failure({
    code: "archive.none",
    message: `there is no archive in ${folder}`,
    next: `name the folder of the archives, whose files have names such as ${archiveName(1)}: --archive DIR`,
  });
}
