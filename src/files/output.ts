import {
  appendFileSync,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  lstatSync,
  openSync,
  rmSync,
  type Stats,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { LIMITS } from "../base/limits.ts";
import { makeFolder } from "./folder.ts";
import { oddKindOf } from "./kind.ts";
import { strangeOwner } from "./owner.ts";
import { syncFolder } from "./private.ts";
import { draftOf, replaceWith } from "./replace.ts";

// Files that the user names for output. Links are not followed, because anyone who may write to the folder may have created them. Pipes are not opened, because
// that would wait for a reader. If the name is that of a stream of this process, the stream is written to.

const FILE_MODE = 0o600;
const BATCH_CHARS = 65_536;
const UNFOLLOWED = constants.O_WRONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY;

/** A file that is written piece by piece while a command runs. */
export interface Output {
  /** Appends a text. Throws an Error if a stream has no reader for too long. */
  readonly write: (text: string) => void;
  /** Closes the file. */
  readonly close: () => void;
}

/** The content: pieces of a text, or bytes. */
type OutputContent = Iterable<string> | Uint8Array;

/** Opens a file (mode 0600) and writes it from the beginning. Throws an Error that says what is wrong with it. */
export function openOutput(path: string): Output {
  const stream = streamNamed(path);
  if (stream !== undefined) return outputTo(stream);
  assertResult(path, lstatSync(path, { throwIfNoEntry: false }));
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
 * Writes a file (mode 0600) so that a reader finds either the old text or the whole new one, never half of it. Streams and devices are written to directly.
 * Throws an Error that says what is wrong with the file.
 */
export function writeWhole(path: string, pieces: OutputContent): void {
  const stream = streamNamed(path);
  if (stream !== undefined) return closing(stream, (descriptor) => writePieces(descriptor, pieces));
  const existing = lstatSync(path, { throwIfNoEntry: false });
  assertResult(path, existing);
  if (existing?.isCharacterDevice() !== true) return replace(path, pieces);
  const descriptor = openSync(path, UNFOLLOWED);
  closing({ descriptor, close: () => closeSync(descriptor) }, () => writePieces(descriptor, pieces));
}

/**
 * Writes a playbook that a command has found, and creates its parent folders. It writes the whole playbook or nothing. Throws an Error that says what is wrong.
 */
export function writePlaybook(path: string, text: string): void {
  assertOutput(lstatSync(path, { throwIfNoEntry: false }));
  makeFolder(dirname(path));
  replace(path, [text]);
}

function replace(path: string, pieces: OutputContent): void {
  const write = (descriptor: number): void => writePieces(descriptor, pieces);
  replaceWith(path, { draft: draftOf(path), mode: FILE_MODE, write });
}

/** Checks whether a file can be written as a whole, and creates its parent folders. An existing file stays. Throws an Error that says what is wrong with it. */
export function assertWritable(path: string): void {
  const stream = streamNamed(path);
  if (stream !== undefined) return stream.close();
  const existing = lstatSync(path, { throwIfNoEntry: false });
  assertResult(path, existing);
  if (existing?.isCharacterDevice() === true) return;
  makeFolder(dirname(path));
  const draft = draftOf(path);
  closeSync(openSync(draft, "wx", FILE_MODE));
  rmSync(draft);
}

/** Appends a text to a file. Throws an Error that says what is wrong with it. */
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

/** Creates a file and its parent folders. Throws the system's error, also if an entry of that name exists. */
export function createFile(path: string, text: string, mode: number): void {
  makeFolder(dirname(path));
  writeFileSync(path, text, { flag: "wx", mode });
}

/**
 * Creates a file (mode 0600) under a free name. The file is durable when this returns. A process that is killed meanwhile leaves a part of it. Throws the
 * system's error, also if an entry of that name exists.
 */
export function createDurable(path: string, pieces: Iterable<string>): void {
  const descriptor = openSync(path, "wx", FILE_MODE);
  try {
    writePieces(descriptor, pieces);
    fsyncSync(descriptor);
  } catch (error) {
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(descriptor);
  }
  syncFolder(dirname(path));
}

// Only root can create devices such as /dev/null, so they are trusted.
function assertOutput(found: Stats | undefined): void {
  const kind = found === undefined || found.isCharacterDevice() ? undefined : oddKindOf(found);
  if (kind !== undefined) throw new Error(`it is ${kind}`);
}

// Reports and plans never have these names, so the name was meant for another option.
const SOURCE = /(?:\.ya?ml|\.csv|(?:^|\/)\.env[^/]*)$/i;

// The output of a command never replaces a file that people write.
function assertResult(path: string, found: Stats | undefined): void {
  assertOutput(found);
  if (found?.isFile() === true && SOURCE.test(path)) throw new Error("it is a file that people write, and is not replaced");
}

const STREAMS: Readonly<Record<string, number>> = { "/dev/stdout": 1, "/dev/stderr": 2 };

interface Stream {
  readonly descriptor: number;
  readonly close: () => void;
}

/** Opens a descriptor that this process was given, by the name that the shell uses for `>(command)`. Throws if no such descriptor is open. */
function streamNamed(path: string): Stream | undefined {
  const [, number] = /^\/(?:dev|proc\/self)\/fd\/(\d{1,7})$/.exec(path) ?? [];
  const given = number === undefined ? STREAMS[path] : Number(number);
  if (given === undefined) return undefined;
  if (!fstatSync(given).isFIFO()) return { descriptor: given, close: () => undefined };
  // We open it again so that writing never waits for a reader. The mode of the given descriptor is shared with other processes.
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

function writePieces(descriptor: number, pieces: OutputContent): void {
  if (pieces instanceof Uint8Array) return writeAll(descriptor, pieces);
  let batch = "";
  for (const piece of pieces) {
    batch += piece;
    if (batch.length < BATCH_CHARS) continue;
    writeAll(descriptor, batch);
    batch = "";
  }
  writeAll(descriptor, batch);
}

// A stream may accept only a part of the text, or nothing until somebody has read from it.
function writeAll(descriptor: number, text: string | Uint8Array): void {
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
