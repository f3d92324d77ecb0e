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
import { stateDirectory } from "../project/state-place.ts";
import { assertJournalWhole } from "./open-journal.ts";

/**
 * Throws a Failure if runs would start in a database before the runs in the project's folder have been moved there. The database would not know which writes
 * these left open, and which keys they have. The same applies if `tokenbook.yaml` was moved to a parent folder, and `.tokenbook` was not.
 */
export function assertMoved(
  shell: Pick<ProjectShell, "cwd" | "project">,
  state: StatePlace,
  playbooks: readonly string[] = [],
): void {
  if (typeof state === "string") return assertNotLeftBehind(shell, state, playbooks);
  const problem = problemOf(shell);
  if (problem === undefined) return;
  assertJournalWhole(state); // a mark in the database gives a more exact message
  throw problem;
}

/** Returns a note for a person who starts runs while the database contains none, because a database that was named by mistake looks the same. */
export function emptyStateNote(state: StatePlace, store: JournalStore, hint: Hint): readonly string[] {
  if (typeof state === "string" || store.runs.latest(1).length > 0) return [];
  return [
    `the schema "${state.schema}" of the database has no runs; if you made runs with another state, tokenbook does not know here which writes they left open. To move that state: ${hint(command`state move FOLDER database`)}`,
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

// A folder with its own `tokenbook.yaml` is another project. A state that the command line names is used as it is.
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
    why: "a new run would not know what earlier runs did, and could do it again; nothing was sent",
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

// Returns the folder itself first, and never `top`.
function foldersBelow(top: string, folder: string): readonly string[] {
  const way = wayBelow(top, folder) ?? "";
  return way === "" ? [] : [folder, ...foldersBelow(top, dirname(folder))];
}

function notMoved(folder: string): Failure {
  return new Failure({
    code: "state.not-moved",
    message: `${folder} has runs on a service, and the database that tokenbook.yaml names does not know them`,
    why: "a new run there would not know what earlier runs did, and could do it again; nothing was sent",
    next: [
      "move them into the database:",
      command`state move ${[folder, DATABASE]}`,
      "or, if the database has runs already, see whether those of the folder need anything, and rename it then:",
      command`runs --state ${folder}`,
      `mv ${quoted(folder)} ${quoted(`${folder}-old`)}`,
    ],
  });
}
