import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from "node:fs";
import { Failure } from "../base/failure.ts";
import { countLong } from "../base/text.ts";
import { oddKindOf } from "./kind.ts";

/** A file that somebody names, and what messages call it. */
export interface NamedFile {
  readonly path: string;
  readonly name: string;
}

/**
 * Opens a file that somebody names, for reading. Only regular files are taken: a pipe that nobody writes into would be waited for forever.
 * Throws a Failure for anything else that is there, and what the system says where nothing can be opened.
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
 * The bytes of a regular file; throws as `openRegular` does, and where there are too many. The size that a file says it has proves nothing: it
 * may grow while it is read, and those of /proc say 0. `accept` may refuse by a Failure the file that was opened, wherever its name leads by then.
 */
export function readRegular(file: NamedFile, mostBytes: number, accept: (found: Stats) => void = () => undefined): Buffer {
  const descriptor = openRegular(file);
  try {
    accept(fstatSync(descriptor));
    const pieces: Buffer[] = [];
    for (let [bytes, size] = [0, 1]; size > 0; bytes += size) {
      if (bytes > mostBytes) throw tooLarge(file, mostBytes);
      const piece = Buffer.allocUnsafe(PIECE_BYTES);
      size = readSync(descriptor, piece, 0, PIECE_BYTES, null);
      pieces.push(piece.subarray(0, size));
    }
    return Buffer.concat(pieces);
  } finally {
    closeSync(descriptor);
  }
}

function tooLarge({ name }: NamedFile, mostBytes: number): Failure {
  return new Failure({
    code: "file.too-large",
    message: `${name} has more than ${countLong(mostBytes, "byte")}`,
    why: "it is read as a whole, and data is kept in the journal, so that a resumed run has the same",
    next: "split it, and run the playbook once for each part of the data",
  });
}

// Without O_NONBLOCK the opening itself would wait for somebody who writes into the pipe.
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
    why: "tokenbook may read a file more than once, and must never wait for somebody who writes into it",
    next: "write its content into a regular file, and name that one",
  });
}
