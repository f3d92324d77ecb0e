import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  fchmodSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { Failure, messageOf } from "../base/failure.ts";
import { quoted } from "../base/text/text.ts";
import { oddKindOf } from "./kind.ts";
import { isOurs, strangeOwner, USER } from "./owner.ts";
import { replaceWith, writeDurable } from "./replace.ts";

/** How a private file is opened. `write` fixes the mode of our own file; `look` changes nothing. */
export type Access = "write" | "look";

/** The mode of a folder that only its owner may use. */
export const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;
const FOR_OTHERS = 0o077;

/**
 * Asserts that an existing file is a regular file of this user, and fixes its mode. Throws a Failure for any other file. It does not open the file: when a
 * process closes any descriptor of a file, it loses its locks on it, and SQLite uses such locks.
 */
export function assertPrivate(path: string, access: Access): void {
  const found = entryAt(path);
  if (found === undefined) return;
  assertOwnFile(path, found);
  if (access === "write" && isOpenToOthers(found)) chmodSync(path, FILE_MODE);
}

/** Returns whether a file exists that `assertPrivate` accepts. Throws a Failure for anything else. */
export function isPrivateThere(path: string): boolean {
  assertPrivate(path, "look");
  return entryAt(path) !== undefined;
}

// The folder may be closed to this user: root, or a service, may have made it.
function entryAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    throw new Failure({
      code: "state.unusable",
      message: `${path} cannot be read: ${messageOf(error)}`,
      next: "run the command as the user who owns its folder, or name a folder in which only you may write: --state DIR",
      cause: error,
    });
  }
}

/** Opens a private file without following a link, and fixes its mode. Throws a Failure for anything but a regular file of this user. */
export function openPrivate(path: string, access: Access): number {
  const descriptor = openUnfollowed(path, access === "look" ? constants.O_RDONLY : constants.O_RDWR);
  try {
    const found = fstatSync(descriptor);
    assertOwnFile(path, found);
    if (access === "write" && isOpenToOthers(found)) fchmodSync(descriptor, FILE_MODE);
    return descriptor;
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

/** Returns the content of a private file; `undefined` if it does not exist. Throws a Failure as `openPrivate` does. */
export function readPrivate(path: string): Buffer | undefined {
  if (!isPrivateThere(path)) return undefined;
  const descriptor = openPrivate(path, "look");
  try {
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Creates an empty file for this user only. Throws the system's error, also if an entry of that name exists. */
export function createPrivate(path: string): void {
  closeSync(openSync(path, "wx", FILE_MODE));
}

/** Copies a private file to a free name. Throws the system's error. */
export function copyPrivate(from: string, to: string): void {
  copyFileSync(from, to, constants.COPYFILE_EXCL);
}

/** Replaces the content of a private file completely or not at all. It is durable when this returns. */
export function replacePrivate(path: string, content: Buffer): void {
  const draft = `${path}${FRESH}`;
  rmSync(draft, { force: true });
  replaceWith(path, { draft, mode: FILE_MODE, write: (descriptor) => writeDurable(descriptor, content) });
  syncFolder(dirname(path));
}

/** The suffix of a file with new content, before it replaces the old file. */
export const FRESH = ".new";

/** Renames a file of ours. This is durable when it returns. */
export function renameDurable(from: string, to: string): void {
  renameSync(from, to);
  syncFolder(dirname(to));
}

/** Removes a file that we created. */
export function removePrivate(path: string): void {
  rmSync(path, { force: true });
}

/** Writes a part of an open file at an offset. */
export function overwrite(descriptor: number, part: Buffer, at: number): void {
  writeSync(descriptor, part, 0, part.length, at);
}

/** Closes a file that `openPrivate` has opened. */
export function closePrivate(descriptor: number): void {
  closeSync(descriptor);
}

/** Returns whether others may read or write an entry of ours. */
export function isOpenToOthers(entry: Stats): boolean {
  return USER !== undefined && isOurs(entry) && (entry.mode & FOR_OTHERS) !== 0;
}

/** Returns the failure of an entry that cannot hold tokenbook's state. */
export function refusePrivate(path: string, how: string, next: string): Failure {
  return new Failure({
    code: "state.untrusted",
    message: `${path} ${how}`,
    why: "the state in this folder decides what tokenbook sends, so it opens only files that nobody else can change, and follows no link",
    next,
  });
}

function assertOwnFile(path: string, found: Stats): void {
  const kind = oddKindOf(found);
  if (kind !== undefined) throw refusePrivate(path, `is ${kind}, and no regular file`, `remove it: rm -r ${quoted(path)}`);
  const stranger = strangeOwner(found);
  if (stranger !== undefined)
    throw refusePrivate(path, stranger.words, `if you trust its content: ${stranger.fix} ${quoted(path)}`);
  if (found.nlink > 1)
    throw refusePrivate(
      path,
      `has ${found.nlink} names (hard links)`,
      "copy the folder instead of linking its files, and remove the other names",
    );
}

function openUnfollowed(path: string, flags: number): number {
  try {
    return openSync(path, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ELOOP") assertOwnFile(path, lstatSync(path));
    throw error;
  }
}

/** Makes the names in a folder durable. */
export function syncFolder(path: string): void {
  const folder = openSync(path, "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
