import { posix } from "node:path";
import type { RunOpened } from "./record.ts";

/** Which file a playbook is: its path as a run names it, and the folder from which that path begins, if anybody knows. */
export interface PlaybookPlace {
  readonly file: string;
  readonly folder: string | undefined;
}

// A folder of this name that is the user's own is written with `./` before it.
const SHIPPED = /^tokenbook\//;

/** Returns the name by which a playbook is the same from wherever in its project it is run. */
export function identityOf({ file, folder }: PlaybookPlace): string {
  if (SHIPPED.test(file)) return file;
  return `./${posix.join((folder ?? ".").replaceAll("\\", "/"), file.replaceAll("\\", "/"))}`;
}

/** Returns where the playbook of a run is. */
export function placeOf({ playbook: { file }, folder }: Pick<RunOpened, "playbook" | "folder">): PlaybookPlace {
  return { file, folder };
}
