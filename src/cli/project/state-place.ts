import { join, relative, resolve } from "node:path";
import { existsSync, statSync } from "node:fs";
import { Failure } from "../../base/failure.ts";
import { DOTENV_FILE, type DotenvFile, readDotenv } from "../../environment/dotenv.ts";
import { loadServerPlace } from "../../environment/state.ts";
import type { Playbook } from "../../playbook/model.ts";
import type { ServerPlace, StatePlace } from "../../sql/place.ts";
import { type Project, type ProjectShell, projectAt, STATE_FOLDER } from "./chosen-project.ts";
import type { Shell } from "../shell.ts";
import type { Variables } from "../../base/variables.ts";

/** The options of all commands that show what runs have left. */
export interface MemoryOptions {
  /** The folder that stores the runs. If left out, the project's own state. */
  readonly state?: string;
  /** Prints JSON on stdout. */
  readonly json?: boolean;
}

/** The options that say where a run acts and where it is stored. */
export interface Where extends Dotenv {
  /** The name of the environment. If left out, the default one. */
  readonly env?: string;
  /** The folder that stores the runs. If left out, the project's own state. */
  readonly state?: string;
}

/** The option for the file with variables that the process does not set. */
export interface Dotenv {
  /** The name of the dotenv file; `false` for none. If left out, the default one. */
  readonly dotenv?: string | false;
}

/** Returns the state directory: the named one, or `.tokenbook` in the folder of the project. */
export function stateDirectory({ cwd, project }: Pick<ProjectShell, "cwd" | "project">, where: Where): string {
  return where.state === undefined ? join(project.folder, STATE_FOLDER) : resolve(cwd, where.state);
}

// The server is read once: in another state, a running scheduler or worker would lose sight of its open writes.
const servers = new WeakMap<Project, { readonly server: ServerPlace | undefined }>();

/**
 * Returns where the state is: the directory that the options name, the database that `tokenbook.yaml` names, or `.tokenbook` in the folder of the project. A
 * command keeps its first answer, even if the file is edited meanwhile. Throws a Failure.
 */
export function statePlace(shell: ProjectShell, where: Where): StatePlace {
  const { cwd, project } = shell;
  if (where.state !== undefined || project.environmentFile === undefined) return stateDirectory(shell, where);
  const known = servers.get(project) ?? {
    server: loadServerPlace(project.environmentFile, { cwd, variables: () => variablesOf(shell, where) }),
  };
  servers.set(project, known);
  return known.server ?? stateDirectory(shell, where);
}

/**
 * Returns the same for a command that only reads, by default in the project of the working directory. Throws a Failure if the named directory does not exist,
 * because an empty state would look as if all were well.
 */
export function knownStatePlace(shell: Shell & Partial<ProjectShell>, where: Where): StatePlace {
  const place = statePlace({ ...shell, project: shell.project ?? projectAt(shell.cwd) }, where);
  if (typeof place !== "string" || where.state === undefined || mayExist(place)) return place;
  throw new Failure({
    code: "state.not-found",
    message: `there is no state directory ${place}`,
    why: "this command only reads, and an empty state would look as if no run had begun",
    next: "name the directory that the runs were given by --state, or leave it out for .tokenbook",
  });
}

/** Returns whether a directory may exist. A directory in a folder that this user may not enter may exist: opening it reports why it cannot be used. */
export function mayExist(directory: string): boolean {
  try {
    return statSync(directory, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true;
  }
}

/**
 * Returns the working directory relative to the folder of `tokenbook.yaml`, which stays the same if the project is moved. Without such a file, returns nothing.
 */
export function folderInProject({ cwd, project }: Pick<ProjectShell, "cwd" | "project">): string | undefined {
  return project.environmentFile === undefined ? undefined : relative(project.folder, cwd) || ".";
}

/** Returns the path of a playbook from the folder of its project, by which every machine knows it. */
export function pathInProject({ cwd, project }: ProjectShell, { file }: Pick<Playbook, "file">): string {
  return relative(project.folder, resolve(cwd, file));
}

/** Returns the variables for keys, `env` and `secrets`: those of the process, and then those of the `.env` file. Throws a Failure. */
export function variablesOf(shell: ProjectShell, options: Dotenv): Variables {
  const file = dotenvFile(shell, options);
  if (file !== undefined) shell.onRead?.(file.path);
  return file === undefined ? shell.variables : { ...readDotenv(file, relative(shell.cwd, file.path)), ...shell.variables };
}

/** Returns the dotenv file; `undefined` if there is none. */
export function dotenvFile({ cwd, project }: ProjectShell, { dotenv }: Dotenv): DotenvFile | undefined {
  if (dotenv === false) return undefined;
  if (dotenv !== undefined) return { path: resolve(cwd, dotenv), isNamed: true };
  const path = join(project.folder, DOTENV_FILE);
  return existsSync(path) ? { path, isNamed: false } : undefined;
}
