import { closeSync, constants, fchmodSync, fstatSync, lstatSync, openSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { Failure, messageOf } from "../base/failure.ts";
import { quoted } from "../base/text/text.ts";
import { makeFolder } from "./folder.ts";
import { oddKindOf } from "./kind.ts";
import { isOurs, strangeOwner, strangeWriter } from "./owner.ts";
import { type Access, assertPrivate, FOLDER_MODE, FRESH, isOpenToOthers, refusePrivate } from "./private.ts";

/** The entries of a state directory. */
const ENTRIES = [
  "journal.db",
  "journal.tail",
  "schedule.db",
  "drift.db",
  "exchanges.db",
  "sandbox.db",
  "holders",
  "plans",
  "servers",
] as const;

/** The name of an entry in a state directory. Only `stateEntry` returns its path, after checking the directory. */
export type StateEntry = (typeof ENTRIES)[number];

/**
 * Returns the path of an entry in a state directory. `create` creates the directory, and every mode except `look` fixes its permissions. Throws a Failure if
 * the directory is a link, belongs to another user, or is writable by others.
 */
export function stateEntry(folder: string, entry: StateEntry, access: Access | "create"): string {
  try {
    if (access === "create") makeFolder(folder, FOLDER_MODE);
    assertPrivateFolder(folder, access === "look" ? "look" : "write");
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure({
      code: "state.unusable",
      message: `the state directory ${folder} cannot be used: ${messageOf(error)}`,
      next: NAME_ANOTHER,
      cause: error,
    });
  }
  return join(folder, entry);
}

const NAME_ANOTHER = "name a folder in which only you may write: --state DIR";

/** Creates a folder in a state directory for this user only. Throws a Failure as `stateEntry` does. */
export function makePrivateFolder(folder: string): void {
  makeFolder(folder, FOLDER_MODE);
  assertPrivateFolder(folder, "write");
}

/** An entry of a state directory that is ours, but that others may read or write. */
export interface OpenEntry {
  readonly path: string;
  /** Whether others may write it; otherwise they may only read it. */
  readonly isWritable: boolean;
}

/** Checks every entry of a state directory and returns those that are open to others. The next run fixes them. Throws a Failure as `stateEntry` does. */
export function openEntries(folder: string): readonly OpenEntry[] {
  assertPrivateFolder(folder, "look");
  const names = readdirSync(folder);
  const paths = names.filter(isStateName).map((name) => join(folder, name));
  for (const path of paths) {
    if (/(?:holders|plans|servers)$/.test(path)) assertPrivateFolder(path, "look");
    else assertPrivate(path, "look");
  }
  const own = names.every(isStateName) ? [folder, ...paths] : paths;
  return own.flatMap((path) => {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined || !isOpenToOthers(found)) return [];
    return [{ path, isWritable: strangeWriter(found) !== undefined }];
  });
}

function assertPrivateFolder(folder: string, access: Access): void {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (!found.isDirectory()) throw refusePrivate(folder, `is ${oddKindOf(found) ?? "a file"}, and no folder`, NAME_ANOTHER);
  const owner = strangeOwner(found);
  if (owner !== undefined)
    throw refusePrivate(folder, owner.words, `if you trust its content: ${owner.fix} -R ${quoted(folder)}; or ${NAME_ANOTHER}`);
  if (access === "look") return;
  if (isOpenToOthers(found) && readdirSync(folder).every(isStateName)) closeFolder(folder);
  assertClosed(folder);
}

const EVERYBODY_WRITES = 0o002;

// Root may give a service its folder through a group, as Kubernetes does. Files that other members of the group create are refused because of their owner.
function assertClosed(folder: string): void {
  const found = lstatSync(folder);
  const writer = strangeWriter(found);
  if (writer === undefined || (!isOurs(found) && (found.mode & EVERYBODY_WRITES) === 0)) return;
  throw refusePrivate(folder, writer.words, `${writer.fix} ${quoted(folder)}; or ${NAME_ANOTHER}`);
}

const OF_A_DATABASE = /(?<=\.db)-(?:wal|shm|journal)$/;

// A folder that contains anything else, such as a project or /tmp, is not only ours, so we do not close it.
function isStateName(name: string): boolean {
  const base = name.replace(OF_A_DATABASE, "");
  return ENTRIES.some((entry) => base === entry || base === `${entry}${FRESH}`);
}

// Uses the descriptor, because another entry may have taken the folder's name since the check.
function closeFolder(folder: string): void {
  const descriptor = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    if (isOurs(fstatSync(descriptor))) fchmodSync(descriptor, FOLDER_MODE);
  } finally {
    closeSync(descriptor);
  }
}
