import { realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { Failure } from "../../base/failure.ts";
import { LIMITS } from "../../base/limits.ts";
import { isTrusted } from "../../files/found.ts";
import { readRegular } from "../../files/regular.ts";
import type { FileReader, Placement } from "../../playbook/playbook-files.ts";
import { projectOfFile } from "./chosen-project.ts";
import { unreadFile } from "./missing-file.ts";
import { decode } from "./read-file.ts";
import { shipped } from "./shipped.ts";
import type { Shell } from "../shell.ts";

/** Returns the reader of the files that playbooks and inputs name. A relative path begins in the working directory. */
export function filesOf({ cwd, onRead, caller }: Pick<Shell, "cwd"> & Partial<Pick<Shell, "onRead" | "caller">>): FileReader {
  return {
    isGivenByPerson: caller === "person",
    read: (name) => {
      onRead?.(resolve(cwd, name));
      return readData(resolve(cwd, name), name);
    },
    placementOf: (path, named) => placementIn(cwd, path, named),
    shipped,
  };
}

// Matches `.env`, `.env.local`, `prod.env`, the files that direnv reads, and `tokenbook.yaml`.
const SETTINGS = /^\.env(?:rc)?(?![a-z])|\.env$|^tokenbook\.yaml$/i;

/** Returns where a file is relative to the playbook that a person has named in a working directory. */
export function placementIn(cwd: string, path: string, named: string): Placement {
  const [spelled, playbook] = [resolve(cwd, path), resolve(cwd, named)];
  const real = realPath(spelled);
  if ([spelled, real].some((file) => SETTINGS.test(basename(file)))) return "settings";
  const ways = [...trustedFolder(cwd, named), dirname(playbook)].flatMap((root) => wayBelow(realPath(root), real) ?? []);
  if (ways.length === 0) return "outside";
  return ways.every(isHidden) ? "hidden" : "project";
}

// Another user could put a tokenbook.yaml above a project. That must not widen what the project may read.
function trustedFolder(cwd: string, named: string): readonly string[] {
  const { environmentFile: path, folder } = projectOfFile(cwd, named);
  return path === undefined || isTrusted({ path, name: path }) ? [folder] : [];
}

/**
 * Returns the path of a file relative to a folder. The path is the same whichever links lead to that folder, because a shell that entered the folder through a
 * link names its files by that link. Links below the folder are not followed.
 */
export function seenFrom(folder: string, path: string): string {
  const here = realPath(folder);
  for (let above = dirname(path); ; above = dirname(above)) {
    const place = realPath(above);
    if (wayBelow(place, here) !== undefined || above === dirname(above))
      return relative(here, join(place, relative(above, path)));
  }
}

/** Returns a path with its links followed. If the file does not exist, only the links of its folders are followed. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const folder = dirname(path);
    return folder === path ? path : join(realPath(folder), basename(path));
  }
}

/** Returns the path of a file relative to a folder that contains it at any depth; `undefined` if it is outside. */
export function wayBelow(folder: string, path: string): string | undefined {
  const way = relative(folder, path);
  return way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way) ? undefined : way;
}

function isHidden(way: string): boolean {
  return way.split(sep).some((name) => name.startsWith("."));
}

const KEPT = {
  why: "it is read as a whole, and the journal keeps the data of a run, so that a resumed run has the same data",
  next: "split it, and run the playbook once for each part of the data",
};

function readData(path: string, name: string): string | undefined {
  try {
    return decode(name, readRegular({ path, name, ifTooLarge: KEPT }, LIMITS.dataBytes));
  } catch (error) {
    if (error instanceof Failure) throw error;
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw unreadFile(path, name, error);
  }
}
