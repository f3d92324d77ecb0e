import { dirname, isAbsolute, join } from "node:path";

/** How a check reads the files that a playbook names: other playbooks, schemas, data. */
export interface FileReader {
  /**
   * The text of a file; `undefined` when there is none. `path` is resolved already, as `resolveFrom` does it. Throws a Failure
   * when the file is there and cannot be used: too large, or no text in UTF-8.
   */
  readonly read: (path: string) => string | undefined;
  /** Set where a run goes on: its values are in its journal, and files of data are not looked at again. */
  readonly leavesData?: boolean;
}

/** The path of a file that a playbook names: relative to the folder of that playbook. */
export function resolveFrom(playbookPath: string, relative: string): string {
  return isAbsolute(relative) ? relative : join(dirname(playbookPath), relative);
}
