import { existsSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { command, type Hint } from "../../base/command-line.ts";
import { Failure } from "../../base/failure.ts";
import { quoted } from "../../base/text/text.ts";
import { holdsRuns } from "../../journal/moving.ts";
import type { JournalStore } from "../../journal/store.ts";
import { DATABASE } from "../../sql/mark.ts";
import type { StatePlace } from "../../sql/place.ts";
import { ENVIRONMENT_FILE } from "../../environment/load.ts";
import { type ProjectShell, STATE_FOLDER } from "../project/chosen-project.ts";
import { wayBelow } from "../project/project-files.ts";
import { stateDirectory } from "../project/project.ts";
import { assertJournalWhole } from "./open-journal.ts";

/**
 * Holds that runs begin in a database only once those of the project's folder are there too: it would not know which writes they left open, and
 * which keys they have. So it is where `tokenbook.yaml` was moved to a folder above, and `.tokenbook` was not. Throws a Failure.
 */
export function assertMoved(
  shell: Pick<ProjectShell, "cwd" | "project">,
  state: StatePlace,
  playbooks: readonly string[] = [],
): void {
  if (typeof state === "string") return assertNotLeftBehind(shell, state, playbooks);
  const problem = problemOf(shell);
  if (problem === undefined) return;
  assertJournalWhole(state); // what a mark of the database says is more exact
  throw problem;
}

/** What whoever begins runs must know while a database remembers none: one that was named by mistake looks the same. */
export function emptyStateNote(state: StatePlace, store: JournalStore, hint: Hint): readonly string[] {
  if (typeof state === "string" || store.list(1).length > 0) return [];
  return [
    `the schema "${state.schema}" of the database remembers no run; if runs were made with another state, it does not know which writes they left open. To move that state: ${hint(command`state move`)}`,
  ];
}

function problemOf(shell: Pick<ProjectShell, "cwd" | "project">): Failure | undefined {
  const path = stateDirectory(shell, {});
  try {
    return holdsRuns(path) ? notMoved(relative(shell.cwd, path)) : undefined;
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

// A folder with a `tokenbook.yaml` is another project, and a state that somebody names is meant.
function assertNotLeftBehind(
  { cwd, project }: Pick<ProjectShell, "cwd" | "project">,
  state: string,
  playbooks: readonly string[],
): void {
  if (project.environmentFile === undefined || state !== stateDirectory({ cwd, project }, {})) return;
  const starts = [cwd, ...playbooks.map((file) => dirname(resolve(cwd, file)))];
  const between = new Set(starts.flatMap((start) => foldersBelow(project.folder, start)));
  const left = [...between].find(
    (folder) => !existsSync(join(folder, ENVIRONMENT_FILE)) && holdsRuns(join(folder, STATE_FOLDER)),
  );
  if (left === undefined || holdsRuns(state)) return;
  const from = relative(cwd, join(left, STATE_FOLDER));
  const to = relative(cwd, state);
  throw new Failure({
    code: "state.left-behind",
    message: `${from} has runs on a service, and ${to}, beside ${relative(cwd, project.environmentFile)}, has none`,
    why: "a run that began now would not know what was done before, and could do it again; nothing was sent",
    next: [
      "if they are of this project, move them there while nothing runs:",
      existsSync(state)
        ? `mv ${quoted(to)} ${quoted(`${to}-old`)} && mv ${quoted(from)} ${quoted(to)}`
        : `mv ${quoted(from)} ${quoted(to)}`,
      "or, if they are of another project, rename their folder:",
      `mv ${quoted(from)} ${quoted(`${from}-old`)}`,
    ],
  });
}

// The folder itself first; nothing of the one at the top.
function foldersBelow(top: string, folder: string): readonly string[] {
  const way = wayBelow(top, folder) ?? "";
  return way === "" ? [] : [folder, ...foldersBelow(top, dirname(folder))];
}

function notMoved(folder: string): Failure {
  return new Failure({
    code: "state.not-moved",
    message: `${folder} has runs on a service, and the database that tokenbook.yaml names does not know them`,
    why: "a run that began there would not know what was done before, and could do it again; nothing was sent",
    next: [
      "move them into the database:",
      command`state move ${[folder, DATABASE]}`,
      "or, if the database has runs already, see whether those of the folder need anything, and rename it then:",
      command`runs --state ${folder}`,
      `mv ${quoted(folder)} ${quoted(`${folder}-old`)}`,
    ],
  });
}
