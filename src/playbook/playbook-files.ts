import { dirname, isAbsolute, join } from "node:path";
import type { JsonObject } from "../base/json/json.ts";

/** How a check reads the files that a playbook names: other playbooks, schemas, data. */
export interface FileReader {
  /**
   * Returns the text of a file; `undefined` if there is none. `path` was resolved by `resolveFrom`. Throws a Failure if the file is too
   * large, or is not text in UTF-8.
   */
  readonly read: (path: string) => string | undefined;
  /** Returns the placement of a file, relative to the playbook that a person named. By default, every file is in the project. */
  readonly placementOf?: (path: string, named: string) => Placement;
  /**
   * Whether a person gives the paths of files as inputs. By default nobody is trusted: the rules for files that a playbook names then apply to these files
   * too.
   */
  readonly isGivenByPerson?: boolean;
  /** The playbooks of the library; by default none. */
  readonly shipped?: ShippedPlaybooks | undefined;
  /** Set when a run resumes: the content of the data files that playbooks name, by playbook file and input. These files are not read again. */
  readonly data?: FileData;
}

/**
 * The place of a file after following links: in the project or below the named playbook (`project`); there, but hidden, such as
 * `.git/config`; or anywhere else. A settings file, `.env` or `tokenbook.yaml`, counts as such everywhere.
 */
export type Placement = "project" | "hidden" | "outside" | "settings";

/** The values of inputs from data files that playbooks themselves name, by the file of the playbook and the input. */
export type FileData = Readonly<Record<string, JsonObject>>;

/** The playbooks of the library, by names such as `tokenbook/mint.yaml`. */
export interface ShippedPlaybooks {
  /** All names of the library's playbooks. */
  readonly names: readonly string[];
  /** Returns the text of a playbook; `undefined` if there is none with this name. */
  readonly read: (name: string) => string | undefined;
}

const SHIPPED = "tokenbook/";

/** Returns whether a path from `resolvePlaybook` names a playbook of the library. */
export function isShipped(path: string): boolean {
  return path.startsWith(SHIPPED);
}

/**
 * Returns the playbook that `uses` names. `tokenbook/mint.yaml` is in the library, wherever it is named; any other name is a file. A user's
 * own folder with that name needs `./` before it.
 */
export function resolvePlaybook(playbookPath: string, uses: string): string {
  if (isShipped(uses)) return uses;
  const path = resolveFrom(playbookPath, uses);
  return isShipped(path) ? `./${path}` : path;
}

/** Resolves the path of a file that a playbook names, relative to the folder of the playbook. */
export function resolveFrom(playbookPath: string, relative: string): string {
  return isAbsolute(relative) ? relative : join(dirname(playbookPath), relative);
}
