import { type BigIntStats, closeSync, constants, fstatSync, openSync, readSync, type Stats } from "node:fs";
import { Failure, type FailureDetails } from "../base/failure.ts";
import { countLong } from "../base/text/text.ts";
import { oddKindOf } from "./kind.ts";

/** A file that a user names, and its name in messages. */
export interface NamedFile {
  readonly path: string;
  /** Its name in messages. */
  readonly name: string;
  /** Why it may not be larger, and what to do about it. If left out, the reason is that the file is read as a whole. */
  readonly ifTooLarge?: Pick<FailureDetails, "why" | "next"> | undefined;
}

/**
 * Opens a file that a user names for reading. Only regular files are accepted, because opening a pipe without a writer would wait forever. Throws a Failure for
 * any other entry, and the system's error if the file cannot be opened.
 */
function openRegular({ path, name }: NamedFile): number {
  const descriptor = opened(path, name);
  const kind = oddKindOf(fstatSync(descriptor));
  if (kind === undefined) return descriptor;
  closeSync(descriptor);
  throw notRegular(name, kind);
}

const PIECE_BYTES = 65_536;

/**
 * Returns the bytes of a regular file. Throws as `openRegular` does, and also if the file is too large. The reported size is not reliable: a file may grow
 * while it is read, and files in /proc have size 0. `accept` may refuse the opened file with a Failure, even if its name refers to another file by then.
 */
export function readRegular(file: NamedFile, mostBytes: number, accept: (found: Stats) => void = () => undefined): Buffer {
  const descriptor = openRegular(file);
  try {
    accept(fstatSync(descriptor));
    const pieces: Buffer[] = [];
    let bytes = 0;
    for (const piece of piecesOf(descriptor)) {
      bytes += piece.length;
      if (bytes > mostBytes) throw tooLarge(file, mostBytes);
      pieces.push(piece);
    }
    return Buffer.concat(pieces);
  } finally {
    closeSync(descriptor);
  }
}

const NEWLINE = 0x0a;

/** Returns the lines of a regular file as bytes, each with its newline if it has one. Throws as `readUnchanged` does. */
export function* readLines(file: NamedFile): Generator<Buffer> {
  let begun: Buffer[] = [];
  for (const piece of readUnchanged(file)) {
    let from = 0;
    for (let end = piece.indexOf(NEWLINE); end !== -1; end = piece.indexOf(NEWLINE, from)) {
      yield Buffer.concat([...begun, piece.subarray(from, end + 1)]);
      [begun, from] = [[], end + 1];
    }
    if (from < piece.length) begun.push(piece.subarray(from));
  }
  if (begun.length > 0) yield Buffer.concat(begun);
}

/**
 * Returns the bytes of a regular file in pieces. Throws as `openRegular` does. If the file changes while it is read, throws a Failure instead of the next piece
 * or the end, because half a line would be another line.
 */
export function* readUnchanged(file: NamedFile): Generator<Buffer> {
  const descriptor = openRegular(file);
  try {
    const before = fstatSync(descriptor, { bigint: true });
    for (const piece of piecesOf(descriptor)) {
      assertUnchanged(file, before, fstatSync(descriptor, { bigint: true }));
      yield piece;
    }
    assertUnchanged(file, before, fstatSync(descriptor, { bigint: true }));
  } finally {
    closeSync(descriptor);
  }
}

/** Throws a Failure if a file has changed. */
export function assertUnchanged({ name }: NamedFile, before: BigIntStats, after: BigIntStats): void {
  if (before.size === after.size && before.mtimeNs === after.mtimeNs && before.ino === after.ino) return;
  throw new Failure({
    code: "source.changed",
    message: `${name} changed while it was read`,
    next: "write it under another name, and rename it when it is complete",
  });
}

/** Returns the first bytes of a regular file. Throws as `openRegular` does. */
export function readHead(file: NamedFile, bytes: number): Buffer {
  const descriptor = openRegular(file);
  try {
    const head = Buffer.alloc(bytes);
    return head.subarray(0, readSync(descriptor, head, 0, bytes, 0));
  } finally {
    closeSync(descriptor);
  }
}

function* piecesOf(descriptor: number): Generator<Buffer> {
  for (;;) {
    const piece = Buffer.allocUnsafe(PIECE_BYTES);
    const size = readSync(descriptor, piece, 0, PIECE_BYTES, null);
    if (size === 0) return;
    yield piece.subarray(0, size);
  }
}

function tooLarge({ name, ifTooLarge = WHOLE }: NamedFile, mostBytes: number): Failure {
  return new Failure({ code: "file.too-large", message: `${name} has more than ${countLong(mostBytes, "byte")}`, ...ifTooLarge });
}

const WHOLE = { why: "it is read as a whole", next: "name the right file, or make it smaller" };

// Without O_NONBLOCK, opening a pipe would wait for a writer.
function opened(path: string, name: string): number {
  try {
    return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENXIO") throw notRegular(name, "a socket");
    throw error;
  }
}

function notRegular(name: string, kind: string): Failure {
  return new Failure({
    code: "file.not-regular",
    message: `${name} is ${kind}, and only regular files are read`,
    why: "tokenbook may read a file more than once, and must never wait for the writer of a pipe",
    next: "write its content into a regular file, and name that one",
  });
}
