import { posix } from "node:path";
import type { RunOpened } from "./record.ts";

/** The file of a playbook: its path as a run names it, and the folder from which that path begins, if known. */
export interface PlaybookPlace {
  /** As the run names it. */
  readonly file: string;
  /** From the folder of tokenbook.yaml. */
  readonly folder: string | undefined;
}

// The user's own folder of this name is written with `./` before it.
const SHIPPED = /^tokenbook\//;

/** Returns the name of a playbook, which is the same from each folder of its project. */
export function identityOf({ file, folder }: PlaybookPlace): string {
  if (SHIPPED.test(file)) return file;
  return `./${posix.join((folder ?? ".").replaceAll("\\", "/"), file.replaceAll("\\", "/"))}`;
}

/** Returns the name by which the drifts of a playbook are remembered: its path from the folder of the project. */
export function nameInProject(place: PlaybookPlace): string {
  return nameOfIdentity(identityOf(place)) ?? place.file;
}

/** Returns the path of a playbook from the folder of the project, by what `identityOf` gives; `undefined` for an empty text. */
export function nameOfIdentity(identity: string): string | undefined {
  const path = identity.replace(/^\.\//, "");
  return (SHIPPED.test(path) ? identity : path) || undefined;
}

/** Returns the place of a run's playbook. */
export function placeOf({ playbook: { file }, folder }: Pick<RunOpened, "playbook" | "folder">): PlaybookPlace {
  return { file, folder };
}
