import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { assertPrivate, createPrivate, removePrivate } from "../files/private.ts";
import { connectPlainly } from "./database.ts";
import { withFailures } from "./failure.ts";

/** The result of trying a lock. `gone`: the file does not exist. `unclear`: the lock cannot be tried. */
export type LockState = "held" | "free" | "gone" | "unclear";

// SQLite's primary result code if another process has the lock.
const BUSY = 5;

/**
 * An exclusive lock on an empty file, held until it is released or the process ends. The kernel keeps it, so all processes of the same
 * kernel see it, in any container. It stays while the process is stopped, and ends with the process in every case. Only SQLite may open the
 * file while it is locked, because a process loses its POSIX lock when it closes any descriptor of the file.
 */
export class FileLock {
  readonly path: string;
  /** The inode of the file, in case another file takes its name. */
  readonly inode: string;
  readonly #connection: DatabaseSync;

  private constructor(path: string, inode: string, connection: DatabaseSync) {
    this.path = path;
    this.inode = inode;
    this.#connection = connection;
  }

  /**
   * Creates the file and locks it. Returns `undefined` if another process tried the lock at that moment, because then the name cannot be
   * used. Throws a DatabaseFailure.
   */
  static create(path: string): FileLock | undefined {
    return withFailures(path, () => {
      createPrivate(path);
      const inode = inodeAt(path);
      const connection = connectPlainly(path);
      const isLocked = lock(connection);
      // A process that had the lock in between took the file for that of a dead process, and has removed it.
      if (isLocked && inode !== undefined && inodeAt(path) === inode) return new FileLock(path, inode, connection);
      connection.close();
      return undefined;
    });
  }

  /** Returns whether the file exists, so that others can see the lock. */
  get isInPlace(): boolean {
    return inodeAt(this.path) === this.inode;
  }

  /** Removes the file, and releases the lock. */
  release(): void {
    // Removed while it is locked, because anybody who gets the lock may remove the file.
    if (this.isInPlace) removePrivate(this.path);
    this.#connection.close();
  }
}

/** Returns whether a process holds the lock of a file. Never waits, changes nothing, and needs only the right to read. */
export function lockState(path: string): LockState {
  return whileFree(path, () => undefined);
}

/** Removes the files of a folder with our names and without a lock. Files that cannot be removed stay. */
export function removeFree(folder: string, ours: RegExp): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (ours.test(name)) whileFree(path, () => removePrivate(path));
  }
}

// During the work, a shared lock prevents an exclusive one, but does not hinder others who only try.
function whileFree(path: string, work: () => void): LockState {
  if (inodeAt(path) === undefined) return "gone";
  try {
    // SQLite would follow a link, and wait for the writer of a pipe.
    assertPrivate(path, "look");
    using connection = connectPlainly(path, { readOnly: true });
    connection.exec("BEGIN; SELECT 1 FROM sqlite_schema");
    work();
    return "free";
  } catch (error) {
    if (isBusy(error)) return "held";
    return inodeAt(path) === undefined ? "gone" : "unclear";
  }
}

/** Returns the inode of the file at a path; `undefined` if there is none. */
export function inodeAt(path: string): string | undefined {
  return lstatSync(path, { bigint: true, throwIfNoEntry: false })?.ino.toString();
}

// The rollback journal of an exclusive transaction would be a second file. Nothing is ever written, so it is kept in memory.
function lock(connection: DatabaseSync): boolean {
  try {
    connection.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
    return true;
  } catch (error) {
    if (isBusy(error)) return false;
    throw error;
  }
}

function isBusy(error: unknown): boolean {
  return (Number((error as { readonly errcode?: number }).errcode) & 0xff) === BUSY;
}
