import type { Stats } from "node:fs";

/** What the file system knows about who may change an entry. */
export type Ownership = Pick<Stats, "uid" | "gid" | "mode">;

/** The user of this process; `undefined` on systems without such numbers. */
export const USER: number | undefined = process.geteuid?.();

const ROOT = 0;
const GROUP_WRITES = 0o020;
const OTHERS_WRITE = 0o002;

/** Returns whether an entry belongs to the user of this process. */
export function isOurs({ uid }: Pick<Ownership, "uid">): boolean {
  return USER === undefined || uid === USER;
}

/** Returns whether an entry belongs to this user, or to root, who can act as us anyway. */
function isTrustedOwner(entry: Pick<Ownership, "uid">): boolean {
  return isOurs(entry) || entry.uid === ROOT;
}

/** Another user who may change an entry. */
export interface Stranger {
  /** Who they are, as the rest of a sentence about the entry. */
  readonly words: string;
  /** The command that prevents it, up to the path of the entry. */
  readonly fix: string;
}

/** Returns who may change an entry besides this user and root; `undefined` if nobody may. */
export function strangerTo(entry: Ownership): Stranger | undefined {
  return strangeOwner(entry) ?? strangeWriter(entry);
}

/** Returns the owner of an entry who is neither this user nor root. */
export function strangeOwner(entry: Pick<Ownership, "uid">): Stranger | undefined {
  if (isTrustedOwner(entry)) return undefined;
  const chown = USER === ROOT ? "chown" : "sudo chown";
  return {
    words: `belongs to user ${entry.uid}, who is neither you nor root`,
    fix: `${chown} -h ${USER}`,
  };
}

/** Returns who may write an entry according to its mode, besides its owner. */
export function strangeWriter({ gid, mode }: Ownership): Stranger | undefined {
  if (USER === undefined) return undefined;
  const fix = "chmod go-w";
  if ((mode & OTHERS_WRITE) !== 0) return { words: "may be written by every user of this machine", fix };
  return (mode & GROUP_WRITES) === 0 || isOwnGroup(gid) ? undefined : { words: `may be written by the group ${gid}`, fix };
}

// Systems on which the group may write a user's files give each user a group with the same number and no other members.
function isOwnGroup(gid: number): boolean {
  return gid === ROOT || gid === USER;
}
