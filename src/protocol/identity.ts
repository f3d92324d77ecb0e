import { posix } from "node:path";
import type { RunOpened } from "./record.ts";

/** The file of a playbook: its path as the run names it, and the folder from which that path begins, if known. */
export interface PlaybookPlace {
  /** The path as the run names it. */
  readonly file: string;
  /** The folder, relative to that of tokenbook.yaml. */
  readonly folder: string | undefined;
}

// The path of a user's own folder with this name begins with `./`.
const SHIPPED = /^tokenbook\//;

/** Returns the name of a playbook, which is the same from every folder of its project. */
export function identityOf({ file, folder }: PlaybookPlace): string {
  if (SHIPPED.test(file)) return file;
  return `./${posix.join((folder ?? ".").replaceAll("\\", "/"), file.replaceAll("\\", "/"))}`;
}

/** Returns the name by which the drifts of a run's playbook are remembered: its path from the project's folder. */
export function nameInProject(opened: Pick<RunOpened, "playbook" | "folder">): string {
  return nameOfIdentity(identityOf(placeOf(opened))) ?? opened.playbook.file;
}

/** Returns the path of a playbook from the project's folder, given its identity (see `identityOf`); `undefined` for an empty text. */
export function nameOfIdentity(identity: string): string | undefined {
  const path = identity.replace(/^\.\//, "");
  return (SHIPPED.test(path) ? identity : path) || undefined;
}

/** Returns the place of a run's playbook. */
export function placeOf({ playbook: { file }, folder }: Pick<RunOpened, "playbook" | "folder">): PlaybookPlace {
  return { file, folder };
}
