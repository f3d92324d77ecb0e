import { join, relative } from "node:path";
import { command } from "../../base/command-line.ts";
import { Failure, invariant } from "../../base/failure.ts";
import { type JsonObject, jsonEquals } from "../../base/json/json.ts";
import { quoted } from "../../base/text/text.ts";
import { inOrganization, resolveInputs } from "../../playbook/inputs/given-inputs.ts";
import type { FileReader } from "../../playbook/playbook-files.ts";
import type { Playbook } from "../../playbook/model.ts";
import { includesOf, playbooksIn } from "../../playbook/playbook-walk.ts";
import type { RunOpened } from "../../protocol/record.ts";
import type { ProjectShell } from "../project/chosen-project.ts";
import { folderInProject } from "../project/state-place.ts";
import { loadPlaybooks } from "../project/load-playbooks.ts";
import { filesOf } from "../project/project-files.ts";
import { shipped } from "../project/shipped.ts";

const NOT_THERE: ReadonlySet<string> = new Set(["file.missing", "file.unreadable"]);

/**
 * Returns the playbook of a run that has begun, checked as its file is now, and the reader of its files. Data files come from the journal. Throws a Failure.
 */
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

/**
 * Returns a note for each file that gives a default to an input, of the playbook or of one that it includes, and has changed. Somebody may have corrected it,
 * but the run does not read it again.
 */
export function keptFileNotes(
  shell: ProjectShell,
  {
    playbook,
    opened: { inputs, data = {} },
  }: { readonly playbook: Playbook; readonly opened: Pick<RunOpened, "inputs" | "data"> },
  orgId: string | undefined,
): readonly string[] {
  const [, ...included] = playbooksIn(playbook);
  const uses = [playbook, ...included].flatMap(includesOf);
  const usesDefault = (file: string, name: string): boolean =>
    uses.some((step) => step.playbook.file === file && !step.inputs.has(name));
  // The record has the inputs with their organization, and the data of included playbooks as they were read.
  const kept = [
    { playbook, values: inputs, orgId },
    ...included.map((each) => ({ playbook: each, values: data[each.file] ?? {}, orgId: undefined })),
  ];
  return kept.flatMap(({ playbook: each, values, orgId: placed }) =>
    each.inputs.flatMap((declaration) => {
      const { name, file } = declaration;
      const before = values[name];
      if (file?.path === undefined || before === undefined) return [];
      if (each !== playbook && !usesDefault(each.file, name)) return [];
      const only = { ...each, inputs: [{ ...declaration, default: undefined }] };
      if (jsonEquals(before, contentNow(only, filesOf(shell), placed)[name] ?? null)) return [];
      return [
        `note: ${file.path} has changed since the run began; the run keeps the earlier value of "${name}". If the rest of the run needs the new one, write it into the steps`,
      ];
    }),
  );
}

// A file that is missing or wrong counts as changed.
function contentNow(playbook: Playbook, files: FileReader, orgId: string | undefined): JsonObject {
  try {
    return inOrganization(playbook, resolveInputs(playbook, {}, files), orgId);
  } catch (error) {
    if (error instanceof Failure) return {};
    throw error;
  }
}

/**
 * Throws a Failure if a run began in another folder, because a file of the same name in this folder is another playbook. `more` returns the options that the
 * command in the other folder needs.
 */
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
