import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { assertPrivate, createPrivate, removePrivate } from "../files/private.ts";
import { connectPlainly } from "./database.ts";
import { telling } from "./failure.ts";

/** What a try of a lock shows. `gone`: no file of that name is there. `unclear`: it cannot be tried. */
export type LockState = "held" | "free" | "gone" | "unclear";

// The primary result code of SQLite when somebody else has the lock.
const BUSY = 5;

/**
 * An exclusive lock on an empty file, held until it is released or the process ends. The kernel keeps it: it is seen by all processes of one
 * kernel, in whatever container they are, it stays while the process is stopped, and it ends with the process in whatever way that ends.
 *
 * Nothing but SQLite may open the file while it is locked: a POSIX lock is lost when its process closes any descriptor of the file.
 */
export class FileLock {
  readonly path: string;
  /** Which file it is, wherever its name leads later. */
  readonly inode: string;
  readonly #connection: DatabaseSync;

  private constructor(path: string, inode: string, connection: DatabaseSync) {
    this.path = path;
    this.inode = inode;
    this.#connection = connection;
  }

  /** Creates the file and locks it; `undefined` when somebody tried its lock at that moment, and so spoilt the name. Throws a DatabaseFailure. */
  static create(path: string): FileLock | undefined {
    return telling(path, () => {
      createPrivate(path);
      const inode = inodeAt(path);
      const connection = connectPlainly(path);
      const isLocked = lock(connection);
      // Whoever had the lock in between took the file for that of a dead process, and has removed it.
      if (isLocked && inode !== undefined && inodeAt(path) === inode) return new FileLock(path, inode, connection);
      connection.close();
      return undefined;
    });
  }

  /** Whether the file is there, so that others can see the lock. */
  get isInPlace(): boolean {
    return inodeAt(this.path) === this.inode;
  }

  /** Removes the file, and lets go of the lock. */
  release(): void {
    // While it is locked: whoever has the lock may remove it.
    if (this.isInPlace) removePrivate(this.path);
    this.#connection.close();
  }
}

/** Whether somebody holds the lock of a file. Never waits, changes nothing, and needs no right but to read. */
export function lockState(path: string): LockState {
  return whileFree(path, () => undefined);
}

/** Removes the files of a folder whose names are ours and that nobody holds the lock of. What cannot be removed stays. */
export function removeFree(folder: string, ours: RegExp): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (ours.test(name)) whileFree(path, () => removePrivate(path));
  }
}

// A shared lock keeps everybody from having the exclusive one meanwhile, and hinders nobody else who only tries.
function whileFree(path: string, work: () => void): LockState {
  if (inodeAt(path) === undefined) return "gone";
  let connection: DatabaseSync | undefined;
  try {
    // SQLite would follow a link, and wait for whoever writes into a pipe.
    assertPrivate(path, "look");
    connection = connectPlainly(path, { readOnly: true });
    connection.exec("BEGIN; SELECT 1 FROM sqlite_schema");
    work();
    return "free";
  } catch (error) {
    if (isBusy(error)) return "held";
    return inodeAt(path) === undefined ? "gone" : "unclear";
  } finally {
    connection?.close();
  }
}

/** Which file is at a path; `undefined` where none is. */
export function inodeAt(path: string): string | undefined {
  return lstatSync(path, { bigint: true, throwIfNoEntry: false })?.ino.toString();
}

// The rollback journal of an exclusive transaction would be a second file; nothing is ever written, so memory does.
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
