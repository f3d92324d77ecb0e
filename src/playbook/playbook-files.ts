import { dirname, isAbsolute, join } from "node:path";
import type { JsonObject } from "../base/json.ts";

/** How a check reads the files that a playbook names: other playbooks, schemas, data. */
export interface FileReader {
  /**
   * The text of a file; `undefined` when there is none. `path` is resolved already, as `resolveFrom` does it. Throws a Failure
   * when the file is there and cannot be used: too large, or no text in UTF-8.
   */
  readonly read: (path: string) => string | undefined;
  /** Says where a file is, as seen from the playbook that a person has named. Without it, every file is in the project. */
  readonly placementOf?: (path: string, named: string) => Placement;
  /** The playbooks that come with the tool; without it there are none. */
  readonly shipped?: ShippedPlaybooks | undefined;
  /** Set where a run goes on: what playbooks had from files of data, by their file and the input. Those files are not looked at again. */
  readonly data?: FileData;
}

/**
 * Where a file is, wherever links lead: in the project or below the playbook that was named; there, but hidden, such as `.git/config`; anywhere
 * else. A file of settings, `.env` or `tokenbook.yaml`, is one wherever it is.
 */
export type Placement = "project" | "hidden" | "outside" | "settings";

/** The values of inputs that come from files of data which playbooks name themselves, by the file of the playbook and the input. */
export type FileData = Readonly<Record<string, JsonObject>>;

/** The playbooks that come with the tool, by names such as `tokenbook/mint.yaml`. */
export interface ShippedPlaybooks {
  readonly names: readonly string[];
  readonly read: (name: string) => string | undefined;
}

const SHIPPED = "tokenbook/";

/** Whether a playbook that `resolvePlaybook` has found is one that comes with the tool. */
export function isShipped(path: string): boolean {
  return path.startsWith(SHIPPED);
}

/**
 * The playbook that `uses` names: `tokenbook/mint.yaml` is one that comes with the tool, wherever it is named; any other is a file.
 * A file in somebody's own folder of that name is told apart by the `./` before it.
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
