import { join, relative } from "node:path";
import { command } from "../../base/command-line.ts";
import { Failure, invariant } from "../../base/failure.ts";
import { quoted } from "../../base/text/text.ts";
import type { FileReader } from "../../playbook/playbook-files.ts";
import type { Playbook } from "../../playbook/model.ts";
import type { RunOpened } from "../../protocol/record.ts";
import type { ProjectShell } from "../project/chosen-project.ts";
import { folderInProject, loadPlaybooks } from "../project/project.ts";
import { filesOf } from "../project/project-files.ts";
import { shipped } from "../project/shipped.ts";

const NOT_THERE: ReadonlySet<string> = new Set(["file.missing", "file.unreadable"]);

/** Returns the playbook of a run that has begun, checked as its file is now, and the files that it names: data come from the journal. Throws a Failure. */
export function playbookOfRun(
  shell: ProjectShell,
  { runId, playbook: { file }, data }: RunOpened,
): { readonly playbook: Playbook; readonly files: FileReader } {
  const files = { ...filesOf(shell), data: { ...data, [file]: {} } };
  try {
    const [playbook] = loadPlaybooks(shell, [file], { reader: files });
    invariant(playbook !== undefined, "a file that was checked is a playbook");
    return { playbook, files };
  } catch (error) {
    if (!(error instanceof Failure) || !NOT_THERE.has(error.code)) throw error;
    const next = [`put ${file} back, or go to the folder in which the run began:`, command`resume ${runId}`];
    throw new Failure({ ...error.toJSON(), next });
  }
}

/** Holds that a run began in this folder: a file of the same name may lie here too, and is another playbook. Throws a Failure. `more` gives the options that the other folder needs. */
export function assertSameFolder(
  shell: ProjectShell,
  { runId, folder: before, playbook: { file } }: RunOpened,
  more: (folder: string) => string = () => "",
): void {
  const now = folderInProject(shell);
  if (before === undefined || now === undefined || before === now || shipped.read(file) !== undefined) return;
  const folder = join(shell.project.folder, before);
  throw new Failure({
    code: "resume.other-folder",
    message: `the run ${runId} began in the folder ${before} of this project, and this is ${now}`,
    why: `its playbook is ${file} as seen from there`,
    next: `cd ${quoted(relative(shell.cwd, folder))} && tokenbook resume ${runId}${more(folder)}`,
  });
}
