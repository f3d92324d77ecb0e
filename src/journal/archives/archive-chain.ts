import { readdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { Failure, messageOf } from "../../base/failure.ts";
import { archiveName, archiveNumber, FIRST_PREVIOUS, readArchive } from "./archive-file.ts";
import type { KnownArchive } from "./archives.ts";

/** An archive as it was verified. */
export interface VerifiedArchive {
  /** The name of its file, without the folder. */
  readonly file: string;
  /** Its place in the chain of archives, from 1 on. */
  readonly number: number;
  /** How many runs it holds. */
  readonly runs: number;
  /** How many records it holds. */
  readonly records: number;
  /** Null when it has no seal. */
  readonly digest: string | null;
  /** The digest of the archive before it. Null when it has no first line. */
  readonly previous: string | null;
  /** What is wrong with it, or with its place in the chain; null when it is intact. */
  readonly problem: Failure | null;
}

/**
 * Verifies the archives of a folder, and that each follows from the one before it. The folder may begin with a later archive than the first.
 * `known` are those that a journal has written there: it shows whether the last ones are missing. Throws a Failure when the folder cannot
 * be read, or holds no archive.
 */
export function verifyArchives(folder: string, known: readonly KnownArchive[]): readonly VerifiedArchive[] {
  const there = numbersIn(folder);
  const [first] = there;
  if (first === undefined && known.length === 0) throw noArchive(folder);
  const expected = new Map(known.map(({ number, digest }) => [number, digest]));
  const end = Math.max(...there, ...expected.keys());
  const verified: VerifiedArchive[] = [];
  for (let number = first ?? Math.min(...expected.keys()); number <= end; number++) {
    const last = verified.at(-1);
    // One that is damaged or missing was reported itself, so nothing is said about the one after it.
    const before = number === 1 ? FIRST_PREVIOUS : last?.problem === null ? last.digest : undefined;
    const archive = there.includes(number) ? verifyOne(folder, number) : missing(folder, number);
    verified.push({ ...archive, problem: archive.problem ?? linkProblem(archive, before, expected.get(number)) });
  }
  return verified;
}

/**
 * Returns the archives at a path: one file, or all of a folder. Throws a Failure when one of them is not whole, or does not follow from the one
 * before it.
 */
export function wholeArchives(path: string, known: readonly KnownArchive[]): readonly string[] {
  if (!isFile(path)) {
    const verified = verifyArchives(path, known);
    for (const { problem } of verified) if (problem !== null) throw problem;
    return verified.map(({ file }) => join(path, file));
  }
  const { digest, problem } = readArchive(path);
  if (problem !== undefined) throw problem;
  const [written] = known;
  if (written !== undefined && written.digest !== digest) throw other(basename(path), written.digest);
  return [path];
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function numbersIn(folder: string): readonly number[] {
  try {
    return readdirSync(folder)
      .flatMap((name) => archiveNumber(name) ?? [])
      .toSorted((a, b) => a - b);
  } catch (error) {
    throw new Failure({
      code: "archive.unreadable",
      message: `the folder ${folder} cannot be read: ${messageOf(error)}`,
      next: "name the folder of the archives: --archive DIR",
      cause: error,
    });
  }
}

function verifyOne(folder: string, number: number): VerifiedArchive {
  const file = archiveName(number);
  const { heading, runs, records, digest, problem } = readArchive(join(folder, file));
  const found = { file, number, runs: runs.length, records, digest: digest ?? null, previous: heading?.previous ?? null };
  const isRenamed = heading !== undefined && heading.number !== number;
  return { ...found, problem: problem ?? (isRenamed ? renamed(file, heading.number) : null) };
}

function linkProblem(
  { file, digest, previous }: VerifiedArchive,
  before: string | null | undefined,
  known: string | undefined,
): Failure | null {
  if (known !== undefined && digest !== known) {
    return other(file, known);
  }
  if (typeof before === "string" && previous !== before) {
    return inChain(
      "archive.broken-chain",
      `${file} does not follow from the archive before it: it names ${previous}, and that is ${before}`,
    );
  }
  return null;
}

function other(file: string, known: string): Failure {
  return inChain("archive.other", `${file} is intact, and is not what the journal has written: its digest was ${known}`);
}

function missing(folder: string, number: number): VerifiedArchive {
  const file = archiveName(number);
  return {
    file,
    number,
    runs: 0,
    records: 0,
    digest: null,
    previous: null,
    problem: inChain("archive.missing", `${file} is missing in ${folder}`),
  };
}

function renamed(file: string, number: number): Failure {
  return inChain("archive.renamed", `${file} is archive ${number}: somebody gave it another name`);
}

function inChain(code: string, message: string): Failure {
  return new Failure({
    code,
    message,
    why: "runs can be missing from the archives, or be other ones than those that were archived",
    next: "put another copy of the archives in their place",
  });
}

function noArchive(folder: string): Failure {
  return new Failure({
    code: "archive.none",
    message: `there is no archive in ${folder}`,
    next: `name the folder of the archives, which hold names such as ${archiveName(1)}: --archive DIR`,
  });
}
