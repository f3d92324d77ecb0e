import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { Failure } from "../../base/failure.ts";
import { quoted } from "../../base/text/text.ts";
import { findEnvironmentFile } from "../../environment/load.ts";
import { shipped } from "./shipped.ts";
import type { Shell } from "../shell.ts";

/** The project that a command works in. */
export interface Project {
  /** The path of its `tokenbook.yaml`; `undefined` if there is none. */
  readonly environmentFile: string | undefined;
  /** The folder of that file, or the working directory if there is none. */
  readonly folder: string;
}

/** A shell with a known project. Every function that opens a target or reads variables requires it. */
export interface ProjectShell extends Shell {
  /** The project that the command works in. */
  readonly project: Project;
}

/** The name of the state directory in the folder of a project. */
export const STATE_FOLDER = ".tokenbook";

/** Returns the project of the working directory. */
export function projectAt(cwd: string): Project {
  const environmentFile = findEnvironmentFile(cwd);
  return { environmentFile, folder: environmentFile === undefined ? cwd : dirname(environmentFile) };
}

/** Returns the shell in the project of its working directory, for commands that name no playbook. */
export function inProjectHere(shell: Shell): ProjectShell {
  return inProject(shell, projectAt(shell.cwd));
}

/**
 * Returns the shell in a project. Throws a Failure if the caller is an assistant that works in another project, because environments of different projects have
 * the same names.
 */
export function inProject(shell: Shell, project: Project): ProjectShell {
  assertCallersProject(shell, project);
  return { ...shell, project };
}

/** Throws a Failure if the caller may not act in a project. A person may act in any project, an assistant only in that of its server. */
export function assertCallersProject({ cwd, caller }: Pick<Shell, "cwd" | "caller">, project: Project): void {
  if (caller === "person" || placeOf(caller.environmentFile) === placeOf(project.environmentFile)) return;
  const shown = (file: string | undefined): string => (file === undefined ? "no tokenbook.yaml" : relative(cwd, file));
  throw new Failure({
    code: "mcp.project",
    message: `this belongs to another project, that of ${shown(project.environmentFile)}; this server is for ${shown(caller.environmentFile)}`,
    why: "whoever started the server allowed it for one tokenbook.yaml; another one may have another service under the same name; nothing was sent",
    next: `have a person start a server for that project: cd ${quoted(relative(cwd, project.folder) || ".")} && tokenbook mcp`,
  });
}

// Only the folder's links are followed: a link to the `tokenbook.yaml` of another project has other keys beside it.
function placeOf(file: string | undefined): string | undefined {
  return file === undefined ? undefined : join(realpathSync(dirname(file)), basename(file));
}

/**
 * Returns the shell in the project of these playbooks. A file belongs to the `tokenbook.yaml` beside or above its real path, or else to that of the working
 * directory. A playbook that comes with the tool belongs to no project of its own. Throws a Failure if the playbooks belong to two projects.
 */
export function inProjectOf(shell: Shell, files: readonly string[], { state }: { readonly state?: string } = {}): ProjectShell {
  const project = projectOf(shell, files);
  if (project.environmentFile !== undefined) shell.onRead?.(project.environmentFile);
  const usual = projectAt(shell.cwd).folder;
  // Commands that we print are typed in this folder, where they would use another state directory.
  if (state === undefined && project.folder !== usual) shell.hintState(relative(shell.cwd, join(project.folder, STATE_FOLDER)));
  return inProject(shell, project);
}

function projectOf(shell: Shell, files: readonly string[]): Project {
  const owned = files
    .filter((file) => shipped.read(file) === undefined)
    .map((file) => ({ file, project: projectOfFile(shell.cwd, file) }));
  const [first] = owned;
  if (first === undefined) return projectAt(shell.cwd);
  const other = owned.find(({ project }) => project.environmentFile !== first.project.environmentFile);
  if (other === undefined) return first.project;
  const belonging = ({ file, project: { environmentFile } }: typeof first): string =>
    `${file} belongs to ${environmentFile === undefined ? "no tokenbook.yaml" : relative(shell.cwd, environmentFile)}`;
  throw new Failure({
    code: "project.several",
    message: `the playbooks are of two projects: ${belonging(first)}, and ${belonging(other)}`,
    why: "a command acts in one environment, and remembers its runs in one state directory; nothing was sent",
    next: "use one command for each project",
  });
}

/** Returns the project that a playbook belongs to. */
export function projectOfFile(cwd: string, file: string): Project {
  const path = resolve(cwd, file);
  const environmentFile = findEnvironmentFile(dirname(existsSync(path) ? realpathSync(path) : path));
  return environmentFile === undefined ? projectAt(cwd) : { environmentFile, folder: dirname(environmentFile) };
}
