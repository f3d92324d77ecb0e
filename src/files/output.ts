import {
  appendFileSync,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  ftruncateSync,
  lstatSync,
  openSync,
  renameSync,
  rmSync,
  type Stats,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { LIMITS } from "../base/limits.ts";
import { systemRandom } from "../base/ports.ts";
import { makeFolder } from "./folder.ts";
import { oddKindOf } from "./kind.ts";
import { strangeOwner } from "./owner.ts";

// Files that the user names for what tokenbook writes. No link is followed, since whoever may write the folder may have laid it, and no pipe is
// opened, since somebody would have to read it. A stream of this process is written to where its name is given.

const FILE_MODE = 0o600;
const BATCH_CHARS = 65_536;
const UNFOLLOWED = constants.O_WRONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY;

/** A file that is written as something happens. */
export interface Output {
  readonly write: (text: string) => void;
  readonly close: () => void;
}

/** Opens a file (mode 0600) to write it from its beginning. Throws what is wrong with it. */
export function openOutput(path: string): Output {
  const stream = streamNamed(path);
  if (stream !== undefined) return outputTo(stream);
  assertOutput(lstatSync(path, { throwIfNoEntry: false }));
  const descriptor = openSync(path, UNFOLLOWED | constants.O_CREAT, FILE_MODE);
  try {
    emptyOwn(descriptor);
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
  return outputTo({ descriptor, close: () => closeSync(descriptor) });
}

function outputTo({ descriptor, close }: Stream): Output {
  return { write: (text) => writeAll(descriptor, text), close };
}

function emptyOwn(descriptor: number): void {
  const found = fstatSync(descriptor);
  assertOutput(found);
  if (!found.isFile()) return;
  const stranger = strangeOwner(found);
  if (stranger !== undefined) throw new Error(`it ${stranger.words}`);
  if (found.nlink > 1) throw new Error(`it has ${found.nlink} names (hard links)`);
  fchmodSync(descriptor, FILE_MODE);
  ftruncateSync(descriptor);
}

/**
 * Writes a file (mode 0600) so that a reader finds the old text or the whole new one, never half of it. Streams and devices are written to
 * directly. Throws what is wrong with it.
 */
export function writeWhole(path: string, pieces: Iterable<string>): void {
  const stream = streamNamed(path);
  if (stream !== undefined) return closing(stream, (descriptor) => writePieces(descriptor, pieces));
  const existing = lstatSync(path, { throwIfNoEntry: false });
  assertOutput(existing);
  if (existing?.isCharacterDevice() === true) return writeAndClose(openSync(path, UNFOLLOWED), pieces);
  const draft = draftOf(path);
  try {
    writeAndClose(openSync(draft, "wx", FILE_MODE), pieces);
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

/** Looks whether a file could be written whole, and makes the folders above it; a file that is there stays. Throws what is wrong with it. */
export function assertWritable(path: string): void {
  const stream = streamNamed(path);
  if (stream !== undefined) return stream.close();
  const existing = lstatSync(path, { throwIfNoEntry: false });
  assertOutput(existing);
  if (existing?.isCharacterDevice() === true) return;
  makeFolder(dirname(path));
  const draft = draftOf(path);
  closeSync(openSync(draft, "wx", FILE_MODE));
  rmSync(draft);
}

/** Adds a text to the end of a file. Throws what is wrong with it. */
export function appendOutput(path: string, text: string): void {
  const stream = streamNamed(path);
  if (stream !== undefined) return closing(stream, (descriptor) => writeAll(descriptor, text));
  assertOutput(lstatSync(path, { throwIfNoEntry: false }));
  const descriptor = openSync(path, UNFOLLOWED | constants.O_CREAT | constants.O_APPEND, FILE_MODE);
  try {
    assertOutput(fstatSync(descriptor));
    appendFileSync(descriptor, text);
  } finally {
    closeSync(descriptor);
  }
}

/** Creates a file, and the folders above it. Throws what the system says, also when anything of that name is there. */
export function createFile(path: string, text: string): void {
  makeFolder(dirname(path));
  writeFileSync(path, text, { flag: "wx" });
}

// A device can only be made by root, as /dev/null is.
function assertOutput(found: Stats | undefined): void {
  const kind = found === undefined || found.isCharacterDevice() ? undefined : oddKindOf(found);
  if (kind !== undefined) throw new Error(`it is ${kind}`);
}

const STREAMS: Readonly<Record<string, number>> = { "/dev/stdout": 1, "/dev/stderr": 2 };

interface Stream {
  readonly descriptor: number;
  readonly close: () => void;
}

/** What this process was given open, named as the shell does for `>(command)`. Throws where nothing is open there. */
function streamNamed(path: string): Stream | undefined {
  const [, number] = /^\/(?:dev|proc\/self)\/fd\/(\d{1,7})$/.exec(path) ?? [];
  const given = number === undefined ? STREAMS[path] : Number(number);
  if (given === undefined) return undefined;
  if (!fstatSync(given).isFIFO()) return { descriptor: given, close: () => undefined };
  // Opened once more so that writing never waits for a reader: the mode of the descriptor that was given is shared with other processes.
  const descriptor = openSync(`/dev/fd/${given}`, constants.O_WRONLY | constants.O_NONBLOCK);
  return { descriptor, close: () => closeSync(descriptor) };
}

function closing(stream: Stream, work: (descriptor: number) => void): void {
  try {
    work(stream.descriptor);
  } finally {
    stream.close();
  }
}

function draftOf(path: string): string {
  return `${path}.${Buffer.from(systemRandom.bytes(DRAFT_BYTES)).toString("hex")}.tmp`;
}

const DRAFT_BYTES = 8;

function writeAndClose(descriptor: number, pieces: Iterable<string>): void {
  closing({ descriptor, close: () => closeSync(descriptor) }, () => writePieces(descriptor, pieces));
}

function writePieces(descriptor: number, pieces: Iterable<string>): void {
  let batch = "";
  for (const piece of pieces) {
    batch += piece;
    if (batch.length < BATCH_CHARS) continue;
    writeAll(descriptor, batch);
    batch = "";
  }
  writeAll(descriptor, batch);
}

// A stream may take less than it is given, or nothing until somebody has read from it.
function writeAll(descriptor: number, text: string): void {
  let waitedMs = 0;
  for (let rest = Buffer.from(text); rest.length > 0;) {
    try {
      rest = rest.subarray(writeSync(descriptor, rest));
      waitedMs = 0;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
      if (waitedMs >= LIMITS.streamWaitMs) throw new Error("nobody reads from it", { cause: error });
      Atomics.wait(SLEEPER, 0, 0, PAUSE_MS);
      waitedMs += PAUSE_MS;
    }
  }
}

const PAUSE_MS = 10;
const SLEEPER = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
