import { dirname, isAbsolute, join } from "node:path";
import type { JsonObject } from "../base/json/json.ts";

/** How a check reads the files that a playbook names: other playbooks, schemas, data. */
export interface FileReader {
  /**
   * Returns the text of a file; `undefined` when there is none. `path` is already resolved by `resolveFrom`. Throws a Failure when the
   * file cannot be used: it is too large, or no text in UTF-8.
   */
  readonly read: (path: string) => string | undefined;
  /** Returns the placement of a file, relative to the playbook that a person named. By default, every file is in the project. */
  readonly placementOf?: (path: string, named: string) => Placement;
  /** Whether a person gives the paths of files as inputs. By default nobody is trusted: such a file is held to the rules for one that a playbook names. */
  readonly isGivenByPerson?: boolean;
  /** The playbooks of the library; by default none. */
  readonly shipped?: ShippedPlaybooks | undefined;
  /** Set when a run resumes: the content of data files that playbooks name, by playbook file and input. These files are not read again. */
  readonly data?: FileData;
}

/**
 * The placement of a file after following links: in the project or below the named playbook; there, but hidden, such as `.git/config`; or
 * anywhere else. A file of settings, `.env` or `tokenbook.yaml`, is one everywhere.
 */
export type Placement = "project" | "hidden" | "outside" | "settings";

/** The values of inputs from data files that playbooks themselves name, by the file of the playbook and the input. */
export type FileData = Readonly<Record<string, JsonObject>>;

/** The playbooks of the library, by names such as `tokenbook/mint.yaml`. */
export interface ShippedPlaybooks {
  /** All names. */
  readonly names: readonly string[];
  /** Returns the text of one; `undefined` when there is none of this name. */
  readonly read: (name: string) => string | undefined;
}

const SHIPPED = "tokenbook/";

/** Returns whether a playbook that `resolvePlaybook` has found is one of the library. */
export function isShipped(path: string): boolean {
  return path.startsWith(SHIPPED);
}

/**
 * Returns the playbook that `uses` names: `tokenbook/mint.yaml` is one of the library, wherever it is named; any other is a file. A
 * user's own folder of that name needs `./` before it.
 */
export function resolvePlaybook(playbookPath: string, uses: string): string {
  if (isShipped(uses)) return uses;
  const path = resolveFrom(playbookPath, uses);
  return isShipped(path) ? `./${path}` : path;
}

/** The path of a file that a playbook names: relative to the folder of that playbook. */
export function resolveFrom(playbookPath: string, relative: string): string {
  return isAbsolute(relative) ? relative : join(dirname(playbookPath), relative);
}
