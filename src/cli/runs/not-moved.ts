import { relative } from "node:path";
import { command, type Hint } from "../../base/command-line.ts";
import { Failure } from "../../base/failure.ts";
import { quoted } from "../../base/text/text.ts";
import { holdsRuns } from "../../journal/moving.ts";
import type { JournalStore } from "../../journal/store.ts";
import { DATABASE } from "../../sql/mark.ts";
import type { StatePlace } from "../../sql/place.ts";
import type { ProjectShell } from "../project/chosen-project.ts";
import { stateDirectory } from "../project/project.ts";
import { assertJournalWhole } from "./open-journal.ts";

/**
 * Holds that runs begin in a database only once those of the project's folder are there too: it would not know which writes they left open, and
 * which keys they have. Throws a Failure.
 */
export function assertMoved(shell: Pick<ProjectShell, "cwd" | "project">, state: StatePlace): void {
  const problem = typeof state === "string" ? undefined : problemOf(shell);
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
